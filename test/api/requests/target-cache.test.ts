import { expect, spyOn, test } from 'bun:test';
import { createResponseCache } from '../../../src/api/cache/response-cache.ts';
import { API_ROOT, createTargetCache } from '../../../src/api/pipeline/target-cache.ts';
import { operations } from '../../../src/api/resources/operations.ts';
import { systemClock } from '../../../src/domain/clock.ts';
import { createRouteTable } from '../../../src/http/route-table.ts';
import { TARGET_BYTES_MAX } from '../../../src/http/target.ts';

const table = createRouteTable(
  operations.map((operation) => ({ ...operation, path: API_ROOT + operation.path })),
);

test('targets that are requested once leave the cached ones as they are', () => {
  const find = createTargetCache(table);
  find('http://a/v1/pets', 'a');
  const list = find('http://a/v1/pets', 'a');
  // Each comes again only after many others.
  for (let round = 0; round < 2; round++) {
    for (let id = 0; id < 400_000; id++) find(`http://a/v1/pets/${id}`, 'a');
  }
  expect(find('http://a/v1/pets', 'a')).toBe(list);
});

test('a target is cached from its second request on, and a different query is a different target', () => {
  const find = createTargetCache(table);
  expect(find('http://a/v1/pets/7?x=%41', 'a').isCached).toBe(false);
  const cached = find('http://a/v1/pets/7?x=%41', 'a');
  expect(cached).toMatchObject({ path: '/v1/pets/7', query: 'x=%41', parameters: ['7'] });
  expect(find('http://a/v1/pets/7?x=%41', 'a')).toBe(cached);
  expect(find('http://a/v1/pets/7?x=%42', 'a')).toMatchObject({ query: 'x=%42', isCached: false });
});

test('a Host that produces the URL of another, cached target is refused', () => {
  const find = createTargetCache(table);
  const url = 'http://a/v1/pets?name=/x';
  find(url, 'a');
  expect(find(url, 'a').problem).toBeUndefined();
  expect(find(url, 'a/v1/pets?name=').problem?.code).toBe('invalid_request');
  expect(find(url, null).problem).toBeUndefined();
  expect(find(url, 'a').problem).toBeUndefined();
});

test('the length of URLs counts toward the bound on cached responses', async () => {
  const find = createTargetCache(table);
  const storage = { trackChanges: () => ({ catchUp: () => true }) };
  const cache = createResponseCache(storage, { hits: 0, misses: 0 }, systemClock);
  const count = 6_000;
  const targets = Array.from({ length: count }, (_, i) => {
    const url = `http://a/v1/pets?x=${i}${'y'.repeat(8_000)}`;
    find(url, 'a');
    return find(url, 'a');
  });
  const response = { status: 200, body: '[]', headers: {} };
  const operation = { cacheable: true };
  const requests = targets.map((target) => ({ operation, target, isCaughtUp: true }));
  for (const request of requests) await cache.answer(request, async () => response);
  // 32 Mi characters: each target holds its URL and its query, 16,000 in all.
  const stored = requests.filter((request) => cache.stored(request) !== undefined).length;
  expect(stored).toBeGreaterThan(0);
  expect(stored).toBeLessThanOrEqual((32 * 1_048_576) / 16_000);
});

test('long targets replace each other before they fill the memory', () => {
  const find = createTargetCache(table);
  const long = `http://a/v1/pets?name=${'x'.repeat(2_000)}`;
  find(long, 'a');
  const found = find(long, 'a');
  expect(find(long, 'a')).toBe(found);
  // This many characters would take 40 MB.
  for (let i = 0; i < 2_000; i++) {
    find(`${long}&i=${i}${'y'.repeat(5_000)}`, 'a');
    find(`${long}&i=${i}${'y'.repeat(5_000)}`, 'a');
  }
  expect(find(long, 'a')).not.toBe(found);
});

test.each([
  ['one percent sign encoded over and over', '/%', '25'],
  ['many encoded percent signs', '/', '%25'],
  ['the interface, then many encoded percent signs', '/v1/', '%25'],
  ['the interface, then many encoded segments', '/v1', '/%25'],
])('a path is decoded once or twice, however long it is: %s', (_, start, piece) => {
  const find = createTargetCache(table);
  using decode = spyOn(globalThis, 'decodeURIComponent');
  for (const length of [TARGET_BYTES_MAX, 2 * TARGET_BYTES_MAX]) {
    decode.mockClear();
    const path = start + piece.repeat(Math.floor((length - start.length) / piece.length));
    find(`http://a${path}`, 'a');
    const decoded = decode.mock.calls.reduce((sum, [text]) => sum + text.length, 0);
    // A target over the length limit is not read at all.
    expect(decoded).toBeLessThanOrEqual(length > TARGET_BYTES_MAX ? 0 : 2 * length);
    expect(decode.mock.calls.length).toBeLessThanOrEqual(10);
  }
});

test.each([
  ['/v1', true],
  ['/v1/', true],
  ['/v1/pets', true],
  ['/%76%31/pets', true],
  ['/v%31', true],
  ['/%761/nowhere', true],
  ['/v1pets', false],
  ['/%56%31/pets', false],
  ['/%2576%2531/pets', false],
  ['/v1%2Fpets', false],
  ['/%76%31%2Fpets', false],
  ['/', false],
])('whether %s belongs to the interface: %p', (path, isApi) => {
  expect(createTargetCache(table)(`http://a${path}`, 'a').isApi).toBe(isApi);
});
