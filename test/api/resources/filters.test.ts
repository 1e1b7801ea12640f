import { beforeAll, describe, expect, test } from 'bun:test';
import { PET_STATUSES } from '../../../src/domain/pet.ts';
import { addAnimals, idOf, idsOf, linksOf, namesOf } from '../../support/animals.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

const NAMES = [
  'Straße',
  'ΣΊΣΥΦΟΣ',
  'Irmak',
  'ırmak',
  'İstanbul',
  '100%',
  'under_score',
  "O'Malley",
  'say "hi"',
  'back\\slash',
  'a+b',
  'a&b=c',
  'ﬁsh',
  'Ǆuro',
  '😺',
  'Élan',
  'E\u0301lan',
  '[a-z]*',
  'K\u212A',
  'Zoë',
  'ZOE\u0308',
  'Łucja',
  'BjørnÆ',
  'じば',
  'し\u3099は\u3099',
];

const petstore = forAllTests(() => startPetstore());
beforeAll(async () => {
  await addAnimals(
    petstore.storage,
    NAMES.map((name, i) => ({ name, status: PET_STATUSES[i % 3] ?? 'sold' })),
  );
});

// What is folded, letter by letter: test/domain/name.test.ts.
describe('the name filter', () => {
  test.each<[string, string[]]>([
    ['STRASSE', ['Straße']],
    ['ß', ['Straße']],
    ['σίσυφοσ', ['ΣΊΣΥΦΟΣ']],
    ['FISH', ['ﬁsh']],
    ['😺', ['😺']],
    // All of Unicode, in no particular language: the dotless ı has the capital I, so it is an i.
    ['IRMAK', ['Irmak', 'ırmak']],
    ['i\u0307stanbul', ['İstanbul']],
    ['e\u0301LAN', ['Élan', 'E\u0301lan']],
    ['ŁUCJA', ['Łucja']],
    ['しは', []],
    ['じば', ['じば', 'し\u3099は\u3099']],
  ])('finds %p without regard to case and accents in all of Unicode', async (part, expected) => {
    const response = await petstore.reader.get(`/v1/pets?name=${encodeURIComponent(part)}`);
    expect(namesOf(response)).toEqual(expected);
  });

  test.each<[string, string[]]>([
    ['%', ['100%']],
    ['_', ['under_score']],
    ["'", ["O'Malley"]],
    ["' OR 1=1 --", []],
    ['"', ['say "hi"']],
    ['\\', ['back\\slash']],
    ['+', ['a+b']],
    ['*', ['[a-z]*']],
    ['.', []],
    ['\0', []],
  ])('takes %p literally', async (part, expected) => {
    const response = await petstore.reader.get(`/v1/pets?name=${encodeURIComponent(part)}`);
    expect(response.status).toBe(200);
    expect(namesOf(response)).toEqual(expected);
  });

  test('reads + as a space, as in form encoding', async () => {
    expect(namesOf(await petstore.reader.get('/v1/pets?name=say+%22'))).toEqual(['say "hi"']);
  });

  test('matches nothing for half of a surrogate pair', async () => {
    expectError(await petstore.reader.get('/v1/pets?name=%ed%a0%bd'), 'invalid_request');
  });
});

describe('the status filter', () => {
  test.each([
    'status=sold,pending',
    'status=pending&status=sold',
    'status=sold&status=sold',
    'status=',
  ])('takes one alone: not %s', async (query) =>
    expectError(await petstore.reader.get(`/v1/pets?${query}`), 'invalid_parameter'),
  );

  test('goes with a total, an order and a cursor of its own', async () => {
    const { reader } = petstore;
    const all = JSON.parse((await reader.get('/v1/pets?limit=100')).text);
    const expected = all.filter((pet: { status: string }) => pet.status === 'sold');
    const page = await reader.get('/v1/pets?limit=1&total=true&status=sold&sort=newest');
    expect(JSON.parse(page.text)).toEqual([expected.at(-1)]);
    expect(page.headers.get('x-total-count')).toBe(`${expected.length}`);
    const { pathname, search } = new URL(linksOf(page).get('next') ?? '');
    const next = pathname + search;
    expect((await reader.get(next)).status).toBe(200);
    expectError(await reader.get(next.replace('sold', 'pending')), 'invalid_cursor');
  });
});

