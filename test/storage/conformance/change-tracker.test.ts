import { describe, expect, test } from 'bun:test';
import type { Storage } from '../../../src/domain/storage.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { nextTurn, numbered } from '../change-recorder.ts';
import { animal, anyState, imported, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

/** Adds an animal, optionally with an order, and returns its id. */
async function addPet(storage: Storage, ordered = false): Promise<bigint> {
  const { id } = await storage.pets.create(animal(), CHANGE_STAMP);
  if (ordered) await storage.orders.place({ petId: id, adopter: undefined }, CHANGE_STAMP);
  return id;
}

/** Every kind of change that clients can see. Each prepares its data and returns the change. */
const CHANGES: [string, (storage: Storage) => Promise<() => unknown>][] = [
  ['an animal is added', async (storage) => () => addPet(storage)],
  [
    'an animal is renamed',
    async (storage) => {
      const id = await addPet(storage);
      return () => storage.pets.update(id, { name: 'Max' }, CHANGE_STAMP, anyState);
    },
  ],
  [
    'an animal is removed',
    async (storage) => {
      const id = await addPet(storage);
      return () => storage.pets.remove(id, CHANGE_STAMP, anyState);
    },
  ],
  [
    'animals are imported',
    async (storage) => () => storage.pets.importBatch([imported()], CHANGE_STAMP),
  ],
  ['a category is added', async (storage) => () => storage.categories.create('Dogs', CHANGE_STAMP)],
  [
    'a category is renamed',
    async (storage) => {
      const { id } = await storage.categories.create('Cats', CHANGE_STAMP);
      return () => storage.categories.rename(id, 'Tomcats', CHANGE_STAMP, anyState);
    },
  ],
  [
    'a category is removed',
    async (storage) => {
      const { id } = await storage.categories.create('Birds', CHANGE_STAMP);
      return () => storage.categories.remove(id, CHANGE_STAMP, anyState);
    },
  ],
  [
    'an order is placed',
    async (storage) => {
      const petId = await addPet(storage);
      return () => storage.orders.place({ petId, adopter: undefined }, CHANGE_STAMP);
    },
  ],
  [
    'an idempotent request has its effect',
    async (storage) => {
      const { id: keyId } = await storage.keys.create({
        hash: 'f'.repeat(64),
        name: 'k',
        plan: 'free',
        scopes: [],
        createdAt: 0,
        perMinute: null,
        perDay: null,
        expiresAt: null,
      });
      const request = { keyId, operation: 'o', key: 'k', fingerprint: 'f', at: 0 };
      return () =>
        storage.idempotency.once(request, async (records) => {
          await records.pets.create(animal(), CHANGE_STAMP);
          return {
            status: 201,
            body: '',
            headers: {},
          };
        });
    },
  ],
  [
    'everything is removed',
    async (storage) => {
      await addPet(storage);
      return () => storage.reset(CHANGE_STAMP);
    },
  ],
];

/** Tells whether there were changes since it was last asked, each time in a turn of its own. */
async function track(storage: Storage): Promise<() => Promise<boolean>> {
  let changed = false;
  const tracker = storage.trackChanges(() => {
    changed = true;
  });
  const hasChanged = async () => {
    await nextTurn();
    changed = false;
    expect(await tracker.catchUp()).toBe(true);
    return changed;
  };
  expect(await hasChanged()).toBe(true);
  return hasChanged;
}

describeContract((engine) => {
  describe.each(['here', 'by another process'])(
    'the change tracker, of changes made %s,',
    (where) => {
      test.each(CHANGES)('tells that %s, and does so at once', async (_, prepare) => {
        await using subject = await openSubject(engine);
        await using another = await subject.another();
        const writer = where === 'here' ? subject : another;
        const change = await prepare(writer.storage);
        const hasChanged = await track(subject.storage);
        await change();
        expect(await hasChanged()).toBe(true);
      });

      test('tells nothing while nothing changes', async () => {
        await using subject = await openSubject(engine);
        await numbered(subject.storage.changes);
        const hasChanged = await track(subject.storage);
        for (let turn = 0; turn < 3; turn++) expect(await hasChanged()).toBe(false);
      });
    },
  );
});
