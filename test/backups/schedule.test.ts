import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/clock.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createTestClock } from '../support/clock.ts';
import { chosenEngine } from '../support/engines.ts';
import { eventually, eventuallyIs } from '../support/eventually.ts';
import { sampleOf, scrape } from '../support/scrape.ts';
import { startPetstore } from '../support/start.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import {
  backupsIn,
  fill,
  partialIn,
  petsOf,
  restoredPets,
  startMaking,
  untilBackups,
  untilFailures,
} from './making.ts';

// Each backup is made by a process of its own.
setDefaultTimeout(120_000);

/** The pause between two looks, so that hours do not pass at once. */
const STEP_MS = 100;

const FIRST = 'petstore-production-20270115T120030Z.backup';

describe.each([chosenEngine()])('a server on $name', (engine) => {
  test('makes a backup at its start and on time, and measures it', async () => {
    using folder = createTemporaryFolder();
    const settings = { PETSTORE_BACKUP: folder.path, PETSTORE_BACKUP_EVERY: '6h' };
    await using petstore = await startPetstore({ engine, settings });
    expect(await untilBackups(folder.path, 1)).toEqual([FIRST]);
    for (const name of ['Rex', 'Tom']) {
      await petstore.writer.post('/v1/pets', { name, status: 'available', categoryId: 1 });
    }
    petstore.clock.advance(6 * HOUR_MS);
    const [, second = ''] = await untilBackups(folder.path, 2);
    expect(second).toBe('petstore-production-20270115T180030Z.backup');
    expect(await restoredPets(folder.file(second))).toEqual(await petsOf(petstore.database));
    const at = petstore.clock.now() - 250;
    const scraped = await eventually(
      () => scrape(petstore.metricsUrl),
      (seen) => sampleOf(seen, 'petstore_backup_last_success_timestamp_seconds') === at / 1_000,
    );
    expect(sampleOf(scraped, 'petstore_backup_interval_seconds')).toBe(21_600);
    expect(sampleOf(scraped, 'petstore_backup_size_bytes')).toBe(
      Bun.file(folder.file(second)).size,
    );
    expect(sampleOf(scraped, 'petstore_backup_failures_total')).toBe(0);
    expect(petstore.log.join('')).toContain('a backup was made');
  });
});

describe.each([chosenEngine()])('backups of $name', (engine) => {
  test('of two processes with one folder are made by one of them at a time', async () => {
    using folder = createTemporaryFolder();
    await using database = await engine.createDatabase();
    await fill(database, 10);
    const clock = createTestClock();
    await using one = startMaking(database, folder.path, clock);
    await using other = startMaking(database, folder.path, clock);
    const known = () => [one, other].map(({ report }) => report().newest?.at ?? 0);
    for (let day = 0; day < 3; day++) {
      const from = createTestClock().now() + day * 30 * HOUR_MS;
      clock.set(from);
      const [first, second] = await eventually(
        async () => {
          // Whoever found the other at work looks again after a minute.
          clock.advance(MINUTE_MS);
          await Bun.sleep(STEP_MS);
          return known();
        },
        (times) => times.every((at) => at > from - SECOND_MS),
      );
      expect(first).toBe(second);
      expect(backupsIn(folder.path)).toHaveLength(day + 1);
    }
    expect([one.report().failures, other.report().failures]).toEqual([0, 0]);
    expect([...one.log, ...other.log]).toHaveLength(3);
    expect(partialIn(folder.path)).toEqual([]);
  });

  test('that were made a while ago are young enough after a restart', async () => {
    using folder = createTemporaryFolder();
    await using database = await engine.createDatabase();
    await fill(database, 10);
    const clock = createTestClock();
    {
      await using first = startMaking(database, folder.path, clock);
      await untilBackups(folder.path, 1);
      expect(first.log.length).toBeLessThanOrEqual(1);
    }
    clock.advance(DAY_MS - MINUTE_MS);
    await using second = startMaking(database, folder.path, clock);
    const { newest } = await eventually(second.report, (report) => report.newest !== undefined);
    expect(newest?.at).toBe(Math.floor(createTestClock().now() / 1_000) * 1_000);
    expect(backupsIn(folder.path)).toEqual([FIRST]);
    clock.advance(MINUTE_MS);
    await untilBackups(folder.path, 2);
  });
});

