import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { columnList, copiedTables } from '../../src/storage/tables.ts';
import { createNextRelease, runRelease } from '../e2e/release.ts';
import { runPetstore } from '../support/command-line.ts';
import { chosenEngine } from '../support/engines.ts';
import { startPetstore } from '../support/start.ts';
import { type Answers, readWhole } from './releases/reading.ts';
import { answersOf, loadDatabase, RELEASES, SETTINGS } from './releases/stored.ts';

// Each release is copied, upgraded and read. Until a release is out, its own databases are made again with its schema:
// `npm run release:databases`.
setDefaultTimeout(120_000);

/** The answers that a release gave too. A later one may say more, and whoever reads has a key of its own. */
function knownTo(before: Answers, now: Answers): Answers {
  return Object.fromEntries(
    Object.entries(before).map(([path, then]) => [
      path,
      Array.isArray(then) ? sameRecords(then, now[path]) : now[path],
    ]),
  );
}

type Identified = { readonly id: unknown };

function sameRecords(then: readonly Identified[], now: unknown): unknown {
  const ids = new Set(then.map(({ id }) => id));
  return (now as readonly Identified[]).filter(({ id }) => ids.has(id));
}

test('this release has left its databases', async () => {
  const { version } = await Bun.file('package.json').json();
  expect(RELEASES).toContain(version);
});

describe.each([chosenEngine()])('the $name database', (engine) => {
  test.each(RELEASES)('of %s is upgraded and says what it said', async (release) => {
    const database = await loadDatabase(engine, release);
    const { exitCode, stdout, stderr } = await runPetstore(['migrate'], {
      PETSTORE_DATABASE: database.address,
    });
    expect([exitCode, stdout, stderr]).toEqual([
      0,
      expect.stringContaining('is up to date.'),
      expect.stringMatching(/^(?:petstore: migrated .*\n)?$/),
    ]);
    for (const table of copiedTables()) {
      await database.sql(`SELECT ${columnList(table)} FROM ${table.name} LIMIT 1`);
    }
    const opened = { ...engine, createDatabase: async () => database };
    await using petstore = await startPetstore({ engine: opened, settings: SETTINGS });
    const before = answersOf(engine, release);
    expect(Object.keys(before).length).toBeGreaterThan(50);
    const now = await readWhole(petstore.admin);
    expect(knownTo(before, now)).toMatchObject(before);
  });

  test.each(RELEASES)('of %s is upgraded to a release after this one', async (release) => {
    await using database = await loadDatabase(engine, release);
    using next = createNextRelease(false);
    const settings = { PETSTORE_DATABASE: database.address };
    const migrated = await runRelease(next, ['migrate'], settings);
    expect([migrated.exitCode, migrated.stderr]).toEqual([0, expect.stringContaining('migrated')]);
    const { exitCode, stdout } = await runRelease(next, ['export'], settings);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Zoë');
    const late = await runPetstore(['migrate'], settings);
    expect([late.exitCode, late.stderr]).toEqual([
      1,
      expect.stringContaining('start it with the release that made it, or a later one'),
    ]);
  });
});
