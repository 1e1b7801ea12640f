import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../src/domain/clock.ts';
import { type ReceivedMail, startReceiver } from '../mail/receiver.ts';
import { header, textOf } from '../mail/sending.ts';
import { addListed } from '../support/enquiries.ts';
import { eventually } from '../support/eventually.ts';
import { startPetstore, type TestPetstore } from '../support/start.ts';

setDefaultTimeout(60_000);

type Receiver = Awaited<ReturnType<typeof startReceiver>>;
let receiver: Receiver;
let petstore: TestPetstore;
beforeEach(async () => {
  receiver = await startReceiver();
  petstore = await startPetstore({
    settings: {
      PETSTORE_SMTP: receiver.url,
      PETSTORE_NOTIFY: 'staff@shop.example',
      PETSTORE_TRUSTED_PROXIES: '127.0.0.1',
    },
  });
  const shop = { name: 'Riverside', email: 'hello@shop.example', telephone: '01392 496000' };
  await petstore.admin.patch('/v1/shop', shop);
});
afterEach(async () => {
  await petstore[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const ask = (fields: object, lang = 'en', headers = {}) =>
  fetch(`${petstore.url}/adopt/alerts?lang=${lang}`, {
    method: 'POST',
    redirect: 'manual',
    headers,
    body: new URLSearchParams({ email: 'robin@example.com', search: 'species=dog', ...fields }),
  });
const mailNo = async (n: number): Promise<ReceivedMail> => {
  const mails = await eventually(
    () => receiver.mails,
    (all) => all.length >= n,
  );
  return mails[n - 1] as ReceivedMail;
};
/** The path of a link in a mail, on the server under test. */
function linkIn({ raw }: ReceivedMail, what: string): string {
  const found = new RegExp(`https?://[^\\s]+(/adopt/alerts/${what}\\?\\S+)`).exec(textOf(raw));
  return `${petstore.url}${found?.[1]}`;
}
const rows = () => petstore.database.sql('SELECT email, search, confirmed_at FROM alerts');
const click = (link: string) => fetch(link, { method: 'POST' });
async function confirmed(fields: object = {}, lang = 'en'): Promise<void> {
  const before = receiver.mails.length;
  await ask(fields, lang);
  const mail = await mailNo(before + 1);
  expect((await click(linkIn(mail, 'confirm'))).status).toBe(200);
}
/** An animal is listed, and the moment is over that staff have to correct themselves. */
async function list(name: string): Promise<bigint> {
  const body = { name, categoryId: 1, status: 'available' };
  const made = JSON.parse((await petstore.writer.post('/v1/pets', body)).text) as { id: number };
  const profile = { species: 'dog', published: true };
  await petstore.writer.patch(`/v1/pets/${made.id}/profile`, profile);
  petstore.clock.advance(10 * SECOND_MS);
  return BigInt(made.id);
}

describe('an alert', () => {
  test('is confirmed by a click, tells of an animal within a minute, and ends by one click', async () => {
    expect((await ask({}, 'de')).headers.get('location')).toBe('/adopt/alerts/thanks?lang=de');
    const asked = await mailNo(1);
    expect(asked.to).toEqual(['robin@example.com']);
    expect(header(asked.raw, 'From')).toContain('Riverside');
    expect(header(asked.raw, 'Reply-To')).toContain('hello@shop.example');
    expect(header(asked.raw, 'List-Unsubscribe')).toBe('');
    expect(textOf(asked.raw)).toContain('Hunde');
    // Programs that look at links confirm nothing.
    const page = await fetch(linkIn(asked, 'confirm'));
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Ja, ben')]);
    expect(await rows()).toMatchObject([{ confirmed_at: null }]);
    await list('Too early');
    expect((await click(linkIn(asked, 'confirm'))).status).toBe(200);
    petstore.clock.advance(SECOND_MS);
    const id = await list('Łatka');
    const told = await mailNo(2);
    const text = textOf(told.raw);
    expect(text).toContain('Łatka');
    expect(text).toContain(`/adopt/${id}/latka?lang=de`);
    expect(text).not.toContain('Too early');
    const end = /^<(.+)>$/.exec(header(told.raw, 'List-Unsubscribe').replaceAll(/\s/g, ''))?.[1];
    expect(header(told.raw, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
    expect(linkIn(told, 'end')).toBe(`${end}`);
    const looked = await fetch(linkIn(told, 'end'));
    expect(looked.status).toBe(200);
    expect(await rows()).toHaveLength(1);
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
    expect((await fetch(`${end}`, { method: 'POST', body })).status).toBe(200);
    expect(await rows()).toEqual([]);
    petstore.clock.advance(DAY_MS);
    await list('Nobody hears');
    expect((await click(`${end}`)).status).toBe(200);
    expect(receiver.mails).toHaveLength(2);
  });

  test('tells at most once a day of all that came, and of nothing twice', async () => {
    await confirmed();
    petstore.clock.advance(SECOND_MS);
    await list('First');
    expect(textOf((await mailNo(2)).raw)).toContain('First');
    await eventually(
      () => petstore.database.sql('SELECT told_at FROM alerts'),
      ([row]) => row?.['told_at'] !== null,
    );
    await list('Second');
    await list('Third');
    petstore.clock.advance(DAY_MS - HOUR_MS);
    await Bun.sleep(2_500);
    expect(receiver.mails).toHaveLength(2);
    petstore.clock.advance(HOUR_MS);
    const text = textOf((await mailNo(3)).raw);
    expect(text).toContain('Second');
    expect(text).toContain('Third');
    expect(text).not.toContain('First');
  });

  test('does not match other animals, or those that are reserved', async () => {
    await confirmed({ search: 'species=cat' });
    await confirmed({ email: 'kim@example.com', search: 'q=birch&species=dog' });
    petstore.clock.advance(SECOND_MS);
    const id = await list('Rex');
    await petstore.writer.post('/v1/store/orders', { petId: Number(id) });
    await list('Silver Birch');
    const told = await mailNo(3);
    expect([told.to, textOf(told.raw).includes('Rex')]).toEqual([['kim@example.com'], false]);
    expect(receiver.mails).toHaveLength(3);
  });

  test('that nobody confirms ends after a week, and one that ends leaves no trace in the file', async () => {
    await ask({ email: 'secret-marker@example.com', search: 'q=secretsearch' });
    const link = linkIn(await mailNo(1), 'confirm');
    petstore.clock.advance(7 * DAY_MS);
    expect((await click(link)).status).toBe(404);
    // The task that erases what has ended runs by the same clock.
    await eventually(rows, (all) => all.length === 0);
    const { address } = petstore.database;
    if (!address.startsWith('sqlite:')) return;
    await petstore.database.sql('PRAGMA wal_checkpoint(TRUNCATE)');
    const file = readFileSync(address.slice('sqlite:'.length), 'latin1');
    expect(file).not.toContain('secret-marker');
    expect(file).not.toContain('secretsearch');
  });
});

describe('a stranger', () => {
  test('learns nothing about an address, and cannot have it written to without bound', async () => {
    await confirmed({ email: 'victim@example.com' });
    const answers = new Set<string>();
    for (let n = 0; n < 8; n++) {
      const email = ['victim@example.com', 'Vic.tim+1@Example.com', 'new@example.com'][n % 3];
      const response = await ask({ email }, 'en', { 'x-forwarded-for': `10.0.0.${n}` });
      const { date: _, ...headers } = Object.fromEntries(response.headers);
      const { 'x-request-id': __, ...same } = headers;
      answers.add(JSON.stringify([response.status, same, await response.text()]));
    }
    expect(answers.size).toBe(1);
    await mailNo(2);
    petstore.clock.advance(23 * HOUR_MS);
    await eventually(
      () => petstore.database.sql(`SELECT 1 FROM mails WHERE status = 'pending'`),
      (waiting) => waiting.length === 0,
    );
    const to = (pattern: RegExp) =>
      receiver.mails.filter((mail) => pattern.test(mail.to.join())).length;
    expect([to(/^vic/i), to(/^new/)]).toEqual([3, 2]);
  });

  test('cannot forge links, nor use one for another thing', async () => {
    await ask({});
    const link = new URL(linkIn(await mailNo(1), 'confirm'));
    const token = link.searchParams.get('token') ?? '';
    const [name = '', signature = ''] = token.split('.');
    const odd = [
      ...['', 'x', name, `${name}.`, `${name}.${signature}x`, `${name}.${signature.slice(1)}`],
      `${'A'.repeat(22)}.${signature}`,
      `${name}.${'A'.repeat(43)}`,
    ];
    for (const wrong of odd) {
      const path = `/adopt/alerts/confirm?token=${encodeURIComponent(wrong)}`;
      expect((await click(petstore.url + path)).status).toBe(404);
    }
    // A link that confirms does not end, and the other way round.
    await click(`${petstore.url}/adopt/alerts/end?token=${encodeURIComponent(token)}`);
    expect(await rows()).toMatchObject([{ confirmed_at: null }]);
    expect((await click(link.href)).status).toBe(200);
    expect((await click(link.href)).status).toBe(200);
    expect(petstore.log.join('')).not.toContain(name);
    expect(petstore.log.join('')).not.toContain('robin@');
  });

  test('is refused from another site, with no address, and with the field that robots fill', async () => {
    const status = async (fields: object, headers = {}) =>
      (await ask(fields, 'en', headers)).status;
    expect(await status({}, { origin: 'https://evil.example' })).toBe(403);
    expect(await status({}, { 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await status({ website: 'x' })).toBe(400);
    for (const email of ['', 'x', 'a@b', 'a@b.c\r\nBcc: d@e.example', 'a@b.c,d@e.example']) {
      expect(await status({ email })).toBe(400);
    }
    expect(await status({ search: 'species=dragon' })).toBe(404);
    expect(await rows()).toEqual([]);
  });

  test('gets no form where there is no mail server, and staff see numbers alone', async () => {
    await confirmed();
    const { text, status } = await petstore.writer.get('/v1/alerts');
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { searches: [{ search: 'species=dog', confirmed: 1, waiting: 0 }] },
    ]);
    expect((await petstore.reader.get('/v1/alerts')).status).toBe(403);
    const listed = await (await fetch(`${petstore.url}/adopt?species=dog`)).text();
    expect(listed).toContain('/adopt/alerts?species=dog');
    await petstore.restart({ PETSTORE_SMTP: '' });
    expect((await fetch(`${petstore.url}/adopt/alerts`)).status).toBe(404);
    expect(await (await fetch(`${petstore.url}/adopt`)).text()).not.toContain('/adopt/alerts');
  });
});

test('the page of an animal that found a home offers to hear of others like it', async () => {
  const id = await addListed(petstore.storage, 'Rex');
  const order = await petstore.writer.post('/v1/store/orders', { petId: Number(id) });
  const path = `/v1/store/orders/${(JSON.parse(order.text) as { id: number }).id}`;
  for (const status of ['approved', 'completed']) await petstore.writer.patch(path, { status });
  const page = await (await fetch(`${petstore.url}/adopt/${id}`)).text();
  expect(page).toContain('/adopt/alerts?species=dog');
});
