import { beforeAll, describe, expect, test } from 'bun:test';
import { SECOND_MS } from '../../src/domain/clock.ts';
import { addListed } from '../support/enquiries.ts';
import { forAllTests } from '../support/lifetime.ts';
import { startPetstore } from '../support/start.ts';

const QUESTIONS = [
  {
    id: 'home',
    label: 'Where do you <live>?',
    kind: 'choice',
    required: true,
    options: ['A flat', 'A house'],
  },
  { id: 'alone', label: 'Hours alone', kind: 'number' },
  { id: 'other', label: 'Other pets?', kind: 'yes_no' },
  { id: 'why', label: 'Why?', kind: 'paragraph' },
  { id: 'vet', label: 'Your vet', kind: 'text', required: true, species: ['cat'] },
  { id: 'walks', label: 'Walks', kind: 'text', species: ['dog'] },
];
const LETTER = {
  ...{ name: 'Robin', email: 'robin@example.com', message: 'May we?', consent: 'yes' },
};

describe('the questions of the shop', () => {
  let path: string;
  let stamp: string;
  const petstore = forAllTests(() => startPetstore());
  beforeAll(async () => {
    path = `/adopt/${await addListed(petstore.storage)}/enquiry`;
    const { status } = await petstore.admin.patch('/v1/shop', { questions: QUESTIONS });
    expect(status).toBe(200);
    const text = await (await fetch(petstore.url + path)).text();
    stamp = /name="stamp" value="([^"]*)"/.exec(text)?.[1] ?? '';
    petstore.clock.advance(3 * SECOND_MS);
  });

  async function send(answers: Readonly<Record<string, string>>) {
    const named = Object.entries(answers).map(([id, value]) => [`answer-${id}`, value]);
    const body = new URLSearchParams({ ...LETTER, stamp, ...Object.fromEntries(named) });
    const init = { method: 'POST', body, redirect: 'manual' } as const;
    const response = await fetch(petstore.url + path, init);
    return { status: response.status, text: await response.text() };
  }

  test('are asked of animals of their species, in their order', async () => {
    const text = await (await fetch(petstore.url + path)).text();
    const asked = [...text.matchAll(/name="answer-([a-z]+)"/g)].map(([, id]) => id);
    expect(asked).toEqual(['home', 'alone', 'other', 'why', 'walks']);
    expect(text).toContain('Where do you &lt;live&gt;?');
  });

  test.each<[Record<string, string>, string]>([
    [{}, 'home'],
    [{ home: 'A castle' }, 'home'],
    [{ home: 'A flat', alone: 'many' }, 'alone'],
    [{ home: 'A flat', other: 'perhaps' }, 'other'],
    [{ home: 'A flat', why: 'x'.repeat(1_001) }, 'why'],
    [{ home: 'A flat', walks: 'x'.repeat(201) }, 'walks'],
  ])('refuse %j, and keep what was written', async (answers, wrong) => {
    const { status, text } = await send({ why: 'A <reason>', ...answers });
    expect(status).toBe(400);
    expect(text).toContain(`href="#answer-${wrong}"`);
    expect(text).toContain('value="Robin"');
    if (!('why' in answers)) expect(text).toContain('A &lt;reason&gt;</textarea>');
    if (answers['home'] === 'A flat') expect(text).toContain('<option value="A flat" selected>');
  });

  test('are answered in the enquiry, the adoption and the guide to both', async () => {
    const answers = { home: 'A house', alone: '4,5', other: 'yes', why: 'One\r\ntwo', vet: 'x' };
    expect((await send(answers)).status).toBe(303);
    const found = await petstore.writer.get('/v1/enquiries?limit=1');
    const [enquiry] = JSON.parse(found.text) as [{ id: number; answers: unknown }];
    const expected = [
      { id: 'home', label: 'Where do you <live>?', answer: 'A house' },
      { id: 'alone', label: 'Hours alone', answer: '4,5' },
      { id: 'other', label: 'Other pets?', answer: 'yes' },
      { id: 'why', label: 'Why?', answer: 'One\ntwo' },
    ];
    expect(enquiry.answers).toEqual(expected);
    const placed = await petstore.writer.post(`/v1/enquiries/${enquiry.id}/order`, undefined);
    const order = JSON.parse(placed.text) as { id: number };
    expect(order).toMatchObject({ answers: expected, note: 'May we?' });
    const { id } = order;
    const seen = await petstore.reader.get(`/v1/store/orders/${id}`);
    expect(seen.json()).not.toHaveProperty('answers');
    const erased = await petstore.writer.patch(`/v1/store/orders/${id}`, { answers: null });
    expect(erased.status).toBe(200);
    expect(erased.json()).not.toHaveProperty('answers');
    expect(petstore.log.join('')).not.toContain('A house');
  });

  test.each([
    ['a question twice', [QUESTIONS[0], QUESTIONS[0]], 'must have each id once, not home twice'],
    ['a choice of one', [{ ...QUESTIONS[0], options: ['A', 'A'] }], 'two different options'],
    ['options of no choice', [{ ...QUESTIONS[1], options: ['A'] }], 'no options for alone'],
    ['another kind', [{ ...QUESTIONS[1], kind: 'date' }], 'questions.0.kind must be one of text'],
    ['a bad id', [{ ...QUESTIONS[1], id: 'A b' }], 'questions.0.id must be small letters'],
    ['no label', [{ id: 'x', kind: 'text' }], 'questions.0.label is required'],
    ['too many', Array.from({ length: 21 }, (_, n) => ({ ...QUESTIONS[1], id: `q${n}` })), '20'],
    ['no list', 'x', 'must be a list'],
  ])('cannot have %s', async (_, questions, said) => {
    const before = (await petstore.admin.get('/v1/shop')).text;
    const response = await petstore.admin.patch('/v1/shop', { questions });
    expect([response.status, response.text]).toEqual([400, expect.stringContaining(said)]);
    expect((await petstore.admin.get('/v1/shop')).text).toBe(before);
  });

  test('are none after null', async () => {
    const response = await petstore.admin.patch('/v1/shop', { questions: null });
    expect(response.json()).toMatchObject({ questions: [] });
  });
});
