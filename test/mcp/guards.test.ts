import { describe, expect, test } from 'bun:test';
import { expectError } from '../support/expect-error.ts';
import { forEachTest } from '../support/lifetime.ts';
import { startPetstore } from '../support/start.ts';
import { connect, HEADERS, message } from './connect.ts';

const petstore = forEachTest(() => startPetstore());

const LIST = message('tools/list');

async function send(headers: Record<string, string> = {}, body: string | Uint8Array = LIST) {
  return await petstore.anonymous.send('POST', '/mcp', {
    headers: { ...HEADERS, ...headers },
    body,
  });
}

describe('POST /mcp', () => {
  test.each(['GET', 'DELETE', 'PUT'])('%s is 405', async (method) => {
    const response = await petstore.anonymous.send(method, '/mcp', {});
    expectError(response, 'method_not_allowed');
    expect(response.headers.get('allow')).toBe('POST');
  });

  test.each([
    ['a key that is none', 'Bearer abc', 'invalid_api_key'],
    ['an unknown key', `Bearer petstore_live_${'a'.repeat(38)}`, 'invalid_api_key'],
    ['another scheme', 'Basic YTpi', 'missing_api_key'],
  ])('%s is 401 with a challenge', async (_, authorization, code) => {
    const response = await send({ authorization });
    expectError(response, code as never);
    expect(response.headers.get('www-authenticate')).toStartWith('Bearer realm="petstore"');
  });

  test('a revoked key is 401 from the next call on', async () => {
    const key = await petstore.keyWith({ scopes: ['read'] });
    await using assistant = await connect(petstore, key.text);
    expect((await assistant.call('shop_stats')).isError).toBe(false);
    await petstore.admin.delete(`/v1/keys/${key.id}`);
    petstore.clock.advance(1_000);
    expectError(await send({ authorization: `Bearer ${key.text}` }), 'invalid_api_key');
    await expect(assistant.call('shop_stats')).rejects.toThrow();
  });

  test.each([
    ['null', (_: string) => 'null'],
    ['of another site', (_: string) => 'https://evil.example'],
    ['of another port', (url: string) => url.replace(/\d+$/, '1')],
  ])('an Origin that is %s is 403, also with a key, and costs nothing', async (_, originOf) => {
    const key = await petstore.keyWith({ scopes: ['read'], perMinute: 1, perDay: 9 });
    const authorization = `Bearer ${key.text}`;
    const response = await send({ authorization, origin: originOf(petstore.url) });
    expectError(response, 'cross_site_request');
    expect((await send({ authorization })).status).toBe(200);
    expectError(await send({ authorization }), 'rate_limit_minute');
  });

  test('a page is our own by an address or a local name alone: others can be made to lead here', async () => {
    const at = (host: string) => send({ host, origin: `http://${host}` });
    expect((await at(new URL(petstore.url).host)).status).toBe(200);
    expect((await at('localhost:8080')).status).toBe(200);
    expect((await at('[::1]:8080')).status).toBe(200);
    expectError(await at('evil.example'), 'cross_site_request');
    await petstore.restart({ PETSTORE_BASE_URL: 'https://shop.example/v1' });
    expect((await send({ origin: 'https://shop.example' })).status).toBe(200);
    expectError(await at('evil.example'), 'cross_site_request');
  });

  test('bodies must be one message of JSON, not too large and not too deep', async () => {
    expectError(await send({}, `[${LIST}]`), 'invalid_body');
    expectError(await send({}, '[]'), 'invalid_body');
    expectError(await send({}, '{'), 'invalid_json');
    expectError(await send({}, ''), 'invalid_json');
    expectError(await send({}, new Uint8Array([0x22, 0xff, 0x22])), 'invalid_json');
    const deep = `{"a":${'['.repeat(30)}${']'.repeat(30)}}`;
    expectError(await send({}, deep), 'invalid_json');
    expectError(await send({}, `{"a":${'['.repeat(60_000)}`), 'invalid_json');
    // The library would write a paragraph about each of these.
    const clientInfo = { name: 'x', version: '1', icons: Array(32_000).fill(1) };
    const wide = message('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo,
    });
    expectError(await send({}, wide), 'invalid_json');
    expectError(await send({}, message('x'.repeat(70_000))), 'body_too_large');
    expectError(await send({ 'content-type': 'text/plain' }), 'unsupported_media_type');
    expectError(await send({ 'content-encoding': 'gzip' }), 'unsupported_media_type');
  });

  test.each([
    [message('initialize').replace(',"params":{}', ''), 'params: '],
    [message('initialize'), 'params.protocolVersion: '],
    [message('tools/call', { name: 1 }), 'params.name: '],
    [message('tools/call', { name: 'get_animal', arguments: [] }), 'params.arguments: '],
  ])('parameters of the wrong shape are -32602 with a sentence: %s', async (body, problem) => {
    const { text } = await send({}, body);
    const { error } = JSON.parse(text.slice(text.indexOf('{')));
    expect(error).toEqual({ code: -32602, message: expect.stringContaining(problem) });
    expect(error.message).not.toMatch(/[\n[\]]/);
  });

  test('the cookie of the console does not count', async () => {
    const { text: key } = await petstore.keyWith({ scopes: ['admin'] });
    const signedIn = await petstore.anonymous.send('POST', '/console/session', {
      headers: { 'content-type': 'application/json', origin: petstore.url },
      body: JSON.stringify({ key }),
    });
    const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';');
    expect(cookie).toContain('petstore_session=');
    const response = await send({ cookie });
    expect(response.text).toContain('search_animals');
    expect(response.text).not.toContain('shop_stats');
  });

  test('each POST is charged once, whatever a tool does, and shows the limits', async () => {
    const key = await petstore.keyWith({ scopes: ['write'], perMinute: 3, perDay: 9 });
    const authorization = `Bearer ${key.text}`;
    const add = message('tools/call', {
      name: 'add_animal',
      arguments: { name: 'Rex', categoryId: 1, species: 'dog' },
    });
    for (const remaining of ['2', '1', '0']) {
      const response = await send({ authorization }, add);
      expect(response.text).not.toContain('isError');
      expect(response.headers.get('x-ratelimit-remaining')).toBe(remaining);
    }
    expectError(await send({ authorization }, add), 'rate_limit_minute');
  });

  test('without a key the limit of the address applies, also to wrong keys', async () => {
    await petstore.restart({ PETSTORE_ANONYMOUS_PER_MINUTE: '2' });
    expect((await send()).status).toBe(200);
    expectError(await send({ authorization: 'Bearer abc' }), 'invalid_api_key');
    expectError(await send(), 'rate_limit_minute');
  });

  test('shows nothing to strangers where there are no public pages', async () => {
    await petstore.restart({ PETSTORE_ADOPT: 'off' });
    expectError(await send(), 'missing_api_key');
    const { text: key } = await petstore.keyWith({ scopes: ['read'] });
    expect((await send({ authorization: `Bearer ${key}` })).text).toContain('search_animals');
  });

  test('is logged with the key and without what was said', async () => {
    const key = await petstore.keyWith({ scopes: ['read'] });
    const call = message('tools/call', { name: 'search_animals', arguments: { name: 'SAID' } });
    await send({ authorization: `Bearer ${key.text}` }, call);
    const lines = petstore.log.filter((line) => line.includes('"/mcp"'));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ keyId: String(key.id), status: 200 });
    expect(petstore.log.join('')).not.toContain('SAID');
  });
});
