import { describe, expect, test } from 'bun:test';
import { BUNDLE_PATH } from '../../src/web/reference.ts';
import { startPetstore } from '../start.ts';

/** SHA-256 of dist/browser/standalone.js of @scalar/api-reference 1.72.1, as published. */
const BUNDLE_SHA256 = 'bf091006bdc3af6067af77c2f534812e3e633e94a94e87138069f570f33b762c';

async function ask(url: string, headers: Record<string, string>, method = 'GET') {
  return fetch(url, { method, headers, decompress: false });
}

describe('pages and assets on the wire', () => {
  test('the bundle is what was published, compressed for those who take that', async () => {
    await using petstore = await startPetstore();
    const url = petstore.url + BUNDLE_PATH;
    const sha256 = (bytes: Uint8Array) =>
      new Bun.CryptoHasher('sha256').update(bytes).digest('hex');

    const compressed = await ask(url, { 'accept-encoding': 'br, gzip' });
    expect(compressed.headers.get('content-encoding')).toBe('gzip');
    expect(compressed.headers.get('vary')).toBe('Accept-Encoding');
    expect(compressed.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(compressed.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    const bytes = new Uint8Array(await compressed.arrayBuffer());
    expect(sha256(Bun.gunzipSync(bytes))).toBe(BUNDLE_SHA256);

    for (const encoding of ['identity', 'gzip;q=0', 'br']) {
      const plain = await ask(url, { 'accept-encoding': encoding });
      expect(plain.headers.get('content-encoding')).toBeNull();
      expect(sha256(new Uint8Array(await plain.arrayBuffer()))).toBe(BUNDLE_SHA256);
    }
    const head = await ask(url, { 'accept-encoding': 'gzip' }, 'HEAD');
    expect(head.headers.get('content-length')).toBe(String(bytes.length));
  });

  test('a page that has not changed is not sent again', async () => {
    await using petstore = await startPetstore();
    const url = `${petstore.url}/docs/limits`;
    const first = await ask(url, {});
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[0-9a-f]{16}"$/);
    const again = await ask(url, { 'if-none-match': etag });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect(again.headers.get('etag')).toBe(etag);
    expect((await ask(url, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  test('what the pages are made of has other paths than anything else', async () => {
    await using petstore = await startPetstore();
    const page = await (await ask(`${petstore.url}/docs`, {})).text();
    const [stylesheet = ''] = /\/docs\/assets\/[0-9a-f]{16}\/page\.css/.exec(page) ?? [];
    const answer = await ask(petstore.url + stylesheet, {});
    expect(answer.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(answer.headers.get('cache-control')).toContain('immutable');
    expect((await ask(`${petstore.url}/docs/assets/`, {})).status).toBe(404);
  });
});
