import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { namesOf } from '../../support/animals.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

/** None of these requests changes anything, so they share a service. */
const petstore = forAllTests(() => startPetstore());
beforeAll(async () => {
  for (const name of ['Dog', 'Cat']) await create(name);
});
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
});

describe('POST /v1/categories (createCategory)', () => {
  test.each(WRONG)('400 invalid_body for the name %p', async (name, problem) => {
    expect(expectError(await create(name), 'invalid_body')).toStartWith(`name ${problem}`);
  });
});

describe('PATCH /v1/categories/{categoryId} (updateCategory)', () => {
  test.each([
    [5, 'must be a string'],
    ['', 'must not be empty'],
    ['x'.repeat(101), 'must have at most 100 characters'],
  ])('400 invalid_body for the name %p', async (name, problem) => {
    expect(expectError(await rename(1, name), 'invalid_body')).toStartWith(`name ${problem}`);
  });
});
