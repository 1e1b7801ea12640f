import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { forAllTests } from '../support/lifetime.ts';
import { startPetstore } from '../support/start.ts';

// The first request for a document renders it, and the machine may be busy.
setDefaultTimeout(60_000);

const petstore = forAllTests(() => startPetstore());

const DECODED: Record<string, (bytes: Buffer) => string> = {
  identity: String,
  gzip: (bytes) => gunzipSync(bytes).toString(),
  br: (bytes) => brotliDecompressSync(bytes).toString(),
};
const ENDINGS: Record<string, RegExp> = {
  identity: /^"[0-9a-f]{16}"$/,
  gzip: /^"[0-9a-f]{16}-gzip"$/,
  br: /^"[0-9a-f]{16}-br"$/,
};

describe.each([
  ['/openapi.json', 'application/json', '3.1.0'],
  ['/openapi-3.0.json', 'application/json', '3.0.3'],
  ['/openapi-small.json', 'application/json', '3.1.0'],
  ['/openapi.yaml', 'application/yaml', '3.1.0'],
])('%s', (path, type, version) => {
  test('is served without a key, with the address that is bound', async () => {
    const response = await petstore.anonymous.get(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    const document = path.endsWith('.yaml') ? parse(response.text) : JSON.parse(response.text);
    expect(document.openapi).toBe(version);
    expect(document.info.version).toBe('1.0.0');
    expect(document.servers[0].url).toBe(petstore.baseUrl);
    expect((await petstore.anonymous.get(path)).text).toBe(response.text);
  });

  test.each(['identity', 'gzip', 'br'])(
    'in %s has a length and a tag of its own',
    async (coding) => {
      const ask = (method: string, headers = {}) =>
        fetch(petstore.url + path, {
          method,
          headers: { 'accept-encoding': coding, ...headers },
          decompress: false,
        });
      const got = await ask('GET');
      expect(got.headers.get('content-encoding')).toBe(coding === 'identity' ? null : coding);
      expect(got.headers.get('vary')).toBe('Accept-Encoding');
      const bytes = Buffer.from(await got.arrayBuffer());
      expect(DECODED[coding]?.(bytes)).toBe((await petstore.anonymous.get(path)).text);

      const head = await ask('HEAD');
      expect(head.headers.get('content-length')).toBe(String(bytes.length));
      const etag = head.headers.get('etag') ?? '';
      expect(etag).toMatch(ENDINGS[coding] ?? /^$/);
      const again = await ask('GET', { 'if-none-match': etag });
      expect([again.status, again.headers.get('vary')]).toEqual([304, 'Accept-Encoding']);
      expect((await ask('GET', { 'if-none-match': '"other"' })).status).toBe(200);
    },
  );
});
