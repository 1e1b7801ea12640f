import { beforeEach, describe, expect, test } from 'bun:test';
import { addAnimals, idOf, namesOf } from '../../support/animals.ts';
import { expectError } from '../../support/expect-error.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

const petstore = forEachTest(() => startPetstore());
beforeEach(async () => {
  for (const name of ['Dog', 'Cat']) await create(name);
});

const create = (name: string) => petstore.writer.post('/v1/categories', { name });
const rename = (id: number | string, name: unknown) =>
  petstore.writer.patch(`/v1/categories/${id}`, { name });
const remove = (id: number | string) => petstore.writer.delete(`/v1/categories/${id}`);
const names = async () => namesOf(await petstore.reader.get('/v1/categories'));

describe('PATCH /v1/categories/{categoryId} (updateCategory)', () => {
  test('200 renames it', async () => {
    const response = await rename(1, 'Hound');
    expect([response.status, response.text]).toEqual([200, '{"id":1,"name":"Hound"}']);
    expect((await petstore.reader.get('/v1/categories/1')).text).toBe(response.text);
    expect(await names()).toEqual(['Hound', 'Cat']);
  });

  test('200 for its own name in another case', async () => {
    for (const name of ['DOG', 'dog', 'Dog']) {
      expect((await rename(1, name)).text).toBe(`{"id":1,"name":"${name}"}`);
    }
  });

  test('200 keeps its animals in it', async () => {
    await addAnimals(petstore.storage, [{ categoryId: 1n }]);
    await rename(1, 'Hound');
    expect((await petstore.reader.get('/v1/pets/1')).text).toContain('"categoryId":1,');
  });

  test('the old name can be used again', async () => {
    await rename(1, 'Hound');
    expect((await create('DOG')).status).toBe(201);
    expectError(await create('HOUND'), 'conflict');
  });

  test.each([
    ['Cat', 'CAT'],
    ['Straße', 'STRASSE'],
    ['Σίσυφος', 'ΣΊΣΥΦΟΣ'],
  ])('409 conflict: with %s there, it cannot be called %s', async (taken, name) => {
    await rename(2, taken);
    expect(expectError(await rename(1, name), 'conflict')).toBe(
      'Category 2 already has that name; names must differ in more than case.',
    );
    expect(await names()).toEqual(['Dog', taken]);
  });
});

describe('DELETE /v1/categories/{categoryId} (deleteCategory)', () => {
  test('204 removes it, with an empty response', async () => {
    const response = await remove(1);
    expect([response.status, response.text]).toEqual([204, '']);
    expect(response.headers.get('content-type')).toBeNull();
    expectError(await petstore.reader.get('/v1/categories/1'), 'category_not_found');
    expect(await names()).toEqual(['Cat']);
  });

  test('the name can be used again, but never the id, also after a restart', async () => {
    await remove(2);
    expect(idOf(await create('CAT'))).toBe(3n);
    await remove(3);
    await petstore.restart();
    expect(idOf(await create('cat'))).toBe(4n);
  });

  test('404 category_not_found the second time, and for a category that never existed', async () => {
    await remove(1);
    for (const id of ['1', '3', '0', 'abc']) expectError(await remove(id), 'category_not_found');
  });

  test('409 conflict gives the number of animals in it, until there is none', async () => {
    await addAnimals(petstore.storage, [
      { categoryId: 1n },
      { categoryId: 1n, status: 'sold' },
      { categoryId: 2n },
      { categoryId: -1n },
    ]);
    const message = async () => expectError(await remove(1), 'conflict');
    expect(await message()).toBe('2 animals refer to category 1: move or remove them first.');
    await petstore.writer.delete('/v1/pets/1');
    expect(await message()).toBe('1 animal refers to category 1: move or remove them first.');
    expect(await names()).toEqual(['Dog', 'Cat']);
    await petstore.writer.patch('/v1/pets/2', { categoryId: 2 });
    expect((await remove(1)).status).toBe(204);
    expect((await petstore.writer.post('/v1/pets', { name: 'A', categoryId: 1 })).status).toBe(201);
  });
});
