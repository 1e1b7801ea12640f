import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { parse } from 'yaml';
import { startPetstore, type TestPetstore } from '../support/start.ts';

let petstore: TestPetstore;

beforeAll(async () => {
  petstore = await startPetstore();
});
afterAll(() => petstore[Symbol.asyncDispose]());

describe.each([
  ['/openapi.json', 'application/json', '3.1.0'],
  ['/openapi-3.0.json', 'application/json', '3.0.3'],
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

  test('has a length for HEAD', async () => {
    const got = await petstore.anonymous.get(path);
    const head = await petstore.anonymous.head(path);
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(got.text)));
  });
});
