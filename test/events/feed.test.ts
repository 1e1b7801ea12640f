import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { ChangePage, ChangeType } from '../../src/domain/change-log.ts';
import { unavailable } from '../../src/domain/failure.ts';
import type { Storage } from '../../src/domain/storage.ts';
import { createFeed, GATHER_MS, type RunningFeed } from '../../src/events/feed.ts';
import { CHECK_MS } from '../../src/events/watch.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/storage.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';
import { createMovedTime, settled } from './moved-time.ts';

const MAX = 3;
const REX = { name: 'Rex', categoryId: 7n, status: 'available' } as const;

let folder: TemporaryFolder;
let storage: Storage;
/** The same database, as another process has it. */
let other: Storage;
let moved: ReturnType<typeof createMovedTime>;
let feed: RunningFeed;
/** Calls of the log: what the waits cost. */
let calls: { list: number; newest: number };
/** Thrown by the log while it is set. */
let fault: { list?: Error; newest?: Error };
let client: AbortController;
let keys = 0n;

beforeEach(() => {
  folder = createTemporaryFolder();
  storage = openSqliteStorage(folder.file('petstore.db'), 'production');
  other = openSqliteStorage(folder.file('petstore.db'), 'production');
  moved = createMovedTime();
  calls = { list: 0, newest: 0 };
  fault = {};
  client = new AbortController();
  const { changes } = storage;
  const log = {
    ...changes,
    list(request: Parameters<typeof changes.list>[0]) {
      calls.list++;
      if (fault.list) throw fault.list;
      return changes.list(request);
    },
    newest() {
      calls.newest++;
      if (fault.newest) throw fault.newest;
      return changes.newest();
    },
  };
  feed = createFeed(log, MAX, moved.time);
});

afterEach(async () => {
  feed.end();
  await storage.close();
  await other.close();
  folder[Symbol.dispose]();
});

/** Waits with a key of its own. */
const next = (after = 0n, types?: readonly ChangeType[], limit = 20) =>
  nextOf(++keys, after, types, limit);
const nextOf = (keyId: bigint, after = 0n, types?: readonly ChangeType[], limit = 20) =>
  nextAfter({ changes: [], resumeAfter: after }, keyId, types, limit);
/** Waits for what follows on a page. */
const nextAfter = (page: ChangePage, keyId: bigint, types?: readonly ChangeType[], limit = 20) =>
  feed.next(page, { types, limit }, 1_000, { keyId, signal: client.signal });
/** Lets the change be seen, and the moment pass in which others get into the same response. */
async function gather(): Promise<void> {
  await settled();
  await moved.advance(GATHER_MS);
}
const typesIn = ({ changes }: ChangePage) => changes.map(({ type }) => type);

