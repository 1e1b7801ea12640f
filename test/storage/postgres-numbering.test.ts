import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { LoggedChange } from '../../src/domain/change-log.ts';
import type { Storage } from '../../src/domain/storage.ts';
import { openStorage } from '../../src/storage/open.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { eventually } from '../support/eventually.ts';
import { forAllTests } from '../support/lifetime.ts';
import { createPostgresDatabase } from '../support/postgres-engine.ts';
import { startPostgres } from '../support/postgres-server.ts';
import type { TestDatabase } from '../support/test-database.ts';
import { openSession } from './raw-session.ts';
import { animal } from './subject.ts';

const INSTANCES = 3;
const WRITERS = 8;
const CHANGES_PER_WRITER = 150;
/** More than one step numbers. */
const MANY = 2_500;

const rename = (id: number, name: string) =>
  `WITH pet AS (UPDATE pets SET name = '${name}' WHERE id = ${id} RETURNING id)
   INSERT INTO unnumbered_changes (type, at, record_id, name)
   SELECT 'pet.updated', 0, id, '${name}' FROM pet`;
const namesOf = (changes: readonly LoggedChange[]) =>
  changes.map((change) => ('pet' in change ? change.pet.name : change.type));

describe('the numbering of changes in PostgreSQL', () => {
  let database: TestDatabase;
  let storage: Storage;
  const server = forAllTests(() => startPostgres());
  beforeEach(async () => {
    database = await createPostgresDatabase(server);
    storage = await openStorage(database.address, 'production');
  });
  afterEach(async () => {
    await storage.close();
    await database[Symbol.asyncDispose]();
  });

  const add = async (name = 'Rex') =>
    (await storage.pets.create(animal({ name }), CHANGE_STAMP)).id;
  /** Gives an id to every change that is visible, and reads the log. */
  async function readNumbered(): Promise<readonly LoggedChange[]> {
    await storage.optimize();
    expect(await storage.changes.lag()).toEqual({ waiting: 0, oldestMs: 0 });
    const found = await readFrom(storage, 0n);
    expect(found.map(({ id }) => id)).toEqual(found.map((_, n) => BigInt(n + 1)));
    return found;
  }
  const isBlocked = () =>
    eventually(
      () => database.sql('SELECT FROM pg_locks WHERE NOT granted'),
      (locks) => locks.length > 0,
    );

  test('follows the order of changes of a record, not of transactions, while another is open', async () => {
    await add('new');
    await using first = await openSession(database.address);
    await using open = await openSession(database.address);
    await using second = await openSession(database.address);
    // The first transaction has an older id, and changes the animal later.
    for (const session of [first, open, second]) {
      await session.run('BEGIN');
      await session.run('SELECT pg_current_xact_id()');
    }
    await second.run(rename(1, 'second'));
    const waiting = first.run(rename(1, 'first'));
    await isBlocked();
    await second.run('COMMIT');
    await waiting;
    expect(namesOf(await readNumbered())).toEqual(['new', 'second']);
    await first.run('COMMIT');
    expect(namesOf(await readNumbered())).toEqual(['new', 'second', 'first']);
    // The transaction that is still open delayed none of them.
    await open.run(rename(1, 'open'));
    await open.run('COMMIT');
    expect(namesOf(await readNumbered())).toEqual(['new', 'second', 'first', 'open']);
  });

  test('tells who listens of the changes of an instance that was killed', async () => {
    await database.sql("INSERT INTO unnumbered_changes (type, at) VALUES ('store.reset', 0)");
    let heard = 0;
    storage.changes.listen(() => heard++);
    await storage.optimize();
    expect(heard).toBe(1);
  });

  test('leaves no connection open that cannot be named', async () => {
    const name = new URL(database.address).pathname.slice(1);
    await database.sql(`ALTER DATABASE ${name} SET search_path = public, pg_catalog`);
    await database.sql(`CREATE FUNCTION pg_advisory_lock_shared(bigint) RETURNS void
      LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END'`);
    const server = { process: 1, host: 'here', port: 0 };
    const named = await openStorage(database.address, 'production', { server });
    for (let n = 0; n < 9; n++) await expect(named.optimize()).rejects.toThrow('no');
    await eventually(
      () => database.sql(`SELECT FROM pg_stat_activity WHERE datname = '${name}'`),
      (sessions) => sessions.length < 9,
    );
    await named.close();
  });

  test('gives the changes of each record their order, with many numberers in small steps', async () => {
    for (let n = 0; n < 2; n++) await add('0');
    let isWriting = true;
    const number = async () => {
      await using session = await openSession(database.address);
      while (isWriting) await session.run('SELECT number_changes(3)');
    };
    const numbering = [number(), number(), number()];
    const write = async () => {
      await using session = await openSession(database.address);
      for (let n = 1; n <= CHANGES_PER_WRITER; n++) {
        // The name counts the changes of the animal in the order of its locks.
        await session.run(
          `WITH pet AS (
             UPDATE pets SET name = (CAST(name AS integer) + 1)::text WHERE id = ${1 + (n % 2)}
             RETURNING id, name
           )
           INSERT INTO unnumbered_changes (type, at, record_id, name)
           SELECT 'pet.updated', 0, id, name FROM pet`,
        );
      }
    };
    await Promise.all(Array.from({ length: 4 }, write));
    isWriting = false;
    await Promise.all(numbering);
    const changes = await readNumbered();
    for (const id of [1n, 2n]) {
      const own = changes.filter((change) => 'pet' in change && change.pet.id === id);
      const count = 2 * CHANGES_PER_WRITER + 1;
      expect(namesOf(own)).toEqual(Array.from({ length: count }, (_, n) => String(n)));
    }
  });

  test('lets readers of every instance miss nothing while eight writers write', async () => {
    const more = INSTANCES - 1;
    const others = await Promise.all(
      Array.from({ length: more }, () => openStorage(database.address, 'production')),
    );
    const instances = [storage, ...others];
    const instance = (n: number) => instances[n % instances.length] ?? storage;
    const total = WRITERS * CHANGES_PER_WRITER;
    const readers = instances.map(async (each) => {
      const seen: bigint[] = [];
      let last = 0n;
      while (seen.length < total) {
        const page = await each.changes.list({ after: last, limit: 100 });
        seen.push(...page.changes.map(({ id }) => id));
        last = page.resumeAfter;
        await Bun.sleep(1);
      }
      return seen;
    });
    const written: bigint[] = [];
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        for (let n = 0; n < CHANGES_PER_WRITER; n++) {
          const { pets } = instance(writer + n);
          written.push((await pets.create(animal(), CHANGE_STAMP)).id);
        }
      }),
    );
    const expected = Array.from({ length: total }, (_, n) => BigInt(n + 1));
    for (const seen of await Promise.all(readers)) expect(seen).toEqual(expected);
    const created = (await readNumbered()).map((change) => 'pet' in change && change.pet.id);
    expect(new Set(created)).toEqual(new Set(written));
    await Promise.all(others.map((each) => each.close()));
  });

  test('takes as many steps as it needs', async () => {
    await database.sql(
      `INSERT INTO unnumbered_changes (type, at)
       SELECT 'store.reset', 0 FROM generate_series(1, ${MANY})`,
    );
    expect(await readNumbered()).toHaveLength(MANY);
  });

  test('gives ids to the changes that a killed instance left, and writes nothing without any', async () => {
    await database.sql(rename(Number(await add()), 'left'));
    expect(namesOf(await readNumbered())).toEqual(['Rex', 'left']);
    const xid = async () => {
      const [row] = await database.sql(
        'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS xid',
      );
      return row?.['xid'];
    };
    const before = await xid();
    for (let n = 0; n < 3; n++) await storage.optimize();
    expect(await xid()).toBe(before);
  });

  test('goes on after a numberer whose connection is lost in the middle', async () => {
    await using stranger = await openSession(database.address);
    await stranger.run('BEGIN');
    await stranger.run('LOCK TABLE changes IN SHARE MODE');
    await add('one');
    await isBlocked();
    await add('two');
    const ended = await database.sql(
      'SELECT pg_terminate_backend(pid) AS done FROM pg_locks WHERE NOT granted',
    );
    expect(ended).toEqual([{ done: true }]);
    await stranger.run('ROLLBACK');
    expect(namesOf(await readNumbered())).toEqual(['one', 'two']);
  });

  test('waits for nobody who holds the right to number, and goes on when that session is lost', async () => {
    const stranger = await openSession(database.address);
    await stranger.run('BEGIN');
    await stranger.run('SELECT FROM change_numbering FOR UPDATE');
    await add('one');
    await add('two');
    await storage.optimize();
    expect((await storage.changes.lag()).waiting).toBe(2);
    expect(await storage.changes.newest()).toBe(0n);
    let calls = 0;
    storage.changes.listen(() => calls++);
    await stranger[Symbol.asyncDispose]();
    await eventually(storage.changes.newest, (id) => id === 2n);
    await eventually(
      () => calls,
      (count) => count > 0,
    );
    expect(namesOf(await readNumbered())).toEqual(['one', 'two']);
  });

  test('tells the lag: changes without an id, and the age of the oldest', async () => {
    await using stranger = await openSession(database.address);
    await stranger.run('BEGIN');
    await stranger.run('SELECT FROM change_numbering FOR UPDATE');
    const at = Date.now() - 60_000;
    await storage.pets.create(animal(), { at, keyId: null });
    const { waiting, oldestMs } = await storage.changes.lag();
    expect(waiting).toBe(1);
    expect(oldestMs).toBeWithin(60_000, 3_600_000);
    await database.sql(`UPDATE unnumbered_changes SET at = ${Date.now() + 3_600_000}`);
    expect(await storage.changes.lag()).toEqual({ waiting: 1, oldestMs: 0 });
    await stranger.run('ROLLBACK');
  });

  test('gives ids to what was written before the storage is closed', async () => {
    const other = await openStorage(database.address, 'production');
    await other.pets.create(animal(), CHANGE_STAMP);
    await other.close();
    expect(await storage.changes.lag()).toEqual({ waiting: 0, oldestMs: 0 });
  });

  test('notes a reset after everything that it removes', async () => {
    let isAdding = true;
    const adding = Array.from({ length: WRITERS }, async () => {
      while (isAdding) await storage.pets.create(animal(), CHANGE_STAMP);
    });
    await eventually(storage.changes.newest, (id) => id > 50n);
    await using other = await openOther(database.address);
    await other.storage.reset(CHANGE_STAMP);
    isAdding = false;
    await Promise.all(adding);
    const left = new Set<bigint>();
    for (const change of await readNumbered()) {
      if (change.type === 'store.reset') left.clear();
      else if ('pet' in change) left.add(change.pet.id);
    }
    const rows = await database.sql('SELECT id FROM pets');
    expect(left).toEqual(new Set(rows.map(({ id }) => BigInt(String(id)))));
  });
});

async function openOther(address: string) {
  const storage = await openStorage(address, 'production');
  return { storage, [Symbol.asyncDispose]: async () => await storage.close() };
}

/** Reads the log to its end. */
async function readFrom({ changes }: Storage, start: bigint): Promise<LoggedChange[]> {
  const found: LoggedChange[] = [];
  for (let after = start; ; ) {
    const page = await changes.list({ after, limit: 100 });
    if (page.changes.length === 0) return found;
    found.push(...page.changes);
    after = page.resumeAfter;
  }
}
