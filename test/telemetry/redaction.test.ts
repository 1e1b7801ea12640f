import { describe, expect, test } from 'bun:test';
import * as z from 'zod';
import { pii, piiFields } from '../../src/api/contract/pii.ts';
import { operations } from '../../src/api/resources/operations.ts';
import { generateKey } from '../../src/domain/api-key.ts';
import { passwordsOf, readConfig } from '../../src/settings/config.ts';
import { loggedPathOf, openLog } from '../../src/telemetry/log.ts';
import { createRedaction } from '../../src/telemetry/redaction.ts';
import { newWebhookSecret } from '../../src/webhooks/secrets.ts';
import { processorTime } from '../support/process-clock.ts';

const NOTHING = { fields: [], texts: [] };

/** The line that is logged of an error and of facts, by a log that hides these. */
function logged(hidden: Parameters<typeof createRedaction>[0], error: unknown, facts?: object) {
  const lines: string[] = [];
  const log = openLog('info', { write: (line) => lines.push(line) }, createRedaction(hidden));
  log.error('it failed', error);
  log.info('something', facts);
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
  return lines.join('');
}

describe('the log', () => {
  const key = generateKey('production', (n) => crypto.getRandomValues(new Uint8Array(n)));
  const secretPart = key.slice('petstore_live_'.length);

  test.each([key, key.replaceAll('_', '%5F'), `x${key}y`, `%22${key}%22`])(
    'hides a key, however it stands there: %s',
    (text) => {
      const line = logged(NOTHING, new Error(`no ${text}`), { deep: [{ text }] });
      expect(line.toLowerCase()).not.toContain(secretPart.toLowerCase());
    },
  );

  const encoded = (text: string, upper = false) =>
    [...text]
      .map((sign) => sign.charCodeAt(0).toString(16))
      .map((code) => `%${upper ? code.toUpperCase() : code}`)
      .join('');

  test.each([
    ['wholly encoded', encoded(key)],
    ['in capitals', encoded(key, true)],
    ['encoded twice', encoded(encoded(key))],
    ['its signs of percent encoded again', encoded(key).replaceAll('%', '%25')],
    ['and again', encoded(key).replaceAll('%', '%252525')],
    ['every other character', [...key].map((c, i) => (i % 2 ? c : encoded(c))).join('')],
    ['beside other text', `a%20b${encoded(key)}%zz%2Fc`],
  ])('hides a key in a path and in a line: %s', (_, text) => {
    const shown = [
      loggedPathOf(`/v1/pets/${text.slice(0, 240)}`),
      logged(NOTHING, new Error(text)),
    ];
    for (let i = 0; i < 6; i++) {
      for (const [at, line] of shown.entries()) {
        expect(line).not.toContain(secretPart.slice(0, 6));
        shown[at] = line.replace(/%([0-7][0-9a-f])/gi, (_, code) =>
          String.fromCharCode(Number.parseInt(code, 16)),
        );
      }
    }
  });

  test('leaves other encoded text as it is', () => {
    const path = '/v1/pets/%E2%9C%93%20petstore%5Fshop%zz%2570';
    expect(loggedPathOf(path)).toBe(`"${path}"` as never);
  });

  test('writes of an error what it is and where, and nothing that it carries', () => {
    const cause = Object.assign(new Error('inside'), { detail: 'Failing row: hush' });
    const error = new RangeError('outside', { cause });
    const line = logged(
      NOTHING,
      Object.assign(error, { code: 'E1', query: 'hush', values: ['hush'] }),
    );
    expect(line).not.toContain('hush');
    const { err } = JSON.parse(line.split('\n')[0] ?? '');
    expect(err).toMatchObject({ type: 'RangeError', message: 'outside', code: 'E1' });
    expect(err.cause).toMatchObject({ type: 'Error', message: 'inside' });
    expect(err.stack).toContain('redaction.test.ts');
  });

  test('takes errors that are none, and circles of them', () => {
    const circle = new Error('round');
    circle.cause = circle;
    expect(logged(NOTHING, circle)).toContain('round');
    for (const thrown of ['a text', undefined, null, 7n]) logged(NOTHING, thrown);
  });

  test.each([
    ['a name', 'Hush'],
    ['quotes', 'Hush "the Hush" Hush'],
    ['backslashes', '\\Hush\\" Hush\\'],
    ['other signs', 'Hush\u2028\nHush'],
  ])('hides the value of a marked field, with %s in it', (_, adopter) => {
    const hidden = { fields: ['adopter'], texts: [] };
    const body = { petId: 1, adopter, status: 'placed' };
    const line = logged(hidden, new Error(`in ${JSON.stringify(body)}`), {
      body: { deep: [body] },
    });
    expect(line).not.toContain('Hush');
    expect(line).toContain('placed');
  });

  test('redacts passwords', () => {
    const line = logged({ fields: [], texts: ['pass"word', 'x'] }, new Error('my pass"word, x'));
    expect(line).not.toContain('word');
    expect(line).toContain(', x');
  });

  test('takes time in proportion to a line', () => {
    const hide = createRedaction({ fields: ['adopter'], texts: ['secret'] });
    for (const shape of [
      '"adopter":"',
      '\\"adopter\\":\\"',
      '\\',
      '"',
      'petstore_live_',
      '%2570',
      '%25',
      'secre',
    ]) {
      const line = shape.repeat(100_000);
      expect(processorTime(() => hide(line))).toBeLessThan(2_000);
    }
  });
});

test('PII is found by its mark, anywhere in the input of an operation', () => {
  expect(piiFields(operations).toSorted()).toEqual([
    ...['adopter', 'behaviourNotes', 'care', 'careUntil', 'contact', 'location'],
    ...['medicalNotes', 'microchip', 'note', 'returnReason'],
  ]);
  const [first] = operations;
  if (first === undefined) throw new Error('there are no operations');
  const name = pii(z.string()).optional();
  const inner = z.object({ list: z.array(z.object({ deep: name })).nullable(), other: z.string() });
  const body = { schema: z.array(inner), mediaTypes: [], description: '', example: [] };
  expect(piiFields([{ ...first, body }])).toEqual(['deep']);
});

test('passwords are found in the settings that are marked', () => {
  const config = readConfig(
    { database: 'postgres://u:p%40ss@h/d?password=other', limits: 'redis://:third@h:1' },
    {},
  );
  expect(passwordsOf(config)).toEqual(['p%40ss', 'p@ss', 'other', 'other', 'third', 'third']);
  expect(passwordsOf(readConfig({}, {}))).toEqual([]);
});

test('passwords are found in addresses of several hosts', () => {
  const limits = 'redis+sentinel://u:first@a:26379,b:26379/petstore';
  const config = readConfig({ database: 'postgres://u:second@a:5432,b/d', limits }, {});
  expect([...new Set(passwordsOf(config))].sort()).toEqual(['first', 'second']);
});

test('secrets of webhooks and the key that encrypts them are never logged', () => {
  const secret = newWebhookSecret();
  const [key, older] = ['ab'.repeat(32), Buffer.alloc(32, 0xfb).toString('base64')];
  const config = readConfig({}, { PETSTORE_SECRET_KEY: `${key}, ${older}` });
  expect(passwordsOf(config)).toEqual([key, older]);
  const redact = createRedaction({ fields: [], texts: passwordsOf(config) });
  const line = JSON.stringify({
    secret,
    text: `a ${secret} b`,
    deep: { cause: `${key} ${older}` },
  });
  expect(JSON.parse(redact(line))).toEqual({
    secret: 'whsec_…',
    text: 'a whsec_… b',
    deep: { cause: '… …' },
  });
});
