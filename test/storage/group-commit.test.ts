import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { openStorage } from '../../src/storage/open.ts';
import { openConnection } from '../../src/storage/sqlite/connection.ts';
import { createGroupCommit, type Write } from '../../src/storage/sqlite/group-commit.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { sqliteDatabaseAt } from '../support/engines.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';
import { animal, anyState, newKey } from './subject.ts';
import { commitsInLog, logBytes } from './write-ahead-log.ts';

const BATCH_MAX = 512;
/** The longest time that a write waits for the end of a turn. */
const TURN_MAX_MS = 10;
const LOCK_TIMEOUT_MS = 1_500;
/** The pause between two attempts to write. */
const RETRY_MS = 5;

let folder: TemporaryFolder;
let path: string;
let database: Database;
let write: Write;
/** The number of writes in each commit, as reported to an observer. */
let sizes: number[];
/** The group commit's clock, injected so that a busy machine cannot change the outcome. */
let now: number;
beforeEach(() => {
  folder = createTemporaryFolder();
  path = folder.file('petstore.db');
  database = openConnection(path, 'production');
  sizes = [];
  now = 0;
  const observer = { committed: (writes: number) => sizes.push(writes) };
  write = createGroupCommit(database, observer, () => now);
});
afterEach(() => {
  database.close();
  folder[Symbol.dispose]();
});

const times = <T>(count: number, make: (i: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i));
/** Adds a category and returns its id. */
const add = (name: string) =>
  write(() => {
    const sql = 'INSERT INTO categories (name, name_folded) VALUES (?, ?)';
    return database.query<null, [string, string]>(sql).run(name, name).lastInsertRowid;
  });
const names = () =>
  database
    .query<{ name: string }, []>('SELECT name FROM categories ORDER BY id')
    .all()
    .map(({ name }) => name);
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const lockedByAnother = () => sqliteDatabaseAt(path).holdWrites();

describe('a group commit', () => {
  test('is one transaction for all the writes of one turn', async () => {
    const before = commitsInLog(path);
    await Promise.all(times(200, (i) => add(`${i}`)));
    expect(commitsInLog(path)).toBe(before + 1);
    expect(names()).toEqual(times(200, (i) => `${i}`));
    await add('alone');
    await add('alone again');
    expect(commitsInLog(path)).toBe(before + 3);
    expect(sizes).toEqual([200, 1, 1]);
  });

  test('waits for the next turn while each turn adds writes, and commits after one that adds none', async () => {
    const before = commitsInLog(path);
    const writing = [add('0'), add('1')];
    for (let i = 2; i < 6; i++) {
      await turn();
      writing.push(add(`${i}`));
    }
    await Promise.all(writing);
    expect(commitsInLog(path)).toBe(before + 1);
    const alone = add('alone');
    await turn();
    const late = add('late');
    await Promise.all([alone, late]);
    expect(commitsInLog(path)).toBe(before + 3);
  });

  test('does not wait for the end of a long turn', async () => {
    const completed: string[] = [];
    const note = async (name: string) => {
      await add(name);
      completed.push(name);
    };
    const writing = [note('first')];
    now += TURN_MAX_MS + 1;
    writing.push(note('second'));
    // Promises resolve within a turn; the turn itself does not end before this.
    for (let i = 0; i < 10; i++) await Promise.resolve();
    expect(completed).toEqual(['first', 'second']);
    await Promise.all(writing);
  });

  test('resolves each write only once it is in the database, in submission order', async () => {
    const completed: number[] = [];
    const writing = times(100, async (i) => {
      const id = Number(await add(`${i}`));
      completed.push(i);
      using other = openConnection(path, 'production');
      const found = other.query('SELECT name FROM categories WHERE id = ?').get(id);
      expect(found).toEqual({ name: `${i}` });
      return id;
    });
    expect(names()).toEqual([]);
    expect(await Promise.all(writing)).toEqual(times(100, (i) => i + 1));
    expect(completed).toEqual(times(100, (i) => i));
  });

  test('rolls back a write that throws, and commits the others', async () => {
    const half = () =>
      write(() => {
        database.run("INSERT INTO categories (name, name_folded) VALUES ('half', 'half')");
        throw new RangeError('thrown');
      });
    const before = commitsInLog(path);
    const writing = times(30, (i) => (i % 3 === 1 ? half() : add(`${i}`)));
    // A constraint violation also fails only its own write.
    writing.push(add('0'), add('last'));
    const outcomes = await Promise.allSettled(writing);
    const failed = outcomes.flatMap(({ status }, i) => (status === 'rejected' ? [i] : []));
    expect(failed).toEqual([...times(10, (i) => 3 * i + 1), 30]);
    expect(outcomes[1]).toEqual({ status: 'rejected', reason: new RangeError('thrown') });
    expect(names()).toEqual([
      ...times(30, (i) => i).flatMap((i) => (i % 3 === 1 ? [] : [`${i}`])),
      'last',
    ]);
    expect(commitsInLog(path)).toBe(before + 1);
    expect(sizes).toEqual([21]);
  });

  test('holds a limited number of writes; the rest follow in the next', async () => {
    const before = commitsInLog(path);
    const count = 2 * BATCH_MAX + 76;
    const ids = await Promise.all(times(count, (i) => add(`${i}`)));
    expect(ids.map(Number)).toEqual(times(count, (i) => i + 1));
    expect(commitsInLog(path)).toBe(before + 3);
    await Promise.all(times(BATCH_MAX, (i) => add(`more ${i}`)));
    expect(commitsInLog(path)).toBe(before + 4);
  });

  test('accepts writes that depend on the result of an earlier one', async () => {
    const chain = async (name: string) => {
      for (let i = 0; i < 20; i++) await add(`${name}${i}`);
    };
    await Promise.all(times(40, (i) => chain(`${i}-`)));
    expect(names()).toHaveLength(800);
  });
});