describe('a wait for changes', () => {
  test('sees a change of this process without a timer', async () => {
    const page = next();
    await storage.pets.create(REX, CHANGE_STAMP);
    await gather();
    expect(typesIn(await page)).toEqual(['pet.created']);
    expect(feed.report()).toMatchObject({ waiting: 0, ended: { changes: 1 } });
  });

  test('sees a change of another process at the next check, also one before it began', async () => {
    const page = next();
    await other.pets.create(REX, CHANGE_STAMP);
    for (const seen of [page, next()]) {
      await moved.advance();
      await gather();
      expect(typesIn(await seen)).toEqual(['pet.created']);
    }
  });

  test('is refused if a quarter of the places are taken with its key, until one is free', async () => {
    const first = nextOf(7n);
    await expect(nextOf(7n)).rejects.toThrow('Too many requests are waiting');
    void nextOf(8n);
    await storage.pets.create(REX, CHANGE_STAMP);
    await gather();
    expect(typesIn(await first)).toEqual(['pet.created']);
    void nextOf(7n, 1n);
    await expect(nextOf(7n, 1n)).rejects.toThrow('Too many requests are waiting');
  });

  test('ends when its time is over, and not before', async () => {
    const page = next(5n);
    await moved.advance(999);
    expect(feed.report().waiting).toBe(1);
    await moved.advance(1);
    expect(await page).toEqual({ changes: [], resumeAfter: 5n });
    expect(feed.report()).toMatchObject({ waiting: 0, ended: { time: 1 } });
  });

  test('ends when the client goes away, and frees its place', async () => {
    const all = [next(), next(), next()];
    await expect(next()).rejects.toThrow('Too many requests are waiting');
    client.abort();
    expect((await Promise.all(all)).flatMap(typesIn)).toEqual([]);
    expect(feed.report()).toMatchObject({ waiting: 0, ended: { disconnected: 3, refused: 1 } });
    expect(await next()).toEqual({ changes: [], resumeAfter: 0n });
    client = new AbortController();
    void next();
    expect(feed.report().waiting).toBe(1);
  });

  test('ends at the end of the service, and none begins after it', async () => {
    const page = next(7n);
    feed.end();
    expect(await page).toEqual({ changes: [], resumeAfter: 7n });
    expect(await next(8n)).toEqual({ changes: [], resumeAfter: 8n });
    expect(feed.report()).toMatchObject({ waiting: 0, ended: { shutdown: 1 } });
    expect(moved.timers.size).toBe(0);
  });

  test('above the newest change goes on until there is a greater one', async () => {
    const page = next(1n);
    await storage.pets.create(REX, CHANGE_STAMP);
    await settled();
    expect(feed.report().waiting).toBe(1);
    await storage.pets.create(REX, CHANGE_STAMP);
    await gather();
    expect((await page).changes.map(({ id }) => id)).toEqual([2n]);
  });
});

describe('what happens within a moment', () => {
  test('leaves in one response', async () => {
    const page = next();
    await storage.pets.create(REX, CHANGE_STAMP);
    await settled();
    await moved.advance(GATHER_MS - CHECK_MS);
    await other.pets.create(REX, CHANGE_STAMP);
    expect(feed.report().waiting).toBe(1);
    await moved.advance(CHECK_MS);
    expect((await page).changes.map(({ id }) => id)).toEqual([1n, 2n]);
  });

  test('leaves at once when the page is full', async () => {
    const page = next(0n, undefined, 2);
    await storage.pets.create(REX, CHANGE_STAMP);
    await settled();
    expect(feed.report().waiting).toBe(1);
    await moved.advance(CHECK_MS);
    await storage.pets.create(REX, CHANGE_STAMP);
    await storage.pets.create(REX, CHANGE_STAMP);
    await moved.advance(GATHER_MS - CHECK_MS);
    expect((await page).changes.map(({ id }) => id)).toEqual([1n, 2n]);
    const full = next(0n, undefined, 2);
    await moved.advance();
    expect((await full).changes.map(({ id }) => id)).toEqual([1n, 2n]);
  });

  test('leaves with the changes that were there before', async () => {
    await storage.pets.create(REX, CHANGE_STAMP);
    await storage.pets.create(REX, CHANGE_STAMP);
    const page = nextAfter(await feed.list({ after: 1n, types: undefined, limit: 20 }), 1n);
    await storage.pets.create(REX, CHANGE_STAMP);
    await gather();
    expect((await page).changes.map(({ id }) => id)).toEqual([2n, 3n]);
  });

  test('leaves earlier when the time is over, at the end of the service, and without a place', async () => {
    const late = next();
    await moved.advance(900);
    await storage.pets.create(REX, CHANGE_STAMP);
    await settled();
    await moved.advance(100);
    expect(typesIn(await late)).toEqual(['pet.created']);
    const found = await feed.list({ after: 0n, types: undefined, limit: 20 });
    const ending = nextAfter(found, 1n);
    expect(await nextAfter(found, 1n)).toBe(found);
    feed.end();
    expect(await ending).toBe(found);
    expect(feed.report()).toMatchObject({ waiting: 0, ended: { changes: 2, time: 0, refused: 0 } });
  });
});

