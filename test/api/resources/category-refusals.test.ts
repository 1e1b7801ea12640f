import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { linksOf, namesOf } from '../../support/animals.ts';
import { expectError } from '../../support/expect-error.ts';
import { startPetstore, type TestPetstore } from '../../support/start.ts';

/** None of these requests changes anything, so they share a service. */
let petstore: TestPetstore;
beforeAll(async () => {
  petstore = await startPetstore();
  for (const name of ['Dog', 'Cat']) await create(name);
});
afterAll(() => petstore[Symbol.asyncDispose]());
afterEach(async () => expect(namesOf(await list())).toEqual(['Dog', 'Cat']));

const create = (name: unknown) => petstore.writer.post('/v1/categories', { name });
const list = (query = '') => petstore.reader.get(`/v1/categories${query}`);
const rename = (id: number | string, name: unknown) =>
  petstore.writer.patch(`/v1/categories/${id}`, { name });

/** Invalid names. */
const WRONG: readonly [unknown, string][] = [
  [undefined, 'is required'],
  [null, 'must be a string'],
  [5, 'must be a string'],
  ['', 'must not be empty'],
  [' \u3000', 'must not be blank'],
  ['a\tb', 'must not contain control characters'],
  ['x'.repeat(101), 'must have at most 100 characters'],
  ['😺'.repeat(101), 'must have at most 100 characters'],
];

describe('GET /v1/categories (listCategories)', () => {
  test.each(['limit=0', 'limit=101', 'limit=1.5', 'limit=', 'limit=2&limit=3', 'cursor='])(
    '400 invalid_parameter for ?%s',
    async (query) => {
      expectError(await list(`?${query}`), 'invalid_parameter');
    },
  );

  test('400 invalid_cursor for a cursor of another list', async () => {
    for (let i = 0; i < 2; i++)
      await petstore.writer.post('/v1/pets', { name: 'A', categoryId: 1 });
    const pets = await petstore.reader.get('/v1/pets?limit=1');
    const { search } = new URL(linksOf(pets).get('next') ?? '');
    expectError(await list(search), 'invalid_cursor');
  });

  test('401 missing_api_key without a key', async () => {
    expectError(await petstore.anonymous.get('/v1/categories'), 'missing_api_key');
  });
});

describe('POST /v1/categories (createCategory)', () => {
  test.each(WRONG)('400 invalid_body for the name %p', async (name, problem) => {
    expect(expectError(await create(name), 'invalid_body')).toStartWith(`name ${problem}`);
  });

  test('401 missing_api_key without a key', async () => {
    const response = await petstore.anonymous.post('/v1/categories', { name: 'Hen' });
    expectError(response, 'missing_api_key');
  });

  test('403 insufficient_scope with a key that may only read', async () => {
    const response = await petstore.reader.post('/v1/categories', { name: 'Hen' });
    expectError(response, 'insufficient_scope');
  });
});

describe('GET /v1/categories/{categoryId} (getCategory)', () => {
  test('401 missing_api_key without a key', async () => {
    expectError(await petstore.anonymous.get('/v1/categories/1'), 'missing_api_key');
  });

  test.each(['3', '0', '-1', '01', 'abc', '9223372036854775808'])(
    '404 category_not_found for %s',
    async (id) => {
      expectError(await petstore.reader.get(`/v1/categories/${id}`), 'category_not_found');
    },
  );
});

describe('PATCH /v1/categories/{categoryId} (updateCategory)', () => {
  test.each([
    [5, 'must be a string'],
    ['', 'must not be empty'],
    ['x'.repeat(101), 'must have at most 100 characters'],
  ])('400 invalid_body for the name %p', async (name, problem) => {
    expect(expectError(await rename(1, name), 'invalid_body')).toStartWith(`name ${problem}`);
  });

  test('401 missing_api_key without a key', async () => {
    expectError(await petstore.anonymous.patch('/v1/categories/1', {}), 'missing_api_key');
  });

  test('403 insufficient_scope with a key that may only read', async () => {
    expectError(await petstore.reader.patch('/v1/categories/1', {}), 'insufficient_scope');
  });

  test.each(['3', '0', '-1', '01', 'abc'])('404 category_not_found for %s', async (id) => {
    expectError(await rename(id, 'Hound'), 'category_not_found');
  });
});

describe('DELETE /v1/categories/{categoryId} (deleteCategory)', () => {
  test('401 missing_api_key without a key', async () => {
    expectError(await petstore.anonymous.delete('/v1/categories/1'), 'missing_api_key');
  });

  test('403 insufficient_scope with a key that may only read', async () => {
    expectError(await petstore.reader.delete('/v1/categories/1'), 'insufficient_scope');
  });
});
