import { beforeAll, describe, expect, test } from 'bun:test';
import { forAllTests } from '../support/lifetime.ts';
import { startPetstore } from '../support/start.ts';

/* Whatever is refused where people look: they get a page in their language, with the telephone number. */

const TELEPHONE = '+49 30 123456';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const petstore = forAllTests(() => startPetstore({ settings: { PETSTORE_ADOPT: 'on' } }));
beforeAll(async () => {
  await petstore.admin.patch('/v1/shop', { name: 'Haven', telephone: TELEPHONE });
  const { writer } = petstore;
  await writer.post('/v1/pets', { name: 'Rex', categoryId: 1 });
  await writer.patch('/v1/pets/1/profile', { species: 'dog', published: true });
});

const BROWSER = { accept: 'text/html,*/*;q=0.8', 'accept-language': 'de-AT,de;q=0.9' };
const ask = (path: string, init: RequestInit = {}) =>
  fetch(petstore.url + path, {
    redirect: 'manual',
    ...init,
    headers: { ...BROWSER, ...(init.headers as Record<string, string>) },
  });

async function expectPage(response: Response, status: number): Promise<void> {
  const text = await response.text();
  expect([response.status, response.headers.get('content-type')]).toEqual([
    status,
    'text/html; charset=utf-8',
  ]);
  expect(text).toContain('<html lang="de"');
  expect(text).toContain(TELEPHONE);
  expect(response.headers.get('cache-control')).toBe('private, no-store');
  expect(response.headers.get('x-request-id')).toBeString();
}

const CASES: readonly (readonly [number, string, RequestInit?])[] = [
  ...['/adopt', '/adopt/1/rex', '/console', '/console/pets', '/docs', '/docs/limits', '/'].flatMap(
    (path) =>
      [
        [414, `${path}?x=${'y'.repeat(9_000)}`],
        [400, `${path}?x=%FF`],
        [405, path, { method: 'DELETE' }],
        [405, path, { method: 'POST', body: 'x', headers: FORM }],
      ] as const,
  ),
  [400, '/adopt/%C3%28'],
  [400, '/docs/%FF'],
  [413, '/adopt/1/enquiry', { method: 'POST', headers: FORM, body: 'x'.repeat(2_000_000) }],
  [
    415,
    '/adopt/1/enquiry',
    { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' },
  ],
];

describe('a person gets a page', () => {
  test.each(CASES)('of %i for %s', async (...[status, path, init]) => {
    await expectPage(await ask(path, init), status);
  });

  test('in the language that the address names, whatever the browser says of formats', async () => {
    const response = await ask('/adopt?lang=es&x=%41%FF', { headers: { accept: '*/*' } });
    expect([response.status, (await response.text()).includes(TELEPHONE)]).toEqual([400, true]);
  });

  test('after too many requests', async () => {
    petstore.clock.advance(60_000);
    for (let n = 0; n < 300; n++) await (await ask('/adopt')).text();
    await expectPage(await ask('/adopt'), 429);
    petstore.clock.advance(60_000);
  });
});

test.each([
  '/adopt/animals.json?x=%FF',
  '/adopt/feed.xml?x=%FF',
  '/robots.txt?x=%FF',
  '/v1/pets?x=%FF',
])('a program gets JSON at %s', async (path) => {
  const response = await ask(path);
  expect(response.headers.get('content-type')).toBe('application/json');
});

test('a call of the console gets JSON, as it asks for no page', async () => {
  const response = await ask('/console/session', { method: 'POST', headers: { accept: '*/*' } });
  expect(response.headers.get('content-type')).toBe('application/json');
});

test('without public pages there is a plain page', async () => {
  await petstore.restart({ PETSTORE_ADOPT: 'off' });
  await expectPage(await ask('/docs?x=%FF'), 400);
  await petstore.restart();
});

test('when the database fails, what was known of the shop still says where to call', async () => {
  await (await ask('/adopt')).text();
  await petstore.database.destroy();
  petstore.clock.advance(10_000);
  await expectPage(await ask('/adopt?q=anything'), 503);
  await expectPage(await ask('/adopt/1/rex'), 503);
  await expectPage(
    await ask('/adopt/1/enquiry', { method: 'POST', headers: FORM, body: 'name=Kim' }),
    503,
  );
});
