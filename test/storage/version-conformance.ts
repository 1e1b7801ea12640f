import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { thenDo } from '../../src/domain/maybe-promise.ts';
import type { Storage } from '../../src/domain/storage.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import type { TestEngine } from '../support/engines.ts';
import { animal, anyState, imported, openSubject, type Subject } from './subject.ts';

/** A server may commit changes of its own, such as table statistics, so some attempts may fail. */
const TRIES_MAX = 20;
const CHANGES_MAX = 300;

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
        ...{ hash: 'f'.repeat(64), name: 'k', plan: 'free', scopes: [], createdAt: 0 },
        ...{ perMinute: null, perDay: null, expiresAt: null },
      });
      const request = { keyId, operation: 'o', key: 'k', fingerprint: 'f', at: 0 };
      return () =>
        storage.idempotency.once(request, (records) =>
          thenDo(records.pets.create(animal(), CHANGE_STAMP), () => ({
            status: 201,
            body: '',
            headers: {},
          })),
        );
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

/** The contract of the version of the records on every engine. */
export function describeVersion(engine: TestEngine): void {
  describe('the version of the records', () => {
    let subject: Subject;
    beforeAll(async () => {
      subject = await openSubject(engine);
    });
    afterAll(() => subject[Symbol.asyncDispose]());

    const readVersion = async () => {
      const version = await subject.storage.recordsVersion();
      if (version === undefined) throw new Error('there is no version');
      return version;
    };

    test.each(CHANGES)('increases when %s, here or by another process', async (_, prepare) => {
      await using other = await subject.another();
      for (const writer of [subject.storage, other.storage]) {
        await subject.storage.reset(CHANGE_STAMP);
        const change = await prepare(writer);
        const before = await readVersion();
        await change();
        expect(await readVersion()).toBeGreaterThan(before);
        await subject.database.sql('DELETE FROM api_keys');
      }
    });

    test('increases when another program changes a row directly', async () => {
      const id = await addPet(subject.storage);
      const before = await readVersion();
      await subject.database.sql(`UPDATE pets SET name = 'Max' WHERE id = ${id}`);
      expect(await readVersion()).toBeGreaterThan(before);
    });

    test('stays the same while nothing changes, however much is read', async () => {
      await addPet(subject.storage, true);
      for (let tries = 1; ; tries++) {
        const before = await readVersion();
        await subject.storage.pets.list({}, { afterId: undefined, limit: 10 });
        await subject.storage.orders.list({}, { afterId: undefined, limit: 10 });
        if ((await readVersion()) === before) return;
        if (tries === TRIES_MAX) throw new Error('the version changes every time');
      }
    });

    test('has increased for a reader right after a change, while others read all the time', async () => {
      await using other = await subject.another();
      const { id } = await subject.storage.categories.create('name 0', CHANGE_STAMP);
      let ended = false;
      const readOn = async () => {
        while (!ended) {
          await readVersion();
          await Bun.sleep(0);
        }
      };
      const others = [readOn(), readOn(), readOn()];
      try {
        for (let n = 1; n <= CHANGES_MAX; n++) {
          const before = await readVersion();
          await other.storage.categories.rename(id, `name ${n}`, CHANGE_STAMP, anyState);
          expect(await readVersion()).toBeGreaterThan(before);
        }
      } finally {
        ended = true;
        await Promise.all(others);
      }
    });

    test('is the same for all concurrent readers', async () => {
      const versions = await Promise.all(Array.from({ length: 100 }, readVersion));
      expect(new Set(versions).size).toBe(1);
    });
  });
}
