import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { addAnimals, linksOf, targetOf } from '../../support/animals.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { startPetstore, type TestPetstore } from '../../support/start.ts';
import { expectDropped as expectDrops, type MadeChange } from './dropped.ts';

let petstore: TestPetstore;
let lists: { first: string; middle: string; last: string };

beforeEach(async () => {
  petstore = await startPetstore();
  // Ids 1 to 45: odd ones are available, even ones sold; 40 and above are of category 2.
  await addAnimals(
    petstore.storage,
    Array.from({ length: 45 }, (_, i) => ({
      name: i + 1 === 30 ? 'Straße' : 'Max',
      status: (i + 1) % 2 === 0 ? 'sold' : 'available',
      categoryId: i + 1 < 40 ? 1n : 2n,
    })),
  );
  const { text: body } = await petstore.writer.post('/v1/categories', { name: 'Dog' });
  expect(body).toContain('"id":1');
  await petstore.writer.post('/v1/categories', { name: 'Cat' });
  const first = '/v1/pets?limit=20';
  const middle = await nextOf(first);
  lists = { first, middle, last: await nextOf(middle) };
});

afterEach(() => petstore[Symbol.asyncDispose]());

async function nextOf(path: string): Promise<string> {
  return targetOf(linksOf(await petstore.reader.get(path)).get('next'));
}

const SOLD = '/v1/pets?status=sold&limit=5';
const ALL_SOLD = '/v1/pets?status=sold&limit=100';
const OF_TWO = '/v1/pets?categoryId=2&limit=100';
const NAMED = '/v1/pets?name=STRASS';
const BY_ID = '/v1/pets?id=7';
const [SEVEN, EIGHT] = ['/v1/pets/7', '/v1/pets/8'];
const [KINDS, DOGS] = ['/v1/categories', '/v1/categories/1'];

const paths = () => [
  ...Object.values(lists),
  ...[SOLD, ALL_SOLD, OF_TWO, NAMED, BY_ID, SEVEN, EIGHT, KINDS, DOGS],
];

function expectDropped(change: MadeChange, ...expected: readonly string[]): Promise<void> {
  return expectDrops(petstore, petstore.reader, paths(), change, expected);
}

// Without a cache there is nothing to drop.
describe.skipIf(process.env['PETSTORE_TEST_CACHE'] === 'off')('what a change drops', () => {
  const add = (pet: object) => petstore.writer.post('/v1/pets', { name: 'Max', ...pet });
  const change = (id: number, body: object) => petstore.writer.patch(`/v1/pets/${id}`, body);

  test('an addition drops the last pages of the lists that it belongs to', async () => {
    await expectDropped(() => add({ categoryId: 1 }), lists.last);
    await expectDropped(() => add({ categoryId: 1, status: 'sold' }), lists.last, ALL_SOLD);
    await expectDropped(() => add({ categoryId: 2 }), lists.last, OF_TWO);
    await expectDropped(() => add({ categoryId: 1, name: 'Große straße' }), lists.last, NAMED);
  });

  test('a hundred additions by another process drop the last pages alone', async () => {
    const many = Array(100).fill({ categoryId: 2n });
    const addMany = async () => void (await addAnimals(petstore.storage, many));
    await expectDropped(addMany, lists.last, OF_TWO);
  });

  test('a change drops the animal, the pages it was on and those it belongs to now', async () => {
    await expectDropped(() => change(7, { name: 'Tom' }), lists.first, SEVEN, BY_ID);
    await expectDropped(
      () => change(7, { status: 'sold' }),
      ...[lists.first, SEVEN, BY_ID, SOLD, ALL_SOLD],
    );
    await expectDropped(
      () => change(7, { status: 'available' }),
      ...[lists.first, SEVEN, BY_ID, SOLD, ALL_SOLD],
    );
    await expectDropped(() => change(7, { categoryId: 2 }), lists.first, SEVEN, BY_ID, OF_TWO);
    await expectDropped(() => change(30, { name: 'Rex' }), lists.middle, ALL_SOLD, NAMED);
    // Number 12 follows the page of the first five that are sold, and 8 is on it.
    await expectDropped(() => change(12, { name: 'Rex' }), lists.first, SOLD, ALL_SOLD);
    await expectDropped(() => change(14, { name: 'Rex' }), lists.first, ALL_SOLD);
    await expectDropped(() => change(8, { name: 'Rex' }), lists.first, SOLD, ALL_SOLD, EIGHT);
  });

  test('a removal drops the animal and the pages it was on', async () => {
    await expectDropped(() => petstore.writer.delete('/v1/pets/43'), lists.last, OF_TWO);
    // The page shows whether any animal follows it, and this was the first.
    await expectDropped(
      () => petstore.writer.delete('/v1/pets/21'),
      ...[lists.first, lists.middle],
    );
  });

  test('an order drops its animal alone', async () => {
    const order = () => petstore.admin.post('/v1/store/orders', { petId: 9 });
    await expectDropped(order, lists.first);
    await expectDropped(() => petstore.admin.patch('/v1/store/orders/1', { note: 'Soon' }));
  });

  test('a change of a category drops no list of animals', async () => {
    await expectDropped(() => petstore.writer.post('/v1/categories', { name: 'Fish' }), KINDS);
    await expectDropped(() => petstore.writer.patch('/v1/categories/2', { name: 'Bird' }), KINDS);
    const rename = () => petstore.writer.patch('/v1/categories/1', { name: 'Hound' });
    await expectDropped(rename, KINDS, DOGS);
  });

  test('commits that change no record drop nothing', async () => {
    const { storage, clock, reader, writer } = petstore;
    const key = await petstore.keyWith({});
    const retried = { 'idempotency-key': 'once' };
    await writer.post('/v1/pets', { name: 'Max', categoryId: 1 }, retried);
    await expectDropped(async () => {
      await storage.keys.recordUse(new Map([[key.id, clock.now() + 1]]));
      await storage.keys.revoke(key.id, clock.now());
      await petstore.keyWith({});
      await storage.idempotency.removeExpired(0, 1);
      await writer.post('/v1/pets', { name: 'Max', categoryId: 1 }, retried);
      await change(7, { name: 'Max' });
      await writer.delete('/v1/pets/1000');
      await reader.get('/v1/usage');
    });
    const sweep = () => storage.idempotency.removeExpired(Number.MAX_SAFE_INTEGER, 1);
    await expectDropped(async () => void expect(await sweep()).toBe(1));
  });

  test('a reset drops everything, also by another process', async () => {
    const reset = async () => void (await petstore.storage.reset(CHANGE_STAMP));
    await expectDropped(reset, ...paths());
  });
});