describe('the cost of waits', () => {
  test('for changes of different types and numbers is two reads all the same', async () => {
    const all = [next(), next(0n, undefined, 1), next(0n, ['category.created', 'pet.created'])];
    await storage.pets.create(REX, CHANGE_STAMP);
    await gather();
    for (const { changes } of await Promise.all(all)) expect(changes).toHaveLength(1);
    expect(calls.list).toBe(2);
  });

  test('for the same changes is two looks, two reads and one text of the page', async () => {
    const all = [next(), next(), next()];
    await storage.pets.create(REX, CHANGE_STAMP);
    await gather();
    let written = 0;
    const write = ({ changes }: ChangePage) => `${++written}: ${changes.length}`;
    const texts = (await Promise.all(all)).map((page) => feed.textOf(page, write));
    expect(calls).toEqual({ list: 2, newest: 2 });
    expect(texts).toEqual(['1: 1', '1: 1', '1: 1']);
    const later = next(1n);
    await storage.pets.create(REX, CHANGE_STAMP);
    await gather();
    expect(feed.textOf(await later, write)).toBe('2: 1');
  });

  test('is one check each time, and nothing while nobody waits', async () => {
    const page = next(0n, ['store.reset']);
    void next(0n, ['order.placed']);
    for (let i = 0; i < 5; i++) await moved.advance();
    expect(calls).toEqual({ list: 0, newest: 5 });
    client.abort();
    await page;
    await moved.advance();
    expect(moved.timers.size).toBe(0);
    await storage.pets.create(REX, CHANGE_STAMP);
    await settled();
    expect(calls.newest).toBe(5);
  });

  test('of types that do not come is one read of each change, from wherever they began', async () => {
    await storage.pets.create(REX, CHANGE_STAMP);
    const reset = ['store.reset'] as const;
    const all = [next(0n, reset), next(1n, reset)];
    await storage.pets.create(REX, CHANGE_STAMP);
    await settled();
    calls.list = 0;
    await storage.pets.create(REX, CHANGE_STAMP);
    await settled();
    expect(calls.list).toBe(1);
    await moved.advance(1_000);
    expect(await Promise.all(all)).toEqual([
      { changes: [], resumeAfter: 3n },
      { changes: [], resumeAfter: 3n },
    ]);
  });

  test('does not grow with the log: a scan of many other changes continues check by check', async () => {
    const rex = { name: 'Rex', category: { id: 1n }, status: 'available' as const };
    const animals = Array.from({ length: 4_500 }, () => ({ ...rex, externalId: undefined }));
    await storage.pets.importBatch(animals, CHANGE_STAMP);
    await storage.reset(CHANGE_STAMP);
    const page = next(0n, ['store.reset']);
    for (let i = 0; i < 5; i++) await moved.advance();
    await gather();
    expect(typesIn(await page)).toEqual(['store.reset']);
    expect(calls.list).toBe(6);
  });
});

describe('a database that fails', () => {
  test('for a moment does not end a wait', async () => {
    const page = next();
    fault.newest = unavailable(undefined);
    await moved.advance();
    await moved.advance();
    expect(feed.report().waiting).toBe(1);
    delete fault.newest;
    await other.pets.create(REX, CHANGE_STAMP);
    await moved.advance();
    await gather();
    expect(typesIn(await page)).toEqual(['pet.created']);
  });

  test('until the time is over ends it with 503: nobody knows that nothing happened', async () => {
    const page = next();
    page.catch(() => {});
    fault.newest = unavailable(undefined);
    await moved.advance();
    await moved.advance(1_000);
    await expect(page).rejects.toThrow('cannot reach its database');
    expect(feed.report()).toMatchObject({ waiting: 0, ended: { failed: 1 } });
  });

  test('when the changes are read ends the waits for them', async () => {
    const page = next();
    page.catch(() => {});
    fault.list = unavailable(undefined);
    await storage.pets.create(REX, CHANGE_STAMP);
    await settled();
    await expect(page).rejects.toThrow('cannot reach its database');
  });
});
