import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { FAILURE_STATUS, type FailureCode } from '../../../src/domain/failure.ts';
import { INT64_MAX, INT64_MIN } from '../../../src/domain/int64.ts';
import { idOf } from '../../support/animals.ts';
import type { ClientResponse } from '../../support/client.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

const RUNS = { numRuns: 400 };
const TIMEOUT_MS = 60_000;

const petstore = forAllTests(() => startPetstore());

/** Checks that the response to a POST is 201, or an Error that blames the request. */
function expectCreatedOr(response: ClientResponse, ...codes: FailureCode[]): void {
  if (response.status === 201) {
    expect(response.text).toMatch(
      /^\{"id":[1-9]\d*,"name":".+","categoryId":-?\d+,"status":"\w+"\}$/s,
    );
    return;
  }
  const { code } = JSON.parse(response.text);
  expect(codes).toContain(code);
  expectError(response, code);
}

describe('any body', () => {
  /** Bodies that are nearly valid, so that every check is reached. */
  const nearly = fc.record(
    {
      name: fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()),
      categoryId: fc.oneof(fc.integer(), fc.double({ noNaN: true }), fc.jsonValue()),
      status: fc.oneof(fc.constantFrom('available', 'pending', 'sold', 'gone'), fc.jsonValue()),
      id: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );

  test(
    'of JSON gives 201 or a 4xx Error',
    async () => {
      const value = fc.oneof(nearly, fc.jsonValue({ maxDepth: 4 }));
      let created = 0;
      await fc.assert(
        fc.asyncProperty(value, async (body) => {
          const response = await petstore.writer.post('/v1/pets', JSON.stringify(body));
          if (response.status === 201) created++;
          expectCreatedOr(response, 'invalid_body', 'invalid_json');
        }),
        { numRuns: 1_000 },
      );
      expect(created).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );

  test(
    'of bytes gives 201 or a 4xx Error',
    async () => {
      const good = Buffer.from('{"name":"Rex","categoryId":7,"status":"sold"}');
      const mutated = fc
        .tuple(fc.nat(good.length), fc.nat(3), fc.uint8Array({ maxLength: 3 }))
        .map(([at, count, bytes]) =>
          Buffer.concat([good.subarray(0, at), bytes, good.subarray(at + count)]),
        );
      await fc.assert(
        fc.asyncProperty(fc.oneof(mutated, fc.uint8Array({ maxLength: 300 })), async (bytes) => {
          const headers = { 'content-type': 'application/json' };
          const body = Buffer.from(bytes);
          const response = await petstore.writer.send('POST', '/v1/pets', { headers, body });
          expectCreatedOr(response, 'invalid_json', 'invalid_body');
        }),
        { numRuns: 1_000 },
      );
    },
    TIMEOUT_MS,
  );

  test(
    'of any media type gives 201 or a 4xx Error',
    async () => {
      const header = fc.string({
        unit: fc.constantFrom(...'aj/;=" \\,charsetutf-8*'),
        maxLength: 30,
      });
      const type = fc.oneof(
        header,
        header.map((text) => `application/json;${text}`),
      );
      await fc.assert(
        fc.asyncProperty(type, async (contentType) => {
          const headers = { 'content-type': contentType.trim() };
          const body = '{"name":"Rex","categoryId":7}';
          const response = await petstore.writer.send('POST', '/v1/pets', { headers, body });
          expectCreatedOr(response, 'unsupported_media_type');
        }),
        RUNS,
      );
    },
    TIMEOUT_MS,
  );
});

test(
  'any accepted name is returned unchanged, by id and in the list',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 300 }), async (name) => {
        const created = await petstore.writer.post('/v1/pets', { name, categoryId: 1 });
        if (created.status !== 201) return expectCreatedOr(created, 'invalid_body');
        expect(JSON.parse(created.text).name).toBe(name);
        const id = idOf(created);
        expect((await petstore.reader.get(`/v1/pets/${id}`)).text).toBe(created.text);
        const part = encodeURIComponent([...name].slice(0, 20).join(''));
        const found = await petstore.reader.get(`/v1/pets?id=${id}&name=${part}`);
        expect(found.text).toBe(`[${created.text}]`);
      }),
      RUNS,
    );
  },
  TIMEOUT_MS,
);

test(
  'every int64 survives the round trip',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), async (categoryId) => {
        const body = `{"name":"N","categoryId":${categoryId}}`;
        const created = await petstore.writer.post('/v1/pets', body);
        expect(created.status).toBe(201);
        expect(created.text).toContain(`"categoryId":${categoryId},`);
        const id = idOf(created);
        expect((await petstore.reader.get(`/v1/pets/${id}`)).text).toBe(created.text);
        const listed = await petstore.reader.get(`/v1/pets?categoryId=${categoryId}&id=${id}`);
        expect(listed.text).toBe(`[${created.text}]`);
      }),
      RUNS,
    );
  },
  TIMEOUT_MS,
);

test(
  'any target and query gets a documented response, never a 5xx',
  async () => {
    const piece = fc.constantFrom(
      ...[
        '/',
        'v1',
        'pets',
        '1',
        '%',
        '%70',
        '%2F',
        '%00',
        '%FF',
        '?',
        '&',
        '=',
        '+',
        'limit',
        'id',
      ],
      ...['name', 'cursor', 'status', 'sold', ',', '-', '9223372036854775808', 'é', ';', '.', '..'],
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), fc.boolean(), async (pieces, inside) => {
        const path = `/${inside ? 'v1/pets' : ''}${pieces.join('')}`;
        const response = await petstore.reader.get(path);
        expect(response.status).toBeLessThan(500);
        if (response.status < 400) return;
        const { code } = JSON.parse(response.text);
        expect(Object.keys(FAILURE_STATUS)).toContain(code);
        expectError(response, code);
      }),
      { numRuns: 1_500 },
    );
  },
  TIMEOUT_MS,
);

test(
  'any Authorization gets 200 with the right key, else 401',
  async () => {
    const key = petstore.reader.key ?? '';
    const piece = fc.constantFrom(
      'Bearer',
      'bearer',
      ' ',
      ',',
      key,
      key.slice(1),
      'Basic',
      'x',
      '=',
      '"',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 6 }), async (pieces) => {
        const authorization = pieces.join('').trim();
        const response = await petstore.anonymous.get('/v1/pets', { authorization });
        if (response.status === 200)
          expect(authorization).toMatch(new RegExp(`^bearer +${key}$`, 'i'));
        else expect(response.status).toBe(401);
      }),
      RUNS,
    );
  },
  TIMEOUT_MS,
);