describe('the folder of backups', () => {
  test('keeps the newest, and all that is not ours', async () => {
    using folder = createTemporaryFolder();
    const strangers = [
      'petstore-staging-20200101T000000Z.backup',
      'petstore-production-20200101T000000Z.backup.old',
      'petstore-production-20201301T000000Z.backup',
      'my petstore-production-20200101T000000Z.backup',
      'shop.backup',
      'shop.backup.0123abcd.partial',
    ];
    const ours = [1, 2, 3].map((day) => `petstore-production-2020010${day}T000000Z.backup`);
    for (const name of [...strangers, ...ours]) writeFileSync(folder.file(name), Buffer.alloc(600));
    mkdirSync(folder.file('petstore-production-20190101T000000Z.backup'));
    writeFileSync(folder.file(`${ours[0]}.0123abcd.partial`), 'cut off');
    await using database = await chosenEngine().createDatabase();
    await fill(database, 10);
    await using making = startMaking(database, folder.path, createTestClock(), { keep: 2 });
    await eventually(making.report, ({ newest }) => (newest?.at ?? 0) > Date.UTC(2021));
    expect(readdirSync(folder.path).sort()).toEqual(
      [
        ...strangers,
        'petstore-production-20190101T000000Z.backup',
        'petstore-production.id',
        ours[2] ?? '',
        FIRST,
      ].sort(),
    );
    expect(making.log).toEqual([expect.stringContaining('"removed":2')]);
  });

  test('may have backups of the future, from a wrong clock', async () => {
    using folder = createTemporaryFolder();
    const future = 'petstore-production-20990101T000000Z.backup';
    writeFileSync(folder.file(future), Buffer.alloc(600));
    await using database = await chosenEngine().createDatabase();
    await fill(database, 10);
    const clock = createTestClock();
    await using making = startMaking(database, folder.path, clock, { keep: 1 });
    await eventually(making.report, ({ newest }) => newest !== undefined);
    // It does not count: more of them must not replace all real ones.
    expect(backupsIn(folder.path)).toEqual([FIRST, future]);
    clock.set(createTestClock().now() - 30 * DAY_MS);
    await eventually(
      async () => {
        // Less than 30 days in all, after which one would be due in any case.
        clock.advance(HOUR_MS);
        await Bun.sleep(STEP_MS);
        return making.log.length;
      },
      (lines) => lines === 2,
    );
  });

  test('that is missing is tried again, and what comes back is used', async () => {
    using parent = createTemporaryFolder();
    const place = join(parent.path, 'mounted later');
    await using database = await chosenEngine().createDatabase();
    await fill(database, 10);
    const clock = createTestClock();
    await using making = startMaking(database, place, clock);
    await untilFailures(making, 1);
    clock.advance(MINUTE_MS);
    await untilFailures(making, 2);
    const problem = `could not make a backup; trying again: Error: there is no folder ${place}.`;
    expect(making.log).toEqual([problem]);
    expect(making.report().newest).toBeUndefined();
    mkdirSync(place);
    clock.advance(MINUTE_MS);
    await untilBackups(place, 1);
  });

  test('gets nothing of a database that was moved', async () => {
    using folder = createTemporaryFolder();
    await using database = await chosenEngine().createDatabase();
    await fill(database, 10);
    let isFenced = true;
    let looks = 0;
    const clock = createTestClock();
    await using making = startMaking(database, folder.path, clock, {
      isFenced() {
        looks++;
        return isFenced;
      },
    });
    await eventually(
      () => looks,
      (count) => count > 2,
    );
    expect([making.report().failures, readdirSync(folder.path)]).toEqual([0, []]);
    isFenced = false;
    await untilBackups(folder.path, 1);
  });

  test('is that of one database, until its mark is removed', async () => {
    using folder = createTemporaryFolder();
    await using first = await chosenEngine().createDatabase();
    await using second = await chosenEngine().createDatabase();
    await fill(first, 10);
    await fill(second, 20);
    const clock = createTestClock();
    await using making = startMaking(first, folder.path, clock);
    await untilBackups(folder.path, 1);
    await making.end();
    writeFileSync(folder.file(`${FIRST}.0123abcd.partial`), 'under way');
    await using other = startMaking(second, folder.path, clock);
    await untilFailures(other, 1);
    expect(other.log).toEqual([
      expect.stringMatching(
        /petstore-production\.id says .* of another database, .*remove that file\.$/,
      ),
    ]);
    expect(other.report().newest).toBeUndefined();
    expect(partialIn(folder.path)).toHaveLength(1);
    rmSync(folder.file('petstore-production.id'));
    clock.advance(DAY_MS);
    const [, replaced = ''] = await untilBackups(folder.path, 2);
    expect(await restoredPets(folder.file(replaced))).toEqual(await petsOf(second));
  });

  test('keeps what was good when the database is emptied or loses most of its bytes', async () => {
    using folder = createTemporaryFolder();
    const good = [
      'petstore-production-20270101T000000Z.backup',
      'petstore-production-20270102T000000Z.backup',
    ];
    for (const name of good) writeFileSync(folder.file(name), Buffer.alloc(4_000_000));
    await using database = await chosenEngine().createDatabase();
    await (await openStorage(database.address, 'production')).close();
    const clock = createTestClock();
    await using making = startMaking(database, folder.path, clock, { keep: 2 });
    await untilBackups(folder.path, 3);
    clock.advance(DAY_MS);
    await untilBackups(folder.path, 4);
    await eventuallyIs(() => making.log.length, 3);
    expect(making.log[1]).toStartWith('the new backup holds no animals, so no old one is removed');
    await fill(database, 10);
    clock.advance(DAY_MS);
    await eventuallyIs(() => making.log.length, 5);
    const [kept, ...more] = backupsIn(folder.path);
    expect(kept).toBe(good[1]);
    expect(more).toHaveLength(2);
    expect(making.log[4]).toContain(`less than half the size of ${good[1]}, which is not removed`);
  });

  test('counts no file that is too small for a backup', async () => {
    using folder = createTemporaryFolder();
    writeFileSync(folder.file('petstore-production-20270115T110000Z.backup'), '');
    await using database = await chosenEngine().createDatabase();
    await fill(database, 10);
    await using making = startMaking(database, folder.path, createTestClock());
    await eventually(making.report, ({ newest }) => newest !== undefined);
    expect(backupsIn(folder.path)).toContain(FIRST);
  });

  test('that cannot be written is logged once', async () => {
    using folder = createTemporaryFolder();
    await using database = await chosenEngine().createDatabase();
    await fill(database, 10);
    const clock = createTestClock();
    // Attributes bind root too.
    const protect = (flag: string) => Bun.spawnSync(['chattr', flag, folder.path]).exitCode === 0;
    await using making = startMaking(database, folder.path, clock);
    await untilBackups(folder.path, 1);
    if (!protect('+i')) return;
    try {
      for (let failures = 1; failures <= 2; failures++) {
        clock.advance(failures === 1 ? DAY_MS : MINUTE_MS);
        await untilFailures(making, failures);
      }
    } finally {
      protect('-i');
    }
    expect(making.log).toHaveLength(2);
    expect(making.log[1]).toStartWith('could not make a backup; trying again');
  });
});