describe('the id filter', () => {
  test('returns the animals with these ids, ascending, each once', async () => {
    expect(idsOf(await petstore.reader.get('/v1/pets?id=3,1,2,3'))).toEqual([1n, 2n, 3n]);
    expect(idsOf(await petstore.reader.get('/v1/pets?id=2'))).toEqual([2n]);
    expect(idsOf(await petstore.reader.get('/v1/pets?id=2%2C1'))).toEqual([1n, 2n]);
  });

  test.each([
    ['repeated', 'id=3&id=1&id=2'],
    ['repeated, with commas as well', 'id=3,1&limit=9&id=2'],
    ['repeated, the same one twice', 'id=3&id=1,2&id=3'],
  ])('accepts ids %s', async (_, query) => {
    expect(idsOf(await petstore.reader.get(`/v1/pets?${query}`))).toEqual([1n, 2n, 3n]);
  });

  test('accepts at most 100 ids in total, in any form', async () => {
    const ids = Array.from({ length: 100 }, (_, i) => i + 1);
    const repeated = ids.map((id) => `id=${id}`).join('&');
    const halves = `id=${ids.slice(0, 50)}&id=${ids.slice(50)}`;
    const whole = await petstore.reader.get(`/v1/pets?limit=100&id=${ids}`);
    for (const query of [repeated, halves]) {
      const response = await petstore.reader.get(`/v1/pets?limit=100&${query}`);
      expect([response.status, response.text]).toEqual([200, whole.text]);
      const more = await petstore.reader.get(`/v1/pets?${query}&id=1`);
      expect(expectError(more, 'invalid_parameter')).toStartWith('id must be at most 100');
    }
  });

  test.each(['id=1&id=', 'id=&id=1', 'id=1,', 'id=,1', 'id=1,,2', 'id=1&id=x', 'id=1&id=01'])(
    'is invalid_parameter for %s',
    async (query) => {
      const message = expectError(
        await petstore.reader.get(`/v1/pets?${query}`),
        'invalid_parameter',
      );
      expect(message).toStartWith('id must ');
    },
  );

  test('reads repeated ids as one list, so a cursor works with either form', async () => {
    const page = await petstore.reader.get('/v1/pets?id=1&id=2,3&limit=2');
    const next = new URL(linksOf(page).get('next') ?? '');
    expect(next.searchParams.getAll('id')).toEqual(['1,2,3']);
    const cursor = next.searchParams.get('cursor');
    const last = await petstore.reader.get(`/v1/pets?id=1,2&id=3&cursor=${cursor}`);
    expect(idsOf(last)).toEqual([3n]);
  });

  test('returns nothing for unknown ids', async () => {
    const ids = '0,-1,999999,9223372036854775807,-9223372036854775808';
    expect((await petstore.reader.get(`/v1/pets?id=${ids}`)).text).toBe('[]');
    expect(idsOf(await petstore.reader.get(`/v1/pets?id=${ids},4`))).toEqual([4n]);
  });

  test('replaces the deprecated lookup', async () => {
    const got = await petstore.reader.get('/v1/pets/5');
    const listed = await petstore.reader.get('/v1/pets?id=5');
    expect(listed.text).toBe(`[${got.text}]`);
  });
});

test('filters combine', async () => {
  await addAnimals(petstore.storage, [
    { name: 'Both', categoryId: 77n, status: 'sold' },
    { name: 'Both', categoryId: 77n, status: 'pending' },
    { name: 'Both', categoryId: 78n, status: 'sold' },
    { name: 'Other', categoryId: 77n, status: 'sold' },
  ]);
  const response = await petstore.reader.get('/v1/pets?name=both&categoryId=77&status=sold');
  expect(namesOf(response)).toEqual(['Both']);
  const [id] = idsOf(response);
  const some = await petstore.reader.get(`/v1/pets?id=${id},1&status=sold&name=OTH`);
  expect(idsOf(some)).toEqual([id ?? 0n]);
});

// Every form of a number: test/domain/int64.test.ts.
describe('int64', () => {
  const EDGES = ['9223372036854775807', '-9223372036854775808', '9007199254740993', '0', '-1'];

  test.each(EDGES)('%s survives POST, GET by id, list and filter', async (categoryId) => {
    const body = `{"name":"Edge","categoryId":${categoryId}}`;
    const created = await petstore.writer.post('/v1/pets', body);
    const exact = `"categoryId":${categoryId},`;
    expect(created.status).toBe(201);
    expect(created.text).toContain(exact);
    const id = idOf(created);
    expect((await petstore.reader.get(`/v1/pets/${id}`)).text).toBe(created.text);
    expect((await petstore.reader.get(`/v1/pets?id=${id}`)).text).toBe(`[${created.text}]`);
    const listed = await petstore.reader.get(`/v1/pets?categoryId=${categoryId}&name=edge`);
    expect(listed.text).toBe(`[${created.text}]`);
  });

  test.each([
    ['7.0', '7'],
    ['0.7e1', '7'],
    ['-0', '0'],
    ['9223372036854775807.000', '9223372036854775807'],
    ['-9.223372036854775808e18', '-9223372036854775808'],
    [`7.${'0'.repeat(5_000)}`, '7'],
  ])('the number %p is the integer %s', async (written, value) => {
    const response = await petstore.writer.post('/v1/pets', `{"name":"N","categoryId":${written}}`);
    expect(response.status).toBe(201);
    expect(response.text).toContain(`"categoryId":${value},`);
  });

  test.each([
    '9223372036854775808',
    '1.5',
    '7.0000000000000000001',
    '1e999999999',
    '"7"',
    'null',
    '{}',
    '"9007199254740993"',
    '1'.repeat(5_000),
    `1e${'9'.repeat(5_000)}`,
  ])('%p is invalid_body', async (written) => {
    const body = `{"name":"N","categoryId":${written}}`;
    const message = expectError(await petstore.writer.post('/v1/pets', body), 'invalid_body');
    expect(message).toMatch(/^categoryId must be a whole number from -9223372036854775808 to /);
  });
});
