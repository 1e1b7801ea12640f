import { describe, expect, spyOn, test } from 'bun:test';
import { representationFor } from '../../src/http/representation.ts';
import { BUNDLE_PATH } from '../../src/site/reference.ts';
import { startPetstore } from '../support/start.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

/** SHA-256 of dist/browser/standalone.js of @scalar/api-reference 1.72.1, as published. */
const BUNDLE_SHA256 = 'bf091006bdc3af6067af77c2f534812e3e633e94a94e87138069f570f33b762c';

const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex');

async function ask(url: string, headers: Record<string, string>, method = 'GET') {
  return fetch(url, { method, headers, decompress: false });
}

describe('pages and assets on the wire', () => {
  test('the bundle is as published, compressed for clients that accept it', async () => {
    await using petstore = await startPetstore();
    const url = petstore.url + BUNDLE_PATH;

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

  test('the bundle is inflated once for all clients without gzip, and not for HEAD', async () => {
    await using petstore = await startPetstore();
    const url = petstore.url + BUNDLE_PATH;
    using inflate = spyOn(ReadableStream.prototype, 'pipeThrough');
    const plain = { 'accept-encoding': 'identity' };
    const head = await ask(url, plain, 'HEAD');
    expect(inflate).toHaveBeenCalledTimes(0);

    const responses = await Promise.all(Array.from({ length: 8 }, () => ask(url, plain)));
    responses.push(await ask(url, plain));
    for (const response of responses) {
      const bytes = new Uint8Array(await response.arrayBuffer());
      expect(sha256(bytes)).toBe(BUNDLE_SHA256);
      expect(head.headers.get('content-length')).toBe(String(bytes.length));
      expect(response.headers.get('vary')).toBe('Accept-Encoding');
    }
    // The runtime sends no Date in a response to HEAD.
    const names = [...(responses[0]?.headers.keys() ?? [])].filter((name) => name !== 'date');
    expect([...head.headers.keys()]).toEqual(names);
    expect(inflate).toHaveBeenCalledTimes(1);
  });

  test('an unchanged page is not sent again', async () => {
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

  test('assets of the pages have paths of their own', async () => {
    await using petstore = await startPetstore();
    const page = await (await ask(`${petstore.url}/docs`, {})).text();
    const [stylesheet = ''] = /\/docs\/assets\/[0-9a-f]{16}\/page\.css/.exec(page) ?? [];
    const response = await ask(petstore.url + stylesheet, {});
    expect(response.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(response.headers.get('cache-control')).toContain('immutable');
    expect((await ask(`${petstore.url}/docs/assets/`, {})).status).toBe(404);
  });
});

test('after a failed read, the next request reads the file again', async () => {
  using folder = createTemporaryFolder();
  const path = folder.file('text.gz');
  const response = { status: 200, body: Bun.file(path), headers: { 'content-encoding': 'gzip' } };
  const plain = async () => representationFor(response, 'GET', new Headers());
  await expect(plain()).rejects.toThrow('ENOENT');
  await Bun.write(path, Bun.gzipSync('text'));
  expect(await (await plain()).body).toBeInstanceOf(Blob);
  expect(await new Response((await plain()).body).text()).toBe('text');
});
