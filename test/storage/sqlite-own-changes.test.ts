import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test';
import type { Change } from '../../src/domain/change-log.ts';
import type { Storage } from '../../src/domain/storage.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createRandom } from '../e2e/crash/random.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';
import { nextTurn, readLog } from './change-recorder.ts';
import { animal, anyState, imported } from './subject.ts';

const STEPS = 400;

let folder: TemporaryFolder;
let storage: Storage;
let other: Storage;
let reported: Change[];
let losses: number;
let catchUp: () => Promise<void>;

beforeEach(async () => {
  folder = createTemporaryFolder();
  const address = `sqlite:${folder.file('petstore.db')}`;
  storage = await openStorage(address, 'production');
  other = await openStorage(address, 'production');
  reported = [];
  losses = 0;
  const tracker = storage.trackChanges({
    changed: (change) => void reported.push(change),
    lost: () => void losses++,
  });
  catchUp = async () => {
    await nextTurn();
    expect(tracker.catchUp()).toBe(true);
  };
  await catchUp();
  losses = 0;
});

afterEach(async () => {
  await storage.close();
  await other.close();
  folder[Symbol.dispose]();
});

const add = (to: Storage, name = 'Max') =>
  Promise.resolve(to.pets.create({ ...animal(), name }, CHANGE_STAMP));

/** Every change in the log, without its stamp. */
async function logged(): Promise<Change[]> {
  const changes = await readLog(other, undefined);
  return changes.map(({ id: _, at: __, keyId: ___, ...change }) => change);
}

/** Counts the times that a tracker reads the log. */
function countReads(): { readonly reads: () => number; catchUp(): Promise<void> } {
  const { query } = Database.prototype;
  let reads = 0;
  using prepare = spyOn(Database.prototype, 'query');
  function prepareCounted(this: Database, sql: string) {
    const statement = query.call(this, sql);
    if (!sql.includes('FROM changes WHERE id > ?')) return statement;
    return new Proxy(statement, {
      get(target, name) {
        if (name === 'all') reads++;
        const member = Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  }
  // The types of the rows are those of the caller, which calls the same function.
  prepare.mockImplementation(prepareCounted as typeof query);
  const tracker = storage.trackChanges({
    changed: (change) => void reported.push(change),
    lost: () => {},
  });
  return {
    reads: () => reads,
    async catchUp() {
      await nextTurn();
      expect(tracker.catchUp()).toBe(true);
    },
  };
}

test('our own changes are not read from the log', async () => {
  const counted = countReads();
  await counted.catchUp();
  const { id } = await add(storage);
  await Promise.all([add(storage, 'one'), add(storage, 'two')]);
  await counted.catchUp();
  await storage.pets.update(id, { status: 'pending' }, CHANGE_STAMP, anyState);
  await storage.keys.recordUse(new Map([[1n, 1]]));
  await counted.catchUp();
  expect(counted.reads()).toBe(0);
  expect(reported).toHaveLength(4);
  await add(other);
  await counted.catchUp();
  expect(counted.reads()).toBe(1);
  expect(reported).toEqual(await logged());
});

test('a write that fails beside others leaves its changes unreported', async () => {
  const { id } = await add(storage);
  const refuse = () => {
    throw new Error('not this one');
  };
  const results = await Promise.allSettled([
    add(storage, 'before'),
    storage.pets.update(id, { name: 'never' }, CHANGE_STAMP, refuse),
    storage.idempotency.once(
      { keyId: 99n, operation: 'o', key: 'k', fingerprint: 'f', at: 0 },
      // The key does not exist, so the record of the effect is refused after the effect.
      async (records) => {
        await records.pets.create({ ...animal(), name: 'undone' }, CHANGE_STAMP);
        return { status: 201, body: '', headers: {} };
      },
    ),
    add(storage, 'after'),
  ]);
  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
    'fulfilled',
  ]);
  await catchUp();
  expect(reported.map((change) => 'pet' in change && change.pet.name)).toEqual([
    'Max',
    'before',
    'after',
  ]);
  expect(reported).toEqual(await logged());
});

test('more changes than memory holds are lost, and those after them are reported', async () => {
  const rows = Array.from({ length: 1_500 }, () => imported());
  await storage.pets.importBatch(rows, CHANGE_STAMP);
  await catchUp();
  expect(losses).toBe(1);
  await add(storage, 'next');
  await catchUp();
  expect(reported).toMatchObject([{ type: 'pet.created', pet: { name: 'next' } }]);
});

test.each([1, 2, 3])(
  'whoever commits, and whenever the tracker looks, it reports the log in order (seed %p)',
  async (seed) => {
    const random = createRandom(seed);
    let expected = 0;
    for (let step = 0; step < STEPS; step++) {
      const writer = random.below(3) === 0 ? other : storage;
      const name = `step ${step}`;
      const writes = Array.from({ length: 1 + random.below(3) }, () => add(writer, name));
      if (random.below(4) === 0) {
        writes.push(add(writer === storage ? other : storage, name));
      }
      if (random.below(5) === 0)
        await storage.orders.place(
          { petId: (await add(storage, name)).id, adopter: 'Ada' },
          CHANGE_STAMP,
        );
      await Promise.all(writes);
      if (random.below(3) === 0) await storage.keys.recordUse(new Map([[1n, step]]));
      if (random.below(40) === 0) new Database(folder.file('petstore.db')).close();
      if (random.below(2) === 0) continue;
      await catchUp();
      expect(reported.length).toBeGreaterThan(expected);
      expected = reported.length;
    }
    await catchUp();
    expect(losses).toBe(0);
    expect(reported).toEqual(await logged());
  },
  60_000,
);