describe('while another process writes', () => {
  test('reads continue, and the writes succeed once it releases the lock', async () => {
    await add('before');
    const held = await lockedByAnother();
    let settled = 0;
    const writing = times(20, (i) => Promise.resolve(add(`${i}`)).finally(() => settled++));
    const turns: number[] = [];
    for (let i = 0; i < 21; i++) {
      const start = performance.now();
      expect(names()).toEqual(['before']);
      await Bun.sleep(2 * RETRY_MS);
      turns.push(performance.now() - start);
    }
    expect(settled).toBe(0);
    // SQLite's own busy wait would block the loop at each attempt; a busy machine may sometimes.
    expect(turns.sort((a, b) => a - b)[10]).toBeLessThan(200);
    const before = commitsInLog(path);
    await held[Symbol.asyncDispose]();
    await Promise.all(writing);
    expect(names()).toEqual(['before', ...times(20, (i) => `${i}`)]);
    expect(commitsInLog(path)).toBe(before + 1);
  });

  test('writes fail together with service_unavailable after 1.5 s, and later ones succeed', async () => {
    const held = await lockedByAnother();
    let settled = 0;
    const outcomes = times(BATCH_MAX + 100, async (i) => {
      const reason = await Promise.resolve(add(`${i}`)).catch((error) => error);
      settled++;
      return reason.code;
    });
    // After its first attempt, the wait has started.
    for (let i = 0; i < 5; i++) await turn();
    now += LOCK_TIMEOUT_MS;
    await Bun.sleep(5 * RETRY_MS);
    expect(settled).toBe(0);
    now += 1;
    expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['service_unavailable']));
    expect(names()).toEqual([]);

    // The next write has its own timeout.
    const next = add('next');
    for (let i = 0; i < 5; i++) await turn();
    now += LOCK_TIMEOUT_MS;
    await Bun.sleep(5 * RETRY_MS);
    await held[Symbol.asyncDispose]();
    await next;
    expect(names()).toEqual(['next']);
  });

  test('a later write waits with the earlier ones', async () => {
    const held = await lockedByAnother();
    const first = add('first');
    await Bun.sleep(5 * RETRY_MS);
    now += LOCK_TIMEOUT_MS / 2;
    const late = add('late');
    await Bun.sleep(5 * RETRY_MS);
    await held[Symbol.asyncDispose]();
    await Promise.all([first, late]);
    expect(names()).toEqual(['first', 'late']);
  });
});

