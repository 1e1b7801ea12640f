import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { makeBackup } from '../../src/backups/make.ts';
import { inspectDatabase } from '../../src/doctor/examine.ts';
import { animal, openSubject, type Subject } from '../storage/subject.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { runHere } from '../support/command-line.ts';
import { chosenEngine } from '../support/engines.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';

const isSqlite = chosenEngine().name === 'sqlite';
const SHA256 = 'a'.repeat(64);
const FILES = ['-320.webp', '-640.webp', '-700.webp', '-700.jpg'].map((end) => SHA256 + end);
let subject: Subject;
let folder: TemporaryFolder;

beforeEach(async () => {
  subject = await openSubject(chosenEngine());
  folder = createTemporaryFolder();
  mkdirSync(folder.file('backups'));
  const { photoFiles, photos, pets } = subject.storage;
  const { id } = await pets.create(animal(), CHANGE_STAMP);
  await photoFiles.put(
    FILES.map((name) => ({ name, content: new Uint8Array(9_000) })),
    CHANGE_STAMP.at,
  );
  await photos.add(id, { sha256: SHA256, alt: '', width: 700, height: 500 }, CHANGE_STAMP);
  await subject.storage.optimize();
});
afterEach(async () => {
  await subject[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const NO_PROGRESS = { start() {}, advance() {}, isInterrupted: () => false };

/** What doctor, a backup by itself and one by hand say of damage. */
async function said(): Promise<readonly string[]> {
  const { address } = subject.database;
  const found = await inspectDatabase(address, 'production');
  const bad = found.filter(({ area, verdict }) => area === 'database' && verdict === 'bad');
  const { damage = [] } = await makeBackup(
    {
      ...{ database: address, environment: 'production', place: folder.file('backups') },
      ...{ everyMs: 1, keep: 1, now: Date.now(), checks: true },
    },
    NO_PROGRESS,
  );
  const file = folder.file(`${crypto.randomUUID()}.backup`);
  const { stderr } = await runHere(['backup', file], { PETSTORE_DATABASE: address });
  return [bad.map((each) => each.found).join(), damage.join('; '), stderr];
}

test('a whole database is said to be whole', async () => {
  expect(await said()).toEqual(['', '', '']);
});

const index = 'orders_by_status';
test.each<[what: string, statement: () => Promise<string>, expected: RegExp]>([
  ...FILES.map((name): [string, () => Promise<string>, RegExp] => [
    `the file ${name.slice(64)} of a photo`,
    async () => `DELETE FROM photo_files WHERE name = '${name}'`,
    /photos without their files, of animals 1\b/,
  ]),
  [
    'an index',
    async () => {
      const [row] = await subject.database.sql(
        isSqlite
          ? "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name LIMIT 1"
          : `SELECT CAST(indexname AS text) AS name FROM pg_indexes WHERE schemaname = 'public'
             AND indexname NOT LIKE '%key' ORDER BY indexname LIMIT 1`,
      );
      return `DROP INDEX ${row?.['name'] ?? index}`;
    },
    /indexes or triggers are missing: \w+/,
  ],
])('that it lacks %s is said by doctor and by each backup', async (_, statement, expected) => {
  await subject.database.sql(await statement());
  for (const text of await said()) expect(text).toMatch(expected);
});

describe.if(isSqlite)('on SQLite', () => {
  test('a reference to nothing is said, and no older backup is removed then', async () => {
    await said();
    await subject.database.sql('PRAGMA foreign_keys = OFF');
    await subject.database.sql('DELETE FROM photo_files');
    const { address } = subject.database;
    for (let n = 1; n < 4; n++) {
      const outcome = await makeBackup(
        {
          ...{ database: address, environment: 'production', place: folder.file('backups') },
          ...{ everyMs: 1, keep: 1, now: Date.now() + n * 60_000, checks: true },
        },
        NO_PROGRESS,
      );
      expect(outcome).toMatchObject({ result: 'made', removed: 0 });
    }
  });
});
