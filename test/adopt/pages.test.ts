import { beforeAll, describe, expect, test } from 'bun:test';
import { DAY_MS } from '../../src/domain/clock.ts';
import { idOf } from '../support/animals.ts';
import { forAllTests } from '../support/lifetime.ts';
import { startPetstore } from '../support/start.ts';

const PAGE = /^text\/html; charset=utf-8$/;

describe('the public pages', () => {
  let rex: bigint;
  let zoe: bigint;
  let hidden: bigint;

  async function add(name: string, profile: object): Promise<bigint> {
    const { writer } = petstore;
    const id = idOf(await writer.post('/v1/pets', { name, categoryId: 1, status: 'available' }));
    const known = { published: true, ...profile };
    expect((await writer.patch(`/v1/pets/${id}/profile`, known)).status).toBe(200);
    return id;
  }
  const visit = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const response = await fetch(petstore.url + path, { method, headers, redirect: 'manual' });
    return { response, status: response.status, text: await response.text() };
  };

  const petstore = forAllTests(() => startPetstore());
  beforeAll(async () => {
    rex = await add('Rex', { species: 'dog', sex: 'male', ageGroup: 'adult', breed: 'Boxer' });
    zoe = await add('Zoë', { species: 'cat', headline: 'Calm', inCareSince: '2020-01-01' });
    hidden = await add('Nobody', { published: false, species: 'cat' });
  });

  test('have a list with filters, counts and every animal that is listed', async () => {
    const { response, status, text } = await visit('/adopt');
    expect(status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(PAGE);
    expect(text).toContain(`href="/adopt/${rex}/rex"`);
    expect(text).toContain(`href="/adopt/${zoe}/zoe"`);
    expect(text).not.toContain('Nobody');
    const cats = await visit('/adopt?species=cat&q=&sort=fair&utm_source=x');
    expect(cats.text).toContain('Zoë');
    expect(cats.text).not.toContain(`/adopt/${rex}/rex`);
    expect(cats.text).toContain('Dogs <small>1</small>');
    expect((await visit('/adopt?q=nothing-like-this')).text).toContain('No animal fits');
  });

  test('say that a filter is wrong, and lead on', async () => {
    const { status, text } = await visit('/adopt?species=unicorn');
    expect(status).toBe(400);
    expect(text).toContain('This search cannot be shown');
    expect(text).toContain('href="/adopt"');
  });

  test('have one address for each animal', async () => {
    const { status, text } = await visit(`/adopt/${zoe}/zoe`);
    expect(status).toBe(200);
    expect(text).toContain('<h1>Zoë</h1>');
    expect(text).toContain('Not known yet: Sex, Age, Size.');
    for (const path of [`/adopt/${zoe}`, `/adopt/${zoe}/wrong`, `/adopt/${zoe}/`]) {
      const moved = await visit(`${path}?lang=de`);
      expect([moved.status, moved.response.headers.get('location')]).toEqual([
        301,
        `/adopt/${zoe}/zoe?lang=de`,
      ]);
    }
    expect((await visit('/adopt/')).status).toBe(301);
  });

  test.each(['/adopt/999999/rex', '/adopt/99999999999999999999', '/adopt/nowhere'])(
    '%s is a page that leads on',
    async (path) => {
      const { status, text } = await visit(path);
      expect(status).toBe(404);
      expect(text).toContain('name="robots" content="noindex, follow"');
      expect(text).toContain('href="/adopt"');
    },
  );

  test('do not tell a hidden animal from none', async () => {
    const unlisted = await visit(`/adopt/${hidden}/nobody`);
    const unknown = await visit('/adopt/999999/nobody');
    expect([unlisted.status, unlisted.text]).toEqual([404, unknown.text]);
  });

  test('speak the language of the reader, or the one that the address names', async () => {
    const german = await visit('/adopt', { 'accept-language': 'fr, en;q=0.3, de-CH;q=0.8' });
    expect(german.text).toContain('<html lang="de">');
    expect(german.response.headers.get('vary')).toContain('Accept-Language');
    const again = await visit('/adopt', { 'accept-language': 'en' });
    expect(again.text).toContain('<html lang="en">');
    expect((await visit('/adopt?lang=de')).text).toContain(`/adopt/${rex}/rex?lang=de`);
    expect((await visit('/adopt', { 'accept-language': 'fr' })).text).toContain('lang="en"');
    const spanish = (await visit('/adopt', { 'accept-language': 'es-MX, en;q=0.5' })).text;
    expect(spanish).toContain('<html lang="es">');
    expect(spanish).toContain('Buscan un hogar');
  });

  test('say goodbye for 90 days, and then that the animal is gone', async () => {
    const id = await add('Luna', { species: 'cat' });
    const { writer, clock } = petstore;
    await writer.patch(`/v1/pets/${id}`, { status: 'pending' });
    expect((await visit(`/adopt/${id}/luna`)).text).toContain('Reserved');
    await writer.patch(`/v1/pets/${id}`, { status: 'sold' });
    const goodbye = await visit(`/adopt/${id}/luna`);
    expect(goodbye.status).toBe(200);
    expect(goodbye.text).toContain('Luna has found a home');
    expect(goodbye.text).toContain('content="noindex, follow"');
    expect(goodbye.text).toContain('Zoë');
    clock.advance(91 * DAY_MS);
    expect((await visit(`/adopt/${id}/luna`)).status).toBe(410);
    const other = await visit(`/adopt/${id}/luna`, { 'accept-language': 'de' });
    expect(other.text).toContain('nicht mehr bei uns');
    await writer.patch(`/v1/pets/${id}`, { status: 'available' });
    expect((await visit(`/adopt/${id}/luna`)).text).toContain('<h1>Luna</h1>');
  });

  test('are never stale, and cost a 304 to who has them', async () => {
    const before = await visit('/adopt?sort=name');
    await visit('/adopt?sort=name');
    const etag = before.response.headers.get('etag') ?? '';
    expect((await visit('/adopt?sort=name', { 'if-none-match': etag })).status).toBe(304);
    await petstore.writer.patch(`/v1/pets/${rex}`, { name: 'Rexy' });
    const after = await visit('/adopt?sort=name', { 'if-none-match': etag });
    expect(after.status).toBe(200);
    expect(after.text).toContain('Rexy');
    await petstore.admin.patch('/v1/shop', { name: 'Home & <Hope>' });
    expect((await visit('/adopt?sort=name')).text).toContain('Home &amp; &lt;Hope&gt;');
  });

  test('tell an age no more exactly than it is known', async () => {
    const now = new Date(petstore.clock.now());
    const monthsAgo = (n: number) =>
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - n, 1)).toISOString().slice(0, 10);
    const says = async (birthDate: string, birthDatePrecision: string, language = 'en') => {
      const id = await add('Tim', { species: 'cat', birthDate, birthDatePrecision });
      return (await visit(`/adopt/${id}/tim?lang=${language}`)).text;
    };
    expect(await says(monthsAgo(9), 'month')).toContain('about 9 months');
    expect(await says(monthsAgo(9), 'day')).toContain('<dd>9 months</dd>');
    expect(await says(monthsAgo(20), 'year')).toContain('about 1 year<');
    expect(await says(monthsAgo(5), 'year')).toContain('<dd>under a year</dd>');
    expect(await says(monthsAgo(5), 'year', 'de')).toContain('<dd>unter einem Jahr</dd>');
    expect(await says(monthsAgo(0), 'month')).toContain('<dd>under a month</dd>');
  });

  test('say what a feed is for', async () => {
    const english = (await visit('/adopt?lang=en')).text;
    expect(english).toMatch(/feed\.xml(\?lang=en)?">Subscribe to this search in a news reader</);
    expect(english).toMatch(/feed\.xml(\?lang=en)?">Feed for news readers</);
    const german = (await visit('/adopt?lang=de')).text;
    expect(german).toMatch(/feed\.xml\?lang=de">Diese Suche im Newsreader abonnieren</);
    expect(german).toMatch(/feed\.xml\?lang=de">Feed für Newsreader</);
  });

  test('can be read but not changed', async () => {
    const head = await visit('/adopt', {}, 'HEAD');
    expect([head.status, head.text]).toEqual([200, '']);
    const post = await visit('/adopt', {}, 'POST');
    expect([post.status, post.response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('have a card to print with a code', async () => {
    const { status, text } = await visit(`/adopt/${zoe}/card`);
    expect(status).toBe(200);
    expect(text).toContain('<svg xmlns="http://www.w3.org/2000/svg"');
    expect(text).toContain(`${petstore.url}/adopt/${zoe}/zoe`);
  });
});
