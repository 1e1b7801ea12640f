import { beforeEach, describe, expect, test } from 'bun:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/clock.ts';
import { openPhotos } from '../../src/photos/photos.ts';
import { createRetention, type Retention } from '../../src/server/sweeps.ts';
import { openLog } from '../../src/telemetry/log.ts';
import { addWebhook, pending, stored } from '../storage/conformance/delivery-states.ts';
import { openSubject } from '../storage/subject.ts';
import { createTestClock, type TestClock } from '../support/clock.ts';
import { chosenEngine } from '../support/engines.ts';
import { letter } from '../support/enquiries.ts';
import { forEachTest } from '../support/lifetime.ts';
import { openShop } from '../support/year.ts';

const KEEP_MS = 30 * DAY_MS;
const KEPT = {
  ...{ eventsKeepMs: KEEP_MS, auditKeepMs: 2 * KEEP_MS },
  ...{ enquiriesKeepMs: KEEP_MS, ordersKeepMs: KEEP_MS },
};
/** What retention erases rows of, or personal fields. Changes that are no events any more come last. */
const ROWS = {
  events: 'changes WHERE id >= coalesce((SELECT max(first_id) FROM event_start), 0)',
  ...{ changes: 'changes', idempotent_results: 'idempotent_results', removed_pets: 'removed_pets' },
  ...{ imported_rows: 'imported_rows', enquiries: 'enquiries', sessions: 'sessions' },
  orders: 'orders WHERE coalesce(adopter, contact, note) IS NOT NULL',
  ...{ api_keys: 'api_keys', imports: 'imports', deliveries: 'deliveries' },
  ...{ photo_files: 'photo_files', usage_counts: 'usage_counts' },
};
type Counts = Readonly<Record<string, number>>;

let clock: TestClock;
let log: string[];
let retention: Retention;

function start(): void {
  retention = createRetention({
    ...{ ...KEPT, storage: subject.storage, clock, isEnding: () => false },
    photos: openPhotos(undefined, subject.storage.photoFiles, clock),
    log: openLog('info', { write: (line) => log.push(line) }),
  });
}
const run = () => retention.run(async (_, work) => void (await work()));

async function counts(): Promise<Counts> {
  const all: Record<string, number> = {};
  for (const [name, from] of Object.entries(ROWS)) {
    const [row] = await subject.database.sql(`SELECT count(*) AS n FROM ${from}`);
    all[name] = Number(row?.['n']);
  }
  return all;
}

/** A shop that has lived for some weeks, so that every table has rows. */
const subject = forEachTest(() => openSubject(chosenEngine()));
beforeEach(async () => {
  clock = createTestClock();
  log = [];
  start();
  const shop = await openShop(subject.storage, clock, KEPT, 2);
  for (let day = 0; day < 25; day++) await shop.live();
});

describe('a clock that is wrong erases nothing', () => {
  test.each([
    ['two years ahead', 800 * DAY_MS],
    ['ten days ahead', 10 * DAY_MS],
    ['a day and a half behind', -36 * HOUR_MS],
    ['two years behind', -800 * DAY_MS],
  ])('%s, however often it starts, until it is right', async (_, jump) => {
    const before = await counts();
    const right = clock.now();
    for (let round = 0; round < 3; round++) {
      clock.set(right + jump + round * MINUTE_MS);
      start();
      await run();
      // Records of the wrong time make it no more right.
      await subject.storage.categories.create(`Of round ${round}`, {
        at: clock.now(),
        keyId: null,
      });
      await subject.storage.optimize();
    }
    const now = await counts();
    expect(now).toEqual({ ...before, events: now['events'] ?? 0, changes: now['changes'] ?? 0 });
    expect(now['events']).toBe((before['events'] ?? 0) + 3);
    expect(log.filter((line) => line.includes('erase --now'))).toHaveLength(3);
    expect(retention.report().isWaiting).toBe(true);
    const [row] = await subject.database.sql('SELECT waiting_at FROM retention');
    expect(Number(row?.['waiting_at'])).toBe(right + jump);
    clock.set(right + MINUTE_MS);
    await run();
    expect(retention.report().isWaiting).toBe(false);
    const [after] = await subject.database.sql('SELECT waiting_at FROM retention');
    expect(after?.['waiting_at']).toBeNull();
  });

  test('after a pause of a fortnight `petstore erase --now` lets all that is due go at once', async () => {
    clock.advance(40 * DAY_MS);
    await run();
    expect(retention.report().erased.size).toBe(0);
    await subject.storage.retention.ask(clock.now());
    clock.advance(MINUTE_MS);
    await run();
    expect(await counts()).toMatchObject({ enquiries: 0, idempotent_results: 0, removed_pets: 0 });
    expect(retention.report().erased.get('enquiries')).toEqual({
      asked: expect.any(Number),
      due: 0,
      rowsBefore: expect.any(Number),
    });
    clock.advance(MINUTE_MS);
    await run();
    expect(retention.report().isWaiting).toBe(false);
  });
});

