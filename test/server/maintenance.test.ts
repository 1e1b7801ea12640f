import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, mock, spyOn, test } from 'bun:test';
import { NO_ROWS } from '../../src/domain/import.ts';
import type { Storage } from '../../src/domain/storage.ts';
import { createLocalLimiter } from '../../src/limits/local.ts';
import { type ProcessMaintenance, startMaintenance } from '../../src/server/maintenance.ts';
import { createRetention } from '../../src/server/sweeps.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/storage.ts';
import { openLog } from '../../src/telemetry/log.ts';
import { animal, anyState } from '../storage/subject.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { createTestClock, type TestClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';

const RULES = { banRefusals: 60, banSeconds: 1, banMaxSeconds: 1, anonymousPerMinute: 60 };
const RESULTS = 1_050;
const KEYS = 1_200;
const FAIL_ABANDONED_EVERY_MS = 5_000;
const EVENTS_KEEP_MS = 3_600_000;
const ORDERS_KEEP_MS = 86_400_000;

let folder: TemporaryFolder;
let storage: Storage;
let database: Database;
let maintenance: ProcessMaintenance;
let log: string[];
let clock: TestClock;
/** The work that maintenance does every minute. */
let sweepAll: () => Promise<void>;
/** The work that maintenance does every five seconds. */
let failAbandoned: () => Promise<void>;

beforeEach(() => {
  folder = createTemporaryFolder();
  const path = folder.file('petstore.db');
  storage = openSqliteStorage(path, 'production');
  database = new Database(path);
  database.run(
    `INSERT INTO api_keys (hash, name, plan, scopes, created_at)
     VALUES ('${'a'.repeat(64)}', 'a test', 'free', 'write', ${createTestClock().now()})`,
  );
  database.run(
    `INSERT INTO idempotent_results
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${RESULTS})
     SELECT 1, 'createPet', hex(randomblob(16)), '', 201, '{}', '{}', i FROM n`,
  );
  log = [];
  const timers = spyOn(globalThis, 'setInterval');
  clock = createTestClock();
  maintenance = startMaintenance({
    limiter: createLocalLimiter(storage.allowances, RULES),
    storage,
    photos: { sweep: async () => ({ removed: 0, isLast: true }) },
    fence: { refresh: async () => {}, isFenced: () => false },
    lag: { refresh: async () => {} },
    space: { refresh: async () => {} },
    enquiriesKeepMs: EVENTS_KEEP_MS,
    eventsKeepMs: EVENTS_KEEP_MS,
    auditKeepMs: EVENTS_KEEP_MS,
    ordersKeepMs: ORDERS_KEEP_MS,
    clock,
    log: openLog('info', { write: (line) => log.push(line) }),
  });
  const [ending] = timers.mock.calls.find(([, delay]) => delay === FAIL_ABANDONED_EVERY_MS) ?? [];
  timers.mockRestore();
  const { task } = maintenance.retention;
  sweepAll = async () => void (await task.run(new AbortController().signal));
  // The callback of the maintenance timer returns a promise.
  failAbandoned = ending as unknown as () => Promise<void>;
});

afterEach(async () => {
  await maintenance.end();
  await storage.close();
  database.close();
  folder[Symbol.dispose]();
});

const stored = () =>
  database.query<{ n: number }, []>('SELECT count(*) AS n FROM idempotent_results').get()?.n ?? -1;

describe('the sweep of stored results', () => {
  test('removes all old results in small steps, and others can write in between', async () => {
    const sweep = spyOn(storage.idempotency, 'removeExpired');
    let isDone = false;
    const sweeping = sweepAll().then(() => {
      isDone = true;
    });
    const seen = new Set<number>();
    while (!isDone) {
      await storage.categories.create(`category ${seen.size} ${performance.now()}`, CHANGE_STAMP);
      seen.add(stored());
    }
    await sweeping;
    const removed = await Promise.all(
      sweep.mock.results.map(async ({ value }) => Number(await value)),
    );
    expect(Math.max(...removed)).toBe(100);
    expect(removed.reduce((sum, n) => sum + n, 0)).toBe(RESULTS);
    expect(stored()).toBe(0);
    expect(seen.size).toBeGreaterThan(3);
  });

  test('stops with the service', async () => {
    const sweep = spyOn(storage.idempotency, 'removeExpired');
    const sweeping = sweepAll();
    await eventually(
      () => sweep.mock.calls.length,
      (calls) => calls > 0,
    );
    await maintenance.end();
    await sweeping;
    expect(sweep).toHaveBeenCalledTimes(1);
    expect(stored()).toBe(RESULTS - 100);
  });
});

describe('the sweep of usage', () => {
  const HOUR_MS = 3_600_000;
  const DAY_MS = 24 * HOUR_MS;
  const fill = (period: string, from: number, step: number, count: number) =>
    database.run(
      `INSERT INTO usage_counts
       WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})
       SELECT 1, '${period}', ${from} - i * ${step}, 1, 0, 0 FROM n`,
    );
  const oldest = (period: string) =>
    database
      .query<{ start: number }, [string]>(
        'SELECT min(start) AS start FROM usage_counts WHERE period = ?',
      )
      .get(period)?.start;
  const now = createTestClock().now();

  test('keeps hours for 7 days and days for 400, in small steps', async () => {
    const hour = Math.floor(now / HOUR_MS) * HOUR_MS;
    const day = Math.floor(now / DAY_MS) * DAY_MS;
    fill('hour', hour, HOUR_MS, 500);
    fill('day', day, DAY_MS, 600);
    const remove = spyOn(storage.usage, 'removeExpired');
    await sweepAll();
    // One more of each, so that what a client asks for on the hour is still there.
    expect(oldest('hour')).toBe(hour - 7 * DAY_MS - HOUR_MS);
    expect(oldest('day')).toBe(day - 401 * DAY_MS);
    expect(remove.mock.calls.map(([period, , most]) => [period, most])).toEqual([
      ...Array(4).fill(['hour', 100]),
      ...Array(2).fill(['day', 100]),
    ]);
  });
});

