import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../src/domain/clock.ts';
import { addListed } from '../support/enquiries.ts';
import { startPetstore, type TestPetstore } from '../support/start.ts';

const GOOD = {
  name: 'Robin Álvarez',
  email: 'robin@example.com',
  telephone: '',
  message: 'May we visit her?',
  consent: 'yes',
  website: '',
};

describe('the form of an animal', () => {
  let petstore: TestPetstore;
  let path: string;
  let addresses = 0;

  beforeAll(async () => {
    petstore = await startPetstore({ settings: { PETSTORE_TRUSTED_PROXIES: '127.0.0.1' } });
    path = `/adopt/${await addListed(petstore.storage)}/enquiry`;
  });
  afterAll(() => petstore[Symbol.asyncDispose]());

  const addressOf = (n: number) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
  const stampIn = (text: string) => /name="stamp" value="([^"]*)"/.exec(text)?.[1] ?? '';
  async function stamp(): Promise<string> {
    const headers = { 'x-forwarded-for': addressOf(++addresses) };
    return stampIn(await (await fetch(petstore.url + path, { headers })).text());
  }
  async function send(fields: object, from = addressOf(++addresses), to = path) {
    const response = await fetch(petstore.url + to, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'x-forwarded-for': from },
      body: new URLSearchParams({ ...fields }),
    });
    return { response, status: response.status, text: await response.text() };
  }
  async function stampOfLongAgo(): Promise<string> {
    const made = await stamp();
    petstore.clock.advance(3 * SECOND_MS);
    return made;
  }
  const stored = async () =>
    (await petstore.storage.enquiries.list({}, { afterId: undefined, limit: 100 })).items;

  test('stores what was written, and leads to the page after it', async () => {
    const sent = await send({
      ...GOOD,
      message: 'One\r\ntwo\u2028three\0',
      stamp: await stampOfLongAgo(),
    });
    expect(sent.status).toBe(303);
    const location = sent.response.headers.get('location') ?? '';
    expect(location).toBe(`${path.replace('enquiry', 'thanks')}?lang=en`);
    const thanks = await fetch(petstore.url + location);
    expect([thanks.status, await thanks.text()]).toEqual([
      200,
      expect.stringContaining('Thank you'),
    ]);
    expect((await stored())[0]).toMatchObject({
      name: GOOD.name,
      email: GOOD.email,
      telephone: undefined,
      message: 'One\ntwo\nthree',
      status: 'new',
      language: 'en',
    });
  });

  test.each([
    [{ name: ' ' }, 'tell us your name'],
    [{ name: 'x'.repeat(101) }, 'tell us your name'],
    [{ email: '' }, 'give an e-mail address or a telephone'],
    [{ email: 'robin' }, 'does not look like an e-mail'],
    [{ email: '', telephone: 'call me' }, 'does not look like a telephone'],
    [{ message: '' }, 'Please write a message'],
    [{ message: 'x'.repeat(2_001) }, 'Please write a message'],
    [{ consent: '' }, 'if you agree'],
    [{ stamp: '' }, 'open for more than a day'],
    [{ stamp: '1.forged' }, 'open for more than a day'],
  ])('refuses %j with what was written', async (wrong, said) => {
    const before = (await stored()).length;
    const fields = { ...GOOD, stamp: await stampOfLongAgo(), ...wrong };
    const { status, text } = await send({ ...fields, name: fields.name.replace('Robin', '<b>R') });
    expect(status).toBe(400);
    expect(text).toContain(said);
    if (!('name' in wrong)) expect(text).toContain('value="&lt;b&gt;R Álvarez"');
    expect((await stored()).length).toBe(before);
  });

  test('has no way to another language, which would empty it', async () => {
    const links = /class="languages"/;
    expect(await (await fetch(petstore.url + path.replace('/enquiry', '/chloe'))).text()).toMatch(
      links,
    );
    expect(await (await fetch(petstore.url + path)).text()).not.toMatch(links);
    expect((await send({ ...GOOD, consent: '' })).text).not.toMatch(links);
  });

  test('takes 2,000 characters of any script', async () => {
    const message = '😺'.repeat(2_000);
    expect((await send({ ...GOOD, message, stamp: await stampOfLongAgo() })).status).toBe(303);
    expect((await stored())[0]?.message).toBe(message);
  });

  test('is refused within three seconds, after a day, and for another animal', async () => {
    const made = await stamp();
    const early = await send({ ...GOOD, stamp: made });
    expect([early.status, early.text]).toEqual([400, expect.stringContaining('very fast')]);
    expect(stampIn(early.text)).toBe(made);
    petstore.clock.advance(3 * SECOND_MS);
    const other = `/adopt/${await addListed(petstore.storage)}/enquiry`;
    expect((await send({ ...GOOD, stamp: made }, undefined, other)).status).toBe(400);
    expect((await send({ ...GOOD, stamp: made })).status).toBe(303);
    petstore.clock.advance(DAY_MS);
    const late = await send({ ...GOOD, stamp: made });
    expect(late.status).toBe(400);
    expect(stampIn(late.text)).not.toBe(made);
  });

  test('thanks robots, and keeps nothing', async () => {
    const before = (await stored()).length;
    expect((await send({ ...GOOD, website: 'x', stamp: '' })).status).toBe(303);
    expect((await stored()).length).toBe(before);
  });

  test('refuses the sixth within an hour, of fifty at once too; refusals do not count', async () => {
    const made = await stampOfLongAgo();
    const from = addressOf(++addresses);
    for (let n = 0; n < 6; n++) await send({ ...GOOD, consent: '', stamp: made }, from);
    const all = await Promise.all(
      Array.from({ length: 50 }, () => send({ ...GOOD, stamp: made }, from)),
    );
    expect(all.filter(({ status }) => status === 303)).toHaveLength(5);
    const refused = all.find(({ status }) => status === 429);
    expect(refused?.text).toContain('five times within an hour');
    expect(refused?.text).toContain(GOOD.message);
    petstore.clock.advance(HOUR_MS);
    expect((await send({ ...GOOD, stamp: await stampOfLongAgo() }, from)).status).toBe(303);
  });

  test('is nowhere for an animal that is not listed', async () => {
    for (const id of ['999999', '1x', `${2n ** 63n}`]) {
      const { status } = await send({ ...GOOD }, undefined, `/adopt/${id}/enquiry`);
      expect([404, 405]).toContain(status);
    }
  });

  test('takes no other media type, and no large body', async () => {
    const post = (headers: Record<string, string>, body: string) =>
      fetch(petstore.url + path, { method: 'POST', headers, body });
    expect((await post({ 'content-type': 'application/json' }, '{}')).status).toBe(415);
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await post(type, `message=${'x'.repeat(40_000)}`)).status).toBe(413);
  });

  test('bounds a flood from as many addresses as there are', async () => {
    petstore.clock.advance(HOUR_MS);
    const made = await stampOfLongAgo();
    let received = 0;
    for (let n = 0; n < 10_000; n += 100) {
      const all = await Promise.all(
        Array.from({ length: 100 }, () => send({ ...GOOD, stamp: made })),
      );
      received += all.filter(({ status }) => status === 303).length;
      expect(all.every(({ status }) => status === 303 || status === 503)).toBe(true);
    }
    expect(received).toBe(200);
    expect((await petstore.reader.get('/v1/pets')).status).toBe(200);
    expect(petstore.log.join('')).not.toContain('Robin');
  }, 120_000);
});