describe('within a week of the last run', () => {
  test('at most a tenth of each table goes in a day, also over restarts, and each day', async () => {
    let before = await counts();
    for (let day = 0; day < 3; day++) {
      clock.advance(6 * DAY_MS);
      for (let round = 0; round < 3; round++) {
        start();
        await run();
        clock.advance(MINUTE_MS);
      }
      const now = await counts();
      const gone = Object.fromEntries(
        Object.entries(before).map(([name, rows]) => [name, rows - (now[name] ?? 0)]),
      );
      for (const [name, rows] of Object.entries(before)) {
        const most = Math.max(1, Math.floor(rows / 10));
        expect([name, (gone[name] ?? 0) <= most]).toEqual([name, true]);
      }
      expect(Object.values(gone).some((rows) => rows > 0)).toBe(true);
      before = now;
    }
  });
});

test('the first run ever has no bound, but trusts its clock no more than others', async () => {
  await subject.database.sql('DELETE FROM retention');
  await subject.database.sql('DELETE FROM erasures');
  const { storage } = subject;
  const right = clock.now();
  clock.set(right + 800 * DAY_MS);
  await retention.look();
  await storage.categories.create('Of a wrong time', { at: clock.now(), keyId: null });
  await storage.optimize();
  await run();
  expect(retention.report().erased.size).toBe(0);
  clock.set(right + 6 * DAY_MS);
  await run();
  expect((await counts())['idempotent_results']).toBe(0);
});

describe('after a clock that was two years ahead', () => {
  const AHEAD_MS = 800 * DAY_MS;

  test('families can send enquiries, and staff get mails', async () => {
    const { enquiries, mails, pets, deliveries } = subject.storage;
    const { items } = await pets.list({}, { afterId: undefined, limit: 100 });
    const [petId = 0n] = items.map(({ id }) => id).toReversed();
    const at = clock.now();
    for (let n = 0; n < 50; n++) await enquiries.receive(letter(petId), at + AHEAD_MS);
    const term = (await deliveries.takeLease((await deliveries.snapshot(at)).lease)) ?? 0n;
    await mails.collect(term, 'ahead', at + AHEAD_MS);
    const [mail] = (await mails.pending(at + AHEAD_MS, 9))?.next ?? [];
    const retry = { status: 'pending', isRefused: false, toldUpTo: undefined } as const;
    const nextAttemptAt = at + AHEAD_MS + HOUR_MS;
    const attempt = { id: mail?.id ?? 0n, attempts: 1, nextAttemptAt, at: at + AHEAD_MS };
    await mails.record(term, { ...attempt, ...retry }, false);
    expect((await mails.pending(at, 9))?.next).toMatchObject([{ nextAttemptAt: null }]);
    expect(await enquiries.receive(letter(petId), at)).toBe('received');
    expect(await mails.isDue(at)).toBe(true);
  });

  test('an event that waited for another attempt then is due', async () => {
    const [id, at] = [await addWebhook(subject.storage), clock.now()];
    const waits = [AHEAD_MS, 7 * DAY_MS].map((wait) => ({ attempts: 1, nextAttemptAt: at + wait }));
    const states = waits.map((wait, n) => pending(BigInt(n + 1), wait));
    await stored(subject.storage, id, states);
    const [found] = await subject.storage.deliveries.pending([id], at, 9);
    expect(found?.next.map((next) => next.nextAttemptAt)).toEqual([null, at + 7 * DAY_MS]);
  });

  test('an import of that time is ended', async () => {
    const { imports } = subject.storage;
    const at = clock.now();
    await imports.create({
      ...{ keyId: 1n, dryRun: false, createdAt: at + AHEAD_MS, choices: '' },
      ...{ owner: 'killed', leaseEndsAt: at + AHEAD_MS },
    });
    expect(await imports.failAbandoned(at)).toBe(1);
  });
});
