/** The client as the service hands it out. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { handedOut } from '../../packages/client/generate/package.ts';
import { version } from '../../packages/client/package.json';
import { forAllTests } from '../support/lifetime.ts';
import { startPetstore } from '../support/start.ts';

const HANDED_OUT = join(import.meta.dir, '../../src/site/client');
const TARBALL = `/client/petstore-client-${version}.tgz`;
const VERSIONED = `/client/petstore-client-${version}.js`;
const MODULE = '/client/petstore-client.js';
/** Compiling takes long while other tests run. */
const PATIENCE_MS = 60_000;

const committed = (name: string) => Bun.file(join(HANDED_OUT, name)).bytes();

const petstore = forAllTests(() => startPetstore());

const get = (path: string, init?: RequestInit) => fetch(petstore.url + path, init);

test(
  'the committed files are made from the sources: npm run openapi',
  async () => {
    const made = await handedOut();
    // `test/client/python.test.ts` looks at the wheel.
    const names = [...made.keys(), 'petstore-client.whl'].sort();
    expect(names).toEqual([...new Bun.Glob('*').scanSync(HANDED_OUT)].sort());
    // Only what is inside: compressed bytes may differ between processors.
    const plain = (name: string, bytes: Uint8Array) =>
      name.endsWith('gz') ? Bun.gunzipSync(Uint8Array.from(bytes)) : bytes;
    for (const [name, bytes] of made) {
      const now = Buffer.from(plain(name, bytes));
      expect([name, now.equals(plain(name, await committed(name)))]).toEqual([name, true]);
    }
  },
  PATIENCE_MS,
);

describe('the package', () => {
  test('has the name of its version and stays the same bytes', async () => {
    const response = await get(TARBALL, { headers: { 'accept-encoding': 'gzip' } });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/gzip',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    expect(response.headers.get('content-encoding')).toBeNull();
    const bytes = await response.bytes();
    expect(bytes).toEqual(await committed('petstore-client.tgz'));
    const facts = (await new Bun.Archive(bytes).files()).get('package/package.json');
    expect(JSON.parse((await facts?.text()) ?? '')).toMatchObject({
      name: 'petstore-client',
      version,
    });
    const head = await get(TARBALL, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(`${bytes.length}`);
  });

  test('of another version is not there', async () => {
    expect((await get('/client/petstore-client-0.0.1.tgz')).status).toBe(404);
  });
});

describe('the module', () => {
  test.each([MODULE, VERSIONED])('%s can be imported by pages of any origin', async (path) => {
    const response = await get(path, { headers: { origin: 'https://elsewhere.example' } });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      'content-encoding': 'gzip',
    });
    expect(await response.bytes()).toEqual(await committed('petstore-client.js'));
  });

  test('is asked for again after minutes, and its version never', async () => {
    const cacheOf = async (path: string) => (await get(path)).headers.get('cache-control');
    expect(await cacheOf(MODULE)).toBe('public, max-age=300');
    expect(await cacheOf(VERSIONED)).toBe('public, max-age=31536000, immutable');
    const etag = (await get(MODULE)).headers.get('etag') ?? '';
    const again = await get(MODULE, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  test('exports what the package exports', async () => {
    const module: object = await import(join(HANDED_OUT, 'petstore-client.js'));
    const source: object = await import('../../packages/client/src/index.ts');
    expect(Object.keys(module).sort()).toEqual(Object.keys(source).sort());
  });
});
