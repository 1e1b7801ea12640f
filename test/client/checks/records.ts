import type { Pet } from 'petstore-client';
import { type Check, equal, failureOf, scriptedStore, storeOf } from './check.ts';

/** No category has this id, so that others may be removed. */
const UNNAMED = 1_000_000;

/** Reading, walking, changing. */
export const recordChecks: readonly Check[] = [
  {
    name: 'a list is walked to its end, over all pages',
    async run(world) {
      const { pets } = storeOf(world);
      const name = `Walked ${Math.random()}`;
      const added: number[] = [];
      for (let count = 0; count < 7; count++) {
        added.push((await pets.create({ name, categoryId: UNNAMED + count })).id);
      }
      const walked: number[] = [];
      for await (const pet of pets.list({ name, limit: 3 })) walked.push(pet.id);
      equal(walked, added);
    },
  },
  {
    name: 'a page has its quota, its request id, and the next page until the last',
    async run(world) {
      const { pets } = storeOf(world);
      const name = `Paged ${Math.random()}`;
      for (let count = 0; count < 3; count++) await pets.create({ name, categoryId: UNNAMED });
      const first = await pets.list({ name, limit: 2 }).page();
      equal(first.items.length, 2);
      equal(first.rateLimit.limit > first.rateLimit.remaining, true, 'remaining');
      equal(first.rateLimit.reset > Date.now() / 1000 - 120, true, 'reset');
      equal(first.requestId.length > 0, true, 'request id');
      const second = await first.next?.();
      equal(second?.items.length, 1);
      equal(second?.next, undefined);
    },
  },
  {
    name: 'an awaited list is its first page',
    async run(world) {
      const { pets } = storeOf(world);
      const name = `Awaited ${Math.random()}`;
      const { id } = await pets.create({ name, categoryId: UNNAMED });
      const page = await pets.list({ name });
      equal(
        page.items.map((pet) => pet.id),
        [id],
      );
      equal((await failureOf(pets.list({ limit: 0 }))).code, 'invalid_parameter');
    },
  },
  {
    name: 'a misspelled filter is refused, and a status is taken',
    async run(world) {
      const { pets } = storeOf(world);
      const name = `Listed ${Math.random()}`;
      for (const status of ['available', 'pending', 'sold'] as const) {
        await pets.create({ name, categoryId: UNNAMED, status });
      }
      const { items } = await pets.list({ name, status: 'pending' });
      equal(
        items.map(({ status }) => status),
        ['pending'],
      );
      const misspelled = { name, limit: 2, stauts: 'sold' };
      equal((await failureOf(pets.list(misspelled))).code, 'invalid_parameter');
    },
  },
  {
    name: 'lists without a limit are walked with the largest pages',
    async run(world) {
      const { store, seen } = scriptedStore(world, 'ok');
      for await (const pet of store.pets.list({ status: 'available' })) equal(pet.id, 7);
      equal(
        (await seen()).map(({ target }) => target),
        ['/v1/pets?limit=100&status=available'],
      );
    },
  },
  {
    name: 'the groups have the operations of the service',
    async run(world) {
      const store = storeOf(world);
      const category = await store.categories.create({ name: `Birds ${Math.random()}` });
      equal(await store.categories.get(category.id), category);
      const pet = await store.pets.create({ name: 'Rio', categoryId: category.id });
      equal(pet.status, 'available');
      const order = await store.orders.place({ petId: pet.id, note: 'Two parrots' });
      equal(order.status, 'placed');
      equal((await store.orders.update(order.id, { note: null })).note, undefined);
      equal((await store.orders.list({ petId: pet.id }).page()).items.length, 1);
      const history = [];
      for await (const change of store.pets.history(pet.id))
        history.push(change.changes?.['status']);
      const statuses = history.filter((status) => Array.isArray(status));
      equal(statuses.slice(0, 2), [
        [null, 'available'],
        [null, 'placed'],
      ]);
      equal((await store.usage.get()).plan, 'enterprise');
      const { pets, adoptions } = await store.stats.get();
      equal([pets.pending > 0, adoptions.length], [true, 52]);
      for await (const key of store.keys.list()) {
        const usage = await store.keys.usage(key.id, { per: 'day' });
        equal(usage.at(-1)?.refused, 0);
      }
      await store.orders.update(order.id, { status: 'cancelled' });
      equal(await store.pets.delete(pet.id), undefined);
      equal((await failureOf(store.pets.get(pet.id))).code, 'pet_not_found');
    },
  },
  {
    name: 'a key is replaced without saying how',
    async run(world) {
      const { keys } = storeOf(world);
      const { id } = await keys.create({ name: 'Mirror', plan: 'free', scopes: ['read'] });
      const successor = await keys.rotate(id);
      equal((await keys.get(successor.id)).name, 'Mirror');
    },
  },
  {
    name: 'ifMatch changes a record only while it is as it was read',
    async run(world) {
      const { pets, categories } = storeOf(world);
      const created = await pets.create({ name: 'Willow', categoryId: UNNAMED });
      const changed = await pets.update(created.id, { name: 'Wilma' }, { ifMatch: created });
      const late = pets.update(created.id, { name: 'Late' }, { ifMatch: created });
      const { code, status } = await failureOf(late);
      equal([code, status], ['precondition_failed', 412]);
      const [listed] = (await pets.list({ id: created.id }).page()).items;
      equal(listed, changed);
      await pets.update(created.id, { name: 'Winnie' }, { ifMatch: listed });
      equal((await failureOf(pets.delete(created.id, { ifMatch: listed }))).status, 412);
      await pets.delete(created.id, { ifMatch: await pets.get(created.id) });
      const category = await categories.create({ name: `Fish ${Math.random()}` });
      await categories.delete(category.id, { ifMatch: { ...category } });
    },
  },
  {
    name: 'a record out of a list is read again first, and its tag is sent',
    async run(world) {
      const { store, seen } = scriptedStore(world, 'ok');
      const pet: Pet = { id: 7, name: 'Wilma', categoryId: 3, status: 'available' };
      const failure = await failureOf(store.pets.update(7, { name: 'Late' }, { ifMatch: pet }));
      equal(failure.code, 'precondition_failed');
      equal(
        (await seen()).map(({ method, target }) => `${method} ${target}`),
        ['GET /v1/pets?id=7'],
      );
    },
  },
  {
    name: 'an error has the code, the status, the message and the request id of the service',
    async run(world) {
      const { pets } = storeOf(world);
      const error = await failureOf(pets.create({ name: '', categoryId: UNNAMED }));
      equal([error.name, error.code, error.status], ['PetstoreError', 'invalid_body', 400]);
      equal(error.message.includes('name'), true, 'the message names the field');
      equal((error.requestId ?? '').length > 0, true, 'request id');
      const missing = await failureOf(pets.get(999_999_999));
      equal([missing.code, missing.status], ['pet_not_found', 404]);
    },
  },
];