describe('the storage', () => {
  test('commits waiting writes before it closes, and rejects later ones', async () => {
    const storage = await openStorage(`sqlite:${path}`, 'production');
    const create = async () => await storage.pets.create(animal(), CHANGE_STAMP);
    const adding = times(BATCH_MAX + 300, create);
    await storage.close();
    expect(await Promise.all(adding)).toHaveLength(BATCH_MAX + 300);
    const [row] = await sqliteDatabaseAt(path).sql('SELECT count(*) AS n FROM pets');
    expect(row).toEqual({ n: BigInt(BATCH_MAX + 300) });
    await expect(create()).rejects.toThrow();
  });

  test('rejects waiting writes when it closes while another process writes', async () => {
    const storage = await openStorage(`sqlite:${path}`, 'production');
    const held = await lockedByAnother();
    const adding = (async () => await storage.pets.create(animal(), CHANGE_STAMP))();
    const failure = adding.catch((error) => error);
    await storage.close();
    expect(await failure).toMatchObject({ code: 'service_unavailable' });
    await held[Symbol.asyncDispose]();
  });

  test('refuses work that waits inside a transaction, and rolls it back', async () => {
    const storage = await openStorage(`sqlite:${path}`, 'production');
    const request = { keyId: 1n, operation: 'o', key: 'k', fingerprint: 'f', at: CHANGE_STAMP.at };
    const waiting = async () =>
      await storage.idempotency.once(request, async ({ pets }) => {
        await pets.create(animal(), CHANGE_STAMP);
        await Bun.sleep(0);
        return { status: 201, body: '', headers: {} };
      });
    await expect(waiting()).rejects.toThrow('waited inside a transaction');
    expect(await storage.pets.count()).toBe(0);
    await storage.close();
  });
});

describe('the write-ahead log', () => {
  /** SQLite checkpoints the log at 1,000 pages of 4 KiB; a transaction may exceed that. */
  const BYTES_MAX = 6 * 1_048_576;

  test('stays bounded while 20,000 animals are added', async () => {
    const storage = await openStorage(`sqlite:${path}`, 'production');
    for (let i = 0; i < 20_000; i += 50) {
      await Promise.all(times(50, async () => await storage.pets.create(animal(), CHANGE_STAMP)));
      expect(logBytes(path)).toBeLessThan(BYTES_MAX);
    }
    expect(await storage.pets.count()).toBe(20_000);
    await storage.close();
  }, 60_000);

  test('stays bounded under every other kind of write, mixed with reads', async () => {
    const { keys, pets, orders, categories, idempotency, ...storage } = await openStorage(
      `sqlite:${path}`,
      'production',
    );
    const { id: keyId } = await keys.create(newKey());

    async function oneOfEach(name: string): Promise<void> {
      const body = 'x'.repeat(500);
      const request = { keyId, operation: 'o', key: name, fingerprint: 'f', at: CHANGE_STAMP.at };
      await idempotency.once(request, async () => ({ status: 201, body, headers: {} }));
      const { id: petId } = await pets.create(animal({ name: body.slice(0, 255) }), CHANGE_STAMP);
      const { id } = await orders.place({ petId, adopter: undefined }, CHANGE_STAMP);
      await orders.find(id);
      await orders.update(id, { status: 'cancelled' }, CHANGE_STAMP, anyState);
      await pets.list({ status: 'available' }, { afterId: undefined, limit: 2 });
      await categories.create(name, CHANGE_STAMP);
      await categories.list({ afterId: undefined, limit: 1 });
      await pets.remove(petId, CHANGE_STAMP, anyState);
      await keys.findByHash('x'.repeat(64));
    }
    for (let i = 0; i < 1_500; i += 10) {
      await Promise.all(times(10, (j) => oneOfEach(`${i + j}`)));
      expect(logBytes(path)).toBeLessThan(BYTES_MAX);
    }
    await storage.close();
  }, 60_000);
});
