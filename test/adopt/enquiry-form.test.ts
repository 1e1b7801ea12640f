import { beforeAll, describe, expect, test } from 'bun:test';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../src/domain/clock.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { addListed } from '../support/enquiries.ts';
import { forAllTests } from '../support/lifetime.ts';
import { startPetstore } from '../support/start.ts';

const GOOD = {
  name: 'Robin Álvarez',
  email: 'robin@example.com',
  telephone: '',
  message: 'May we visit her?',
  consent: 'yes',
  website: '',
};

describe('the form of an animal', () => {
  let path: string;
  let addresses = 0;

  const petstore = forAllTests(() =>
    startPetstore({ settings: { PETSTORE_TRUSTED_PROXIES: '127.0.0.1' } }),
  );
  beforeAll(async () => {
    path = `/adopt/${await addListed(petstore.storage)}/enquiry`;
  });

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

  test('takes what was written fast, and marks it; after a day, or for another animal, it is sent again', async () => {
    const made = await stamp();
    const early = await send({ ...GOOD, message: 'Fast', stamp: made });
    expect(early.status).toBe(303);
    expect((await stored())[0]).toMatchObject({ message: 'Fast', suspected: true });
    petstore.clock.advance(3 * SECOND_MS);
    const other = `/adopt/${await addListed(petstore.storage)}/enquiry`;
    expect((await send({ ...GOOD, stamp: made }, undefined, other)).status).toBe(400);
    expect((await send({ ...GOOD, message: 'Slow', stamp: made })).status).toBe(303);
    expect((await stored())[0]).toMatchObject({ message: 'Slow', suspected: false });
    petstore.clock.advance(DAY_MS);
    const late = await send({ ...GOOD, stamp: made });
    expect(late.status).toBe(400);
    expect(stampIn(late.text)).not.toBe(made);
  });

  test('keeps what has the field filled that only robots fill, apart from the others', async () => {
    const filled = { ...GOOD, message: 'By an extension', website: 'x' };
    expect((await send({ ...filled, stamp: await stampOfLongAgo() })).status).toBe(303);
    expect((await stored())[0]).toMatchObject({ message: 'By an extension', suspected: true });
    const read = async (suspected: string) => {
      const found = await petstore.writer.get(`/v1/enquiries?suspected=${suspected}`);
      return JSON.parse(found.text) as { suspected: boolean }[];
    };
    expect((await read('true')).map(({ suspected }) => suspected)).not.toContain(false);
    expect((await read('false')).map(({ suspected }) => suspected)).not.toContain(true);
  });

  test('takes from seven people at one address, and marks nobody', async () => {
    const from = addressOf(++addresses);
    const made = await stampOfLongAgo();
    for (let n = 0; n < 7; n++) {
      const person = { ...GOOD, email: `person-${n}@example.com`, message: 'On your Wi-Fi' };
      expect((await send({ ...person, stamp: made }, from)).status).toBe(303);
    }
    const seven = (await stored()).slice(0, 7);
    expect(seven.every(({ message, suspected }) => message === 'On your Wi-Fi' && !suspected)).toBe(
      true,
    );
  });

  test('marks the sixth of one person within an hour, and refuses the 31st with the telephone', async () => {
    await petstore.storage.shop.update({ telephone: '01392 496000' }, CHANGE_STAMP, () => {});
    const made = await stampOfLongAgo();
    const from = addressOf(++addresses);
    const refused = { ...GOOD, consent: '', stamp: made };
    for (let n = 0; n < 6; n++) await send(refused, from);
    // The same mailbox, however it is written.
    const email = (n: number) => (n % 2 === 0 ? 'ro.bin+x@example.com' : 'Robin@Example.com');
    const letterOf = (n: number) => ({
      ...GOOD,
      email: email(n),
      message: `No. ${n}`,
      stamp: made,
    });
    const all = [];
    for (let n = 0; n < 31; n++) all.push(await send(letterOf(n), from));
    expect(all.filter(({ status }) => status === 303)).toHaveLength(30);
    const marked = (await stored()).slice(0, 30).map(({ suspected }) => suspected);
    expect(marked.filter(Boolean)).toHaveLength(25);
    const last = all.at(-1);
    expect([last?.status, last?.response.headers.get('retry-after')]).toEqual([429, '3600']);
    expect(last?.text).toContain('01392 496000');
    expect(last?.text).toContain('No. 30');
    expect(last?.text).not.toContain('You have');
    petstore.clock.advance(HOUR_MS);
    expect((await send({ ...GOOD, stamp: await stampOfLongAgo() }, from)).status).toBe(303);
  });

  test('is one enquiry if it is sent twice within an hour, from the button Back', async () => {
    const form = { ...GOOD, message: 'Only once', stamp: await stampOfLongAgo() };
    const from = addressOf(++addresses);
    const both = await Promise.all([send(form, from), send(form, from)]);
    expect(both.map(({ status }) => status)).toEqual([303, 303]);
    const same = (await stored()).filter(({ message }) => message === 'Only once');
    expect(same).toHaveLength(1);
  });

  test.each([
    [{ origin: 'https://evil.example' }],
    [{ 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    [{ 'sec-fetch-site': 'same-site' }],
  ])('is refused from a page of another site: %j', async (headers) => {
    const before = (await stored()).length;
    const body = new URLSearchParams({ ...GOOD, stamp: await stampOfLongAgo() });
    const response = await fetch(petstore.url + path, { method: 'POST', headers, body });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain(GOOD.message);
    expect((await stored()).length).toBe(before);
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
    expect((await post(type, `message=${'x'.repeat(140_000)}`)).status).toBe(413);
  });

  test('bounds a flood from as many addresses as there are', async () => {
    petstore.clock.advance(HOUR_MS);
    const made = await stampOfLongAgo();
    let received = 0;
    for (let n = 0; n < 10_000; n += 100) {
      const all = await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          send({ ...GOOD, message: `Flood ${n + i}`, stamp: made }),
        ),
      );
      received += all.filter(({ status }) => status === 303).length;
      expect(all.every(({ status }) => status === 303 || status === 503)).toBe(true);
    }
    expect(received).toBe(200);
    expect((await petstore.reader.get('/v1/pets')).status).toBe(200);
    expect(petstore.log.join('')).not.toContain('Robin');
  }, 120_000);
});
