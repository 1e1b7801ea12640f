import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { startPetstore, type TestPetstore } from '../support/start.ts';

const PAGES = [
  '/console/year',
  '/console',
  '/console/animals/12',
  ...[
    'animals',
    'adoptions',
    'categories',
    'import',
    'activity',
    'keys',
    'webhooks',
    'channels',
  ].map((name) => `/console/${name}`),
  ...['/console/people', '/console/account', '/console/enquiries', '/console/shop'],
];
const KB = 1_000;

describe('the console on the wire', () => {
  let petstore: TestPetstore;
  beforeAll(async () => {
    petstore = await startPetstore();
  });
  afterAll(() => petstore?.[Symbol.asyncDispose]());

  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(petstore.url + path, { method, headers, decompress: false });
  const pathsIn = async (path: string) =>
    [...(await (await ask(path)).text()).matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(
      ([, asset = '']) => asset,
    );
  const gzipped = async (path: string) =>
    (await (await ask(path, { 'accept-encoding': 'gzip' })).bytes()).length;

  test('nothing is built before the first visit, and once for all visits', async () => {
    await using fresh = await startPetstore();
    using build = spyOn(Bun, 'build');
    await fresh.reader.get('/v1/pets');
    await fresh.anonymous.get('/docs');
    await fresh.anonymous.get('/consoles');
    expect(build).toHaveBeenCalledTimes(0);
    const visits = await Promise.all(PAGES.map((path) => fresh.anonymous.get(path)));
    await fresh.anonymous.get('/console');
    expect(visits.map(({ status }) => status)).toEqual(PAGES.map(() => 200));
    expect(build).toHaveBeenCalledTimes(1);
  });

  test('a build that fails is tried again at the next visit', async () => {
    await using fresh = await startPetstore();
    using build = spyOn(Bun, 'build');
    build.mockRejectedValueOnce(new Error('no memory'));
    expect((await fresh.anonymous.get('/console')).status).toBe(500);
    expect((await fresh.anonymous.get('/console')).status).toBe(200);
  });

  test.each(PAGES)('%s is a page with a strict policy', async (path) => {
    const { status, headers } = await ask(path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect((headers.get('content-security-policy') ?? '').split('; ').sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self'",
      "script-src 'self'",
      "style-src 'self'",
    ]);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    const again = await ask(path, { 'if-none-match': headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
  });

  test('in a browser, what is not found is a page that says so', async () => {
    const visit = await ask('/console/xyz', { accept: 'text/html,*/*;q=0.8' });
    expect(visit.status).toBe(404);
    expect(visit.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(visit.headers.get('vary')).toContain('accept');
    expect(await visit.text()).toContain('/main.js');
    const guide = await ask('/docs/xyz', { accept: 'text/html' });
    expect([guide.status, guide.headers.get('vary')]).toEqual([404, 'accept']);
    expect(await guide.text()).toContain('<h1>Page not found</h1>');
    expect((await ask('/missing', { accept: 'text/html' })).status).toBe(404);
    const posted = await ask('/console/xyz', { accept: 'text/html' }, 'POST');
    expect(posted.status).toBe(405);
  });

  test('everything else is not found, and pages are only read', async () => {
    const [asset = ''] = await pathsIn('/console');
    const stale = asset.replace(/[0-9a-f]{16}/, '0000000000000000');
    for (const path of ['/console/', '/console/pets', '/console/assets', '/console/x/y', stale]) {
      const response = await ask(path);
      expect([path, response.status]).toEqual([path, 404]);
      expect(await response.json()).toMatchObject({ code: 'route_not_found' });
    }
    const posted = await ask('/console', {}, 'POST');
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('assets are immutable, and sent in the best form that the browser accepts', async () => {
    const assets = await pathsIn('/console');
    expect(assets.map((path) => path.replace(/^.*\./, '')).sort()).toEqual(['css', 'js', 'svg']);
    for (const path of assets) {
      const plain = await ask(path, { 'accept-encoding': 'identity' });
      expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(plain.headers.get('content-encoding')).toBeNull();
      const text = Buffer.from(await plain.bytes());
      const forms = [plain.headers.get('etag')];
      for (const [accepted, coding, inflate] of [
        ['gzip, deflate, br', 'br', brotliDecompressSync],
        ['gzip, br;q=0', 'gzip', gunzipSync],
        ['br;q=0, *', 'gzip', gunzipSync],
      ] as const) {
        const coded = await ask(path, { 'accept-encoding': accepted });
        expect(coded.headers.get('content-encoding')).toBe(coding);
        expect(coded.headers.get('vary')).toBe('Accept-Encoding');
        const bytes = await coded.bytes();
        expect(Buffer.from(inflate(bytes)).equals(text)).toBe(true);
        const etag = coded.headers.get('etag') ?? '';
        forms.push(etag);

        const head = await ask(path, { 'accept-encoding': accepted }, 'HEAD');
        expect(head.headers.get('content-length')).toBe(String(bytes.length));
        const again = await ask(path, { 'accept-encoding': accepted, 'if-none-match': etag });
        expect([again.status, again.headers.get('etag')]).toEqual([304, etag]);
      }
      // A cache must not take one form for another.
      expect(new Set(forms).size).toBe(3);
    }
  });

  test('the script is small: the first page under 80 kB gzipped, all of it under 225 kB', async () => {
    const main = (await pathsIn('/console')).find((path) => path.endsWith('.js')) ?? '';
    const folder = main.slice(0, main.lastIndexOf('/'));
    const sizes = new Map<string, number>();
    const texts = new Map<string, string>();
    const pages: string[][] = [];

    /** Returns the script at a path with all that it imports at once. */
    async function closure(path: string, seen = new Set<string>()): Promise<Set<string>> {
      if (seen.has(path)) return seen;
      seen.add(path);
      const text = await (await ask(path)).text();
      texts.set(path, text);
      sizes.set(path, await gzipped(path));
      for (const [, name] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) {
        await closure(`${folder}/${name}`, seen);
      }
      for (const [, name] of text.matchAll(/import\(\s*"\.\/([^"]+\.js)"/g)) {
        if (!sizes.has(`${folder}/${name}`)) pages.push([...(await closure(`${folder}/${name}`))]);
      }
      return seen;
    }

    const first = await closure(main);
    const sum = (paths: Iterable<string>) =>
      [...paths].reduce((total, path) => total + (sizes.get(path) ?? 0), 0);
    // What reads files to import, and knows their columns, is loaded with the first file; German, by its readers.
    expect(pages.length).toBe(PAGES.length + 3);
    const opened = pages.map((page) => sum(new Set([...first, ...page])));
    // What reads files has the words of many systems, and finds encodings. Few people need it, with their first file.
    const [readers = 0, next = 0] = opened.sort((one, other) => other - one);
    expect(next).toBeLessThan(80 * KB);
    expect(readers).toBeLessThan(140 * KB);
    // Nobody loads German and reads English.
    const translated = [...sizes.keys()].filter((path) => texts.get(path)?.includes('Abbrechen'));
    expect(translated).toHaveLength(1);
    expect(sum(sizes.keys()) - sum(translated)).toBeLessThan(225 * KB);
  });
});
