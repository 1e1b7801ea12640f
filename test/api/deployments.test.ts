import { describe, expect, test } from 'bun:test';
import { linksOf } from '../support/animals.ts';
import { expectError } from '../support/expect-error.ts';
import { startPetstore } from '../support/start.ts';

const PRODUCTION_URL = 'https://petstore.example/v1';
const STAGING_URL = 'https://staging.example/v1';
const SETTINGS = { PETSTORE_BASE_URL: PRODUCTION_URL, PETSTORE_STAGING_BASE_URL: STAGING_URL };

describe.each([
  ['production', 'staging', 'petstore_live_', PRODUCTION_URL, 'https://petstore.example'],
  ['staging', 'production', 'petstore_test_', STAGING_URL, 'https://staging.example'],
] as const)('%s', (environment, other, prefix, baseUrl, root) => {
  test(`accepts its own keys and refuses those of ${other}, even if they are stored`, async () => {
    await using petstore = await startPetstore({ environment });
    const own = await petstore.keyWith({});
    expect(own.text).toStartWith(prefix);
    expect((await own.client.get('/v1/pets')).status).toBe(200);
    const foreign = await petstore.keyWith({ environment: other });
    const message = expectError(await foreign.client.get('/v1/pets'), 'invalid_api_key');
    expect(message).toContain(`${environment} deployment`);
  });

  test('builds every absolute address from its own base address, never from Host', async () => {
    await using petstore = await startPetstore({ environment, settings: SETTINGS });
    const headers = { host: 'attacker.example', 'content-type': 'application/json' };
    const body = '{"name":"Rex","categoryId":1}';
    const created = await petstore.writer.send('POST', '/v1/pets', { headers, body });
    expect(created.status).toBe(201);
    expect(created.headers.get('location')).toBe(`${baseUrl}/pets/1`);
    await petstore.writer.send('POST', '/v1/pets', { headers, body });

    const list = await petstore.reader.get('/v1/pets?limit=1&status=available', headers);
    const links = linksOf(list);
    expect(links.get('first')).toBe(`${baseUrl}/pets?status=available&limit=1`);
    expect(links.get('next')).toStartWith(`${baseUrl}/pets?status=available&limit=1&cursor=`);

    const got = linksOf(await petstore.reader.get('/v1/pets/1', headers));
    expect(got.get('successor-version')).toBe(`${baseUrl}/pets`);
    expect(got.get('deprecation')).toBe(`${root}/docs/deprecations`);
    expect(JSON.stringify([...links, ...got])).not.toContain('attacker');
    expect(petstore.baseUrl).toBe(baseUrl);
  });

  test('builds them from the bound address if none is set', async () => {
    await using petstore = await startPetstore({ environment });
    const headers = { host: 'attacker.example' };
    const { headers: got } = await petstore.reader.get('/v1/pets', headers);
    expect(petstore.baseUrl).toBe(`http://127.0.0.1:${petstore.port}/v1`);
    expect(got.get('link')).toBe(`<${petstore.baseUrl}/pets>; rel="first"`);
  });

  test('serves the same paths', async () => {
    await using petstore = await startPetstore({ environment });
    expect((await petstore.writer.post('/v1/pets', { name: 'A', categoryId: 1 })).status).toBe(201);
    expect((await petstore.reader.get('/v1/pets')).status).toBe(200);
    expect((await petstore.reader.get('/v1/pets/1')).status).toBe(200);
  });
});

test('an IPv6 address is written in brackets', async () => {
  await using petstore = await startPetstore({ settings: { PETSTORE_HOST: '::1' } });
  expect(petstore.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
  expect((await petstore.reader.get('/v1/pets')).status).toBe(200);
});
