import { describe, expect, test } from 'bun:test';
import { readHandling, unknownParameters } from '../../../src/api/pipeline/target-cache.ts';
import { operations } from '../../../src/api/resources/operations.ts';
import { sampleOf, sendSample } from '../../contract/samples.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

const STRICT = { prefer: 'handling=strict' };
const petstore = forAllTests(() => startPetstore());

const ignored = ({ headers }: { headers: Headers }) => headers.get('x-ignored-parameters');
const applied = ({ headers }: { headers: Headers }) => headers.get('preference-applied');

describe.each(operations.map((operation) => [operation.id, operation] as const))(
  'an unknown parameter of %s',
  (_, operation) => {
    test('is ignored and named', async () => {
      const sample = await sampleOf(operation, petstore.admin);
      const query = `${sample.target.includes('?') ? '&' : '?'}unknown=1&unknown=2`;
      const response = await sendSample(petstore.admin, sample, { target: sample.target + query });
      expect(response.status).toBe(operation.success.status);
      expect([ignored(response), applied(response)]).toEqual(['unknown', null]);
    });

    test('is refused with handling=strict', async () => {
      const sample = await sampleOf(operation, petstore.admin);
      const headers = { ...sample.headers, ...STRICT };
      const query = `${sample.target.includes('?') ? '&' : '?'}unknown`;
      const target = sample.target + query;
      const refused = await sendSample(petstore.admin, sample, { target, headers });
      expect(expectError(refused, 'invalid_parameter')).toStartWith(
        'Unknown parameters: unknown; ',
      );
      expect([ignored(refused), applied(refused)]).toEqual(['unknown', 'handling=strict']);
      // Nothing was done: the same request without it succeeds.
      const response = await sendSample(petstore.admin, sample, { headers });
      expect(response.status).toBe(operation.success.status);
      expect([ignored(response), applied(response)]).toEqual([null, 'handling=strict']);
    });
  },
);

test('the names are encoded, each once, in the order sent', async () => {
  const { reader } = petstore;
  const query = 'limt=1&caf%C3%A9&a+b=1&limit=1&limt=2&%2C=&x=1&=y&&constructor&__proto__=1';
  for (let time = 0; time < 3; time++) {
    const response = await reader.get(`/v1/pets?${query}`);
    expect(response.status).toBe(200);
    expect(ignored(response)).toBe('limt, caf%C3%A9, a%20b, %2C, x, constructor, __proto__');
    const next = await reader.get('/v1/pets?limit=1');
    expect(ignored(next)).toBeNull();
  }
});

test('304, HEAD and errors have the names too', async () => {
  const { reader, anonymous } = petstore;
  const found = await reader.get('/v1/pets?x=1');
  const tag = { 'if-none-match': found.headers.get('etag') ?? '' };
  const responses = [
    await reader.get('/v1/pets?x=1', tag),
    await reader.send('HEAD', '/v1/pets?x=1'),
    await reader.get('/v1/pets?x=1&limit=0'),
    await reader.get('/v1/pets/999999?x=1'),
    await reader.post('/v1/pets?x=1', {}),
    await anonymous.get('/v1/pets?x=1'),
  ];
  expect(responses.map(({ status }) => status)).toEqual([304, 200, 400, 404, 403, 401]);
  expect(responses.map(ignored)).toEqual(responses.map(() => 'x'));
  const head = await reader.send('HEAD', '/v1/pets?x=1', { headers: STRICT });
  expect([head.status, applied(head)]).toEqual([400, 'handling=strict']);
  const lenient = await reader.get('/v1/pets?x=1', { prefer: 'handling=lenient' });
  expect([lenient.status, applied(lenient)]).toEqual([200, 'handling=lenient']);
});

test('a flood of names, or a long one, is bounded', async () => {
  const flood = Array.from({ length: 1_500 }, (_, n) => `p${n.toString(36)}`).join('&');
  const long = encodeURIComponent('𝒳'.repeat(500));
  for (const query of [flood, long, `${long}&${flood.slice(0, 1_000)}`, 'x&'.repeat(4_000)]) {
    const names = ignored(await petstore.reader.get(`/v1/pets?${query}`)) ?? '';
    expect(names.length).toBeGreaterThan(0);
    expect(names.length).toBeLessThanOrEqual(1_000);
    const refused = await petstore.reader.get(`/v1/pets?${query}`, STRICT);
    expectError(refused, 'invalid_parameter');
  }
});

test('a key that was sent as a name is not repeated', () => {
  const key = `petstore_live_${'a'.repeat(38)}`;
  expect(unknownParameters(key, {})).toBe('petstore_live_...');
});

test.each([
  ['handling=strict', 'strict'],
  ['respond-async, Handling="strict"; x=1, wait=5', 'strict'],
  ['handling=lenient, handling=strict', 'lenient'],
  ['handling=odd, handling=strict', undefined],
  ['handling="", handling=strict', 'strict'],
  ['nothandling=strict', undefined],
  ['handling', undefined],
  ['', undefined],
  [null, undefined],
] as const)('Prefer: %s', (header, handling) => {
  expect(readHandling(header)).toBe(handling);
});

test.each([
  ['spaces before a quote', `handling=${' '.repeat(1_000_000)}"`],
  ['spaces around a quote', `handling=${' '.repeat(500_000)}"${' '.repeat(500_000)}`],
  ['commas', ','.repeat(1_000_000)],
  ['many beginnings', 'handling= '.repeat(100_000)],
])('a hostile Prefer header is read in one go: %s', (_, header) => {
  // With quadratic time this would take minutes, longer than a test may.
  expect(readHandling(header)).toBeUndefined();
});
