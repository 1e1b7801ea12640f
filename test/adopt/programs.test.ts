import { beforeAll, describe, expect, test } from 'bun:test';
import { forAllTests } from '../support/lifetime.ts';
import { startPetstore } from '../support/start.ts';
import { addListed, WHOLE } from './shelter.ts';

describe('what the public pages have for programs', () => {
  let rex: bigint;

  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(petstore.url + path, { headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  const petstore = forAllTests(() => startPetstore());
  beforeAll(async () => {
    rex = await addListed(petstore, 'Rex & <Co>', WHOLE, 1);
    await addListed(petstore, 'Zoë', { species: 'cat' });
  });

  test('animals.json is what listListings returns, for every origin', async () => {
    const open = await get('/adopt/animals.json?sort=name&limit=1', {
      origin: 'https://a.example',
    });
    expect(open.headers.get('access-control-allow-origin')).toBe('*');
    const listed = await petstore.reader.get('/v1/listings?sort=name&limit=1');
    expect(JSON.parse(open.text)).toEqual(JSON.parse(listed.text));
    const [animal] = JSON.parse(open.text);
    expect(animal.url).toBe(`${petstore.url}/adopt/${rex}/rex-co`);
    expect((await get(new URL(animal.url).pathname)).status).toBe(200);
    const next = /<([^>]*)>; rel="next"/.exec(open.headers.get('link') ?? '')?.[1] ?? '';
    expect(next).toStartWith(`${petstore.url}/adopt/animals.json?`);
    expect((await get(next.replace(petstore.url, ''))).text).toContain('Zoë');
    const wrong = await get('/adopt/animals.json?species=unicorn');
    expect(wrong.headers.get('access-control-allow-origin')).toBe('*');
    expect([wrong.status, JSON.parse(wrong.text).code]).toEqual([400, 'invalid_parameter']);
  });

  test('a feed has the animals of one search, with addresses that stay', async () => {
    const { text, headers } = await get('/adopt/feed.xml?species=dog');
    expect(headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
    expect(text).toMatch(
      new RegExp(`<id>tag:127\\.0\\.0\\.1,\\d{4}-\\d\\d-\\d\\d:adopt/${rex}</id>`),
    );
    expect(text).toContain('<title>Rex &amp; &lt;Co&gt;</title>');
    expect(text).not.toContain('Zoë');
  });

  test('the sitemap has every address, and robots find it', async () => {
    const { text } = await get('/adopt/sitemap.xml');
    for (const path of ['/adopt', `/adopt/${rex}/rex-co`]) {
      expect(text).toContain(`<loc>${petstore.url}${path}</loc>`);
    }
    expect((await get('/adopt/sitemap-1.xml')).text).toBe(text);
    expect((await get('/adopt/sitemap-2.xml')).status).toBe(404);
    const withQuery = await petstore.anonymous.get('/adopt/sitemap-1.xml?b=1');
    expect(withQuery.status).toBe(301);
    expect(withQuery.headers.get('location')).toBe('/adopt/sitemap-1.xml');
    expect((await get('/robots.txt')).text).toContain(`Sitemap: ${petstore.url}/adopt/sitemap.xml`);
  });

  test('the widget is small, and files are kept for ever', async () => {
    const { text, headers } = await get('/adopt/embed.js');
    expect(Bun.gzipSync(text).length).toBeLessThan(8_192);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    const page = await get('/adopt');
    const styles = /rel="stylesheet" href="([^"]*)"/.exec(page.text)?.[1] ?? '';
    expect((await get(styles)).headers.get('cache-control')).toContain('immutable');
    const older = styles.replace(/[0-9a-f]{16}/, '0'.repeat(16));
    expect((await get(older)).headers.get('cache-control')).toBe('no-cache');
  });

  test('an address may see 300 pages a minute, apart from its requests to the interface', async () => {
    petstore.clock.advance(60_000);
    for (let n = 0; n < 300; n++) expect((await get('/adopt/nowhere')).status).toBe(404);
    const refused = await get('/adopt');
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect(refused.text).toContain('very fast');
    expect((await get('/adopt/embed.js')).status).toBe(200);
    expect((await get('/v1/pets')).status).toBe(401);
    petstore.clock.advance(60_000);
    expect((await get('/adopt')).status).toBe(200);
  });

  test('nothing is there where the pages are turned off', async () => {
    await using off = await startPetstore({ settings: { PETSTORE_ADOPT: 'off' } });
    for (const path of ['/adopt', '/adopt/animals.json', '/adopt/embed.js', '/robots.txt']) {
      expect([path, (await fetch(off.url + path)).status]).toEqual([path, 404]);
    }
    expect(await (await fetch(off.url)).text()).not.toContain('href="/adopt"');
  });
});