test('every sweep removes at most 100 rows at a time', async () => {
  const { changes, enquiries, idempotency, imports, sessions, usage } = storage;
  const removals = [
    spyOn(changes, 'removeExpired'),
    spyOn(enquiries, 'removeExpired'),
    spyOn(idempotency, 'removeExpired'),
    spyOn(imports, 'removeExpired'),
    spyOn(sessions, 'removeEnded'),
    spyOn(usage, 'removeExpired'),
  ];
  await sweepAll();
  for (const { mock } of removals) {
    expect(mock.calls.length).toBeGreaterThan(0);
    for (const sent of mock.calls) expect(sent).toContain(100);
  }
});

describe('who adopted', () => {
  const now = createTestClock().now();
  const adopter = async () => (await storage.orders.find(1n))?.adopter;
  const finish = async (at: number) => {
    const stamp = { at, keyId: null };
    const { id: petId } = await storage.pets.create(animal(), stamp);
    await storage.orders.place({ petId, adopter: 'Ada' }, stamp);
    await storage.orders.update(1n, { status: 'cancelled' }, stamp, anyState);
  };

  test('is erased as long after the end of an order as the setting says, and the log counts it', async () => {
    await finish(now - ORDERS_KEEP_MS + 1);
    await sweepAll();
    expect(await adopter()).toBe('Ada');
    clock.advance(1);
    await sweepAll();
    expect(await adopter()).toBeUndefined();
    expect(log.filter((line) => line.includes('"orders":1'))).toHaveLength(1);
  });

  test('stays for ever without the setting', async () => {
    await finish(0);
    const photos = { sweep: async () => ({ removed: 0, isLast: true }) };
    const retention = createRetention({
      ...{ storage, clock, photos, log: { info() {}, warn() {} } },
      ...{ eventsKeepMs: 1, enquiriesKeepMs: 1, auditKeepMs: 1, ordersKeepMs: undefined },
      isEnding: () => false,
    });
    await retention.run(async (_, work) => void (await work()));
    expect(await adopter()).toBe('Ada');
  });
});

describe('imports', () => {
  const DAY_MS = 86_400_000;
  const now = createTestClock().now();
  const claim = (id: bigint) => ({ id, owner: 'a process', leaseEndsAt: now });
  const add = () =>
    storage.imports.create({
      keyId: 1n,
      dryRun: false,
      createdAt: now,
      choices: '',
      owner: 'a process',
      leaseEndsAt: now,
    });
  const end = (id: bigint, endedAt: number) =>
    storage.imports.save(claim(id), {
      status: 'completed',
      endedAt,
      rows: NO_ROWS,
      rejectedRows: [],
      failure: null,
      header: null,
    });
  const ids = async () =>
    (await storage.imports.list({ afterId: undefined, limit: 100 })).items.map(({ id }) => id);

  test('are removed 30 days after their end, in small steps', async () => {
    for (let n = 0; n < 3; n++) await add();
    await end(1n, now - 30 * DAY_MS);
    await end(2n, now - 30 * DAY_MS + 1);
    const remove = spyOn(storage.imports, 'removeExpired');
    await sweepAll();
    expect(remove.mock.calls.map(([, most]) => most)).toEqual([100]);
    expect(await ids()).toEqual([2n, 3n]);
  });

  test('fail soon after the process that carried them out has stopped', async () => {
    await add();
    await failAbandoned();
    expect(await storage.imports.find(1n)).toMatchObject({
      status: 'failed',
      failure: { code: 'interrupted' },
    });
  });
});

describe('the last use of many keys', () => {
  test('is written in slices, so no request waits for all of it', async () => {
    const committed = mock();
    const path = folder.file('many.db');
    const many = openSqliteStorage(path, 'production', {}, { committed });
    using filling = new Database(path);
    filling.run(
      `INSERT INTO api_keys (hash, name, plan, scopes, created_at)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${KEYS})
       SELECT printf('%064d', i), 'a test', 'free', 'write', 0 FROM n`,
    );
    const ids = Array.from({ length: KEYS }, (_, i) => BigInt(i + 1));
    await many.keys.recordUse(new Map(ids.map((id) => [id, 7])));
    expect(committed).toHaveBeenCalledTimes(3);
    const window = { start: 0, used: 1, otherStart: 0, otherUsed: 0 };
    const bans = { refusalsStart: 0, refusals: 0, bans: 0, bannedUntil: 0, unbannedAt: 0 };
    await many.allowances.save(
      ids.map((keyId) => ({ keyId, minute: window, day: window, ...bans })),
    );
    expect(committed).toHaveBeenCalledTimes(6);
    expect((await many.keys.list()).every(({ lastUsedAt }) => lastUsedAt === 7)).toBe(true);
    expect(await many.allowances.list()).toHaveLength(KEYS);
    await many.close();
  });
});
