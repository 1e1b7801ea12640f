import { beforeAll, describe, expect, test } from 'bun:test';
import { addAnimal, publish } from '../photos/adding.ts';
import { forAllTests } from '../support/lifetime.ts';
import { startPetstore } from '../support/start.ts';

/* What pages of others make their visitors do, and links that a form has made. */

const ids: bigint[] = [];
const petstore = forAllTests(() => startPetstore({ settings: { PETSTORE_ADOPT: 'on' } }));
beforeAll(async () => {
  for (let n = 0; n < 30; n++) {
    const id = await addAnimal(petstore.writer);
    await publish(petstore.writer, id);
    ids.push(id);
  }
  await petstore.admin.patch('/v1/shop', { name: 'Haven', email: 'a?bcc=x&y=1@haven.example' });
});

describe('a form that another site sends', () => {
  let letters = 0;
  // The same letter twice is one.
  const form = () =>
    new URLSearchParams({
      ...{ name: 'Kim', email: 'kim@example.org', telephone: '' },
      message: `Is he still there? ${++letters}`,
      ...{ consent: 'yes', website: '' },
    });
  async function send(headers: Record<string, string>) {
    const address = `${petstore.url}/adopt/${ids[0]}/enquiry`;
    const page = await (await fetch(address)).text();
    const [, stamp = ''] = /name="stamp" value="([^"]*)"/.exec(page) ?? [];
    petstore.clock.advance(10_000);
    const body = form();
    body.set('stamp', stamp);
    const response = await fetch(address, { method: 'POST', headers, body, redirect: 'manual' });
    return { status: response.status, text: await response.text() };
  }
  const stored = async () => JSON.parse((await petstore.writer.get('/v1/enquiries')).text).length;

  test.each([
    [{ 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    [{ 'sec-fetch-site': 'same-site' }],
    [{ origin: 'https://evil.example' }],
    [{ origin: 'null' }],
  ])('is shown to the visitor and not stored: %j', async (headers) => {
    const before = await stored();
    const { status, text } = await send(headers);
    expect([status, await stored()]).toEqual([403, before]);
    expect(text).toContain('Is he still there?');
  });

  test('is stored when the page itself sends it, also by a browser that says nothing', async () => {
    const before = await stored();
    expect((await send({ 'sec-fetch-site': 'same-origin' })).status).toBe(303);
    expect((await send({ origin: petstore.url })).status).toBe(303);
    expect((await send({})).status).toBe(303);
    expect(await stored()).toBe(before + 3);
  });
});

test.each([
  ['/v1/pets?limit=10', 'sort=id'],
  ['/v1/pets?limit=10', 'total=false'],
  ['/v1/listings?limit=10', 'sort=fair'],
  ['/adopt/animals.json?limit=10', 'sort=fair'],
])('%s goes on with and without %s, which is the default', async (path, given) => {
  for (const [first, second] of [
    [path, `${path}&${given}`],
    [`${path}&${given}`, path],
  ] as const) {
    const { headers } = await petstore.reader.get(first);
    const [, cursor = ''] =
      /[?&](cursor=[^&>]+)[^,]*rel="next"/.exec(headers.get('link') ?? '') ?? [];
    const { status, text } = await petstore.reader.get(`${second}&${cursor}`);
    expect([status, cursor], text).toEqual([200, expect.stringMatching(/^cursor=./)]);
  }
});

test('the next page of a list leads on from the form that was sent', async () => {
  const page = await (await fetch(`${petstore.url}/adopt?q=&species=dog&sort=fair`)).text();
  const [, next = ''] = /href="([^"]*cursor=[^"]*)"/.exec(page) ?? [];
  const address = new URL(next.replaceAll('&amp;', '&'), petstore.url);
  const shown = await fetch(petstore.url + address.pathname + address.search);
  expect([next === '', shown.status]).toEqual([false, 200]);
});

test('an address of a mail holds no headers', async () => {
  const page = await (await fetch(`${petstore.url}/adopt`)).text();
  expect(page).toContain('href="mailto:a%3Fbcc%3Dx%26y%3D1@haven.example"');
});
