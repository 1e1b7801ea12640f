import { expect, setDefaultTimeout, test } from 'bun:test';
import { DAY_MS } from '../../src/domain/clock.ts';
import { COPIED, NOT_COPIED } from '../../src/storage/tables.ts';
import { openSubject } from '../storage/subject.ts';
import { createTestClock } from '../support/clock.ts';
import { chosenEngine } from '../support/engines.ts';
import { openShop } from '../support/year.ts';
import { keepBackups } from '../support/year-backups.ts';

setDefaultTimeout(300_000);

const QUARTER_DAYS = 91;
/** The last days of the year, on which backups are made; `bench/year.ts` makes one on each. More than are kept. */
const BACKUP_DAYS = 16;
/** Shorter than a quarter, so that the second one ends with as much as the fourth. */
const KEPT_MS = 30 * DAY_MS;
const KEPT = {
  eventsKeepMs: KEPT_MS,
  auditKeepMs: 2 * KEPT_MS,
  enquiriesKeepMs: KEPT_MS,
  ordersKeepMs: KEPT_MS,
};
/** What a shop keeps for ever is what it did, not for whom. Usage by the day is kept for 400 days. */
const GROWING = ['orders', 'usage_counts', 'stays'];
/** Have no rows here, or always one. */
const STILL = [
  'shop',
  'webhooks',
  'webhook_lease',
  'event_start',
  'categories',
  'retention',
  'tasks',
  'channels',
  'sendings',
];

test('in a year, nothing grows but what the shop has done, and its newest backup is the shop', async () => {
  await using subject = await openSubject(chosenEngine());
  const clock = createTestClock();
  const shop = await openShop(subject.storage, clock, KEPT, 2);
  using backups = keepBackups(subject.database.address, clock);
  const countOf = async (from: string) => {
    const [found] = await subject.database.sql(`SELECT count(*) AS n FROM ${from}`);
    return Number(found?.['n']);
  };
  const tables = [...COPIED, ...NOT_COPIED].filter((name) => !STILL.includes(name));
  const ends: Record<string, number>[] = [];
  for (let quarter = 0; quarter < 4; quarter++) {
    for (let day = 1; day <= QUARTER_DAYS; day++) {
      await shop.live();
      if (quarter === 3 && day > QUARTER_DAYS - BACKUP_DAYS) await backups.make();
    }
    const counts: Record<string, number> = {
      'hours of usage': await countOf("usage_counts WHERE period = 'hour'"),
      'orders with names': await countOf(
        'orders WHERE coalesce(adopter, contact, note) IS NOT NULL',
      ),
    };
    for (const table of tables) counts[table] = await countOf(table);
    ends.push(counts);
  }
  await backups.expectNewest();
  const [, second = {}, third = {}, fourth = {}] = ends;
  for (const name of Object.keys(fourth)) {
    const sizes = [second, third, fourth].map((counts) => counts[name] ?? 0);
    const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
    expect([name, least > 0]).toEqual([name, true]);
    // Weeks and fortnights do not end with quarters.
    const isFlat = most <= least * 1.1 + 3;
    expect([name, sizes, isFlat]).toEqual([name, sizes, !GROWING.includes(name)]);
  }
});
