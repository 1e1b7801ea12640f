import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Change, LoggedChange } from '../../../src/domain/change-log.ts';
import type { Storage } from '../../../src/domain/storage.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { nextTurn, numbered, readLog, recordChanges } from '../change-recorder.ts';
import { animal, anyState, imported, openSubject, type Subject } from '../subject.ts';
import { describeContract } from './contract.ts';

const CHANGES_MAX = 300;
/** More than any engine reports one by one. */
const MANY = 1_500;

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

/** Writes of what no client reads from a cached response. */
const OTHER_WRITES: [string, (storage: Storage) => unknown][] = [
  ['the time when a key was last used', ({ keys }) => keys.recordUse(new Map([[1n, 1]]))],
  ['counts of requests', ({ allowances }) => allowances.save([])],
  ['results that have expired', ({ idempotency }) => idempotency.removeExpired(0, 10)],
  ['the order of the index of names', (storage) => storage.optimize()],
  ['old changes', ({ changes }) => changes.removeExpired(CHANGE_STAMP.at, 10)],
];

describeContract((engine) => {
  describe('a tracker of changes', () => {
    let subject: Subject;
    beforeAll(async () => {
      subject = await openSubject(engine);
    });
    afterAll(() => subject[Symbol.asyncDispose]());

    test.each(CHANGES)('reports that %s, here or by another process, once', async (_, prepare) => {
      await using other = await subject.another();
      for (const writer of [subject.storage, other.storage]) {
        await subject.storage.reset(CHANGE_STAMP);
        const change = await prepare(writer);
        const recorder = await recordChanges(subject.storage);
        const before = await newestId(subject.storage);
        await change();
        const reported = await recorder.next();
        expect(reported).not.toBeEmpty();
        // Changes of different records may come in any order.
        const logged = (await readLog(subject.storage, before)).map(withoutStamp);
        expect(sorted(reported)).toEqual(sorted(logged));
        expect(await recorder.next()).toEqual([]);
        await subject.database.sql('DELETE FROM api_keys');
      }
    });

    test('starts with what is there: everything before counts as lost', async () => {
      await addPet(subject.storage);
      const losses: string[] = [];
      const tracker = subject.storage.trackChanges({
        changed: ({ type }) => losses.push(type),
        lost: () => losses.push('lost'),
      });
      expect(await tracker.catchUp()).toBe(true);
      expect(losses).toEqual(['lost']);
    });

    test('tells what a change changed, private fields too, whoever made it', async () => {
      await using other = await subject.another();
      const told: unknown[] = [];
      const tracker = subject.storage.trackChanges({
        changed: ({ type }, fields) => told.push([type, fields ? JSON.parse(fields) : fields]),
        lost: () => {},
      });
      await tracker.catchUp();
      for (const { profiles, pets } of [subject.storage, other.storage]) {
        told.length = 0;
        const { id } = await pets.create(animal({ status: 'available' }), CHANGE_STAMP);
        await pets.update(id, { status: 'pending' }, CHANGE_STAMP, anyState);
        const change = { care: 'foster', size: 'small' } as const;
        await profiles.update(id, change, CHANGE_STAMP, anyState);
        await nextTurn();
        expect(await tracker.catchUp()).toBe(true);
        expect(told).toEqual([
          ['pet.created', null],
          ['pet.updated', { status: ['available', 'pending'] }],
          ['profile.updated', { care: [null, 'foster'], size: [null, 'small'] }],
        ]);
      }
    });

    test('serves several observers, each with every change', async () => {
      const recorders = [
        await recordChanges(subject.storage),
        await recordChanges(subject.storage),
      ];
      await addPet(subject.storage);
      for (const recorder of recorders) expect(await recorder.next()).toHaveLength(1);
    });

    test.each(OTHER_WRITES)('reports nothing for a write of %s', async (_, write) => {
      await using other = await subject.another();
      await addPet(subject.storage);
      const recorder = await recordChanges(subject.storage);
      await write(subject.storage);
      await write(other.storage);
      expect(await recorder.next()).toEqual([]);
      await addPet(other.storage);
      expect(await recorder.next()).toHaveLength(1);
    });

    test('reports nothing while nothing changes, however much is read', async () => {
      await addPet(subject.storage, true);
      const recorder = await recordChanges(subject.storage);
      await subject.storage.pets.list({}, { afterId: undefined, limit: 10 });
      await subject.storage.orders.list({}, { afterId: undefined, limit: 10 });
      expect(await recorder.next()).toEqual([]);
    });

    test('reports very many changes at once as lost', async () => {
      await using other = await subject.another();
      const recorder = await recordChanges(subject.storage);
      const rows = Array.from({ length: MANY }, () => imported());
      await other.storage.pets.importBatch(rows, CHANGE_STAMP);
      expect(await recorder.next()).toBe('lost');
      await numbered(subject.storage.changes);
      await addPet(other.storage);
      const after = await recorder.next();
      expect(after === 'lost' || after.length).not.toBe(0);
      await addPet(other.storage);
      expect(await recorder.next()).toHaveLength(1);
    });

    test('reports as lost what was removed from the log before it looked', async () => {
      await using other = await subject.another();
      const recorder = await recordChanges(subject.storage);
      for (let n = 0; n < 3; n++) await addPet(other.storage);
      await numbered(other.storage.changes);
      while ((await other.storage.changes.removeExpired(CHANGE_STAMP.at, 1_000)) > 0);
      while ((await other.storage.changes.removeFromAudit(CHANGE_STAMP.at, 1_000)) > 0);
      expect(await recorder.next()).toBe('lost');
      expect(await recorder.next()).toEqual([]);
    });

    test('reports a change to a reader right after it, while others read all the time', async () => {
      await using other = await subject.another();
      const { id } = await subject.storage.categories.create('name 0', CHANGE_STAMP);
      let name = '';
      const tracker = subject.storage.trackChanges({
        changed(change) {
          if ('category' in change) ({ name } = change.category);
        },
        lost: () => {},
      });
      await tracker.catchUp();
      let ended = false;
      const readOn = async () => {
        while (!ended) {
          await tracker.catchUp();
          await Bun.sleep(0);
        }
      };
      const others = [readOn(), readOn(), readOn()];
      try {
        for (let n = 1; n <= CHANGES_MAX; n++) {
          await other.storage.categories.rename(id, `name ${n}`, CHANGE_STAMP, anyState);
          expect(await tracker.catchUp()).toBe(true);
          expect(name).toBe(`name ${n}`);
        }
      } finally {
        ended = true;
        await Promise.all(others);
      }
    });

    test('reports the changes of one record in their order, from several writers', async () => {
      await using other = await subject.another();
      const id = await addPet(subject.storage);
      const recorder = await recordChanges(subject.storage);
      const rename = (storage: Storage, name: string) =>
        storage.pets.update(id, { name }, CHANGE_STAMP, anyState);
      for (let turn = 0; turn < 20; turn++) {
        await Promise.all([
          rename(subject.storage, `a${turn}`),
          rename(other.storage, `b${turn}`),
          rename(other.storage, `c${turn}`),
        ]);
        const reported = await recorder.next();
        if (reported === 'lost') throw new Error('nothing was lost');
        expect(reported.at(-1)).toMatchObject({ pet: await subject.storage.pets.find(id) });
      }
    });
  });
});

async function newestId({ changes, optimize }: Storage): Promise<bigint> {
  // A new key is in the log too, and gets its number only here.
  await optimize();
  await numbered(changes);
  return await changes.newest();
}

function withoutStamp({ id: _, at: __, keyId: ___, ...change }: LoggedChange): Change {
  return change;
}

/** Sorted by their text, which has to be the same for the same change. */
function sorted(changes: readonly Change[] | 'lost'): readonly Change[] {
  if (changes === 'lost') throw new Error('nothing was lost');
  return changes.toSorted((one, other) => Bun.inspect(one).localeCompare(Bun.inspect(other)));
}
