import { expect, setDefaultTimeout, test } from 'bun:test';
import { openStorage } from '../../src/storage/open.ts';
import { openBackupFile } from '../../src/storage/sqlite/backup-file.ts';
import { backUp } from '../../src/storage/transfer/backup.ts';
import { openSource, openTarget } from '../../src/storage/transfer/open-portable.ts';
import { restoreDatabase } from '../../src/storage/transfer/restore.ts';
import { imported, listAll } from '../storage/subject.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { chosenEngine, type TestDatabase, type TestEngine } from '../support/engines.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';
import { contentOf, restoredContent, UNWATCHED } from './content.ts';

// Databases are started, on a machine that may be busy.
setDefaultTimeout(120_000);

/** So many that some are found by the index of names alone. */
const BEFORE = 5_000;
const BACKED_UP = 4_000;

/** Adds animals that bear a name and a number. */
async function addAnimals(address: string, name: string, count: number): Promise<void> {
  const storage = await openStorage(address, 'production');
  const batch = Array.from({ length: count }, (_, i) => imported({ name: `${name} ${i}` }));
  await storage.pets.importBatch(batch, CHANGE_STAMP);
  await storage.close();
}

/** Makes a backup of another shop; gives the path. */
async function someBackup(folder: TemporaryFolder): Promise<string> {
  const address = `sqlite:${folder.file('shop.db')}`;
  await addAnimals(address, 'Luna', BACKED_UP);
  const source = await openSource(address);
  const path = folder.file('shop.backup');
  await backUp(source, { path, force: false, own: undefined }, UNWATCHED);
  await source.close();
  return path;
}

/** Replaces what is in a database, and stops when it was asked so often whether to. */
async function replace(target: TestDatabase, path: string, stopAt = Number.POSITIVE_INFINITY) {
  const backup = await openBackupFile(path);
  const database = await openTarget(target.address, 'production');
  let asked = 0;
  const progress = { ...UNWATCHED, isInterrupted: () => ++asked >= stopAt };
  try {
    await restoreDatabase(backup, database, true, progress);
  } finally {
    await database.close();
    await backup.close();
  }
}

/** How the tables of SQLite are made; those of PostgreSQL stay and are emptied. */
async function schemaOf(engine: TestEngine, { sql }: TestDatabase): Promise<string[]> {
  if (engine.name !== 'sqlite') return [];
  const parts = await sql('SELECT type, name, tbl_name, sql FROM sqlite_schema');
  return parts.map((part) => JSON.stringify(part)).sort();
}

/** How many animals have this part in their names. */
async function countNamed({ address }: TestDatabase, nameFolded: string): Promise<number> {
  const storage = await openStorage(address, 'production');
  const found = await listAll(storage, { nameFolded });
  await storage.close();
  return found.length;
}

test.each([chosenEngine()])(
  'a restore with --force into $name is whole or nothing',
  async (engine) => {
    using folder = createTemporaryFolder();
    const path = await someBackup(folder);
    await using target = await engine.createDatabase();
    await addAnimals(target.address, 'Rex', BEFORE);
    const content = await contentOf(target.address);
    const schema = await schemaOf(engine, target);

    for (const stopAt of [1, 4]) {
      await expect(replace(target, path, stopAt)).rejects.toThrow(/^stopped as you asked/);
      expect(await contentOf(target.address)).toEqual(content);
      expect(await schemaOf(engine, target)).toEqual(schema);
      expect(await countNamed(target, 'ex 499')).toBe(11);
    }

    await replace(target, path);
    const { rows } = await contentOf(`sqlite:${folder.file('shop.db')}`);
    const { lastIds } = content;
    expect(await contentOf(target.address)).toEqual(restoredContent({ rows, lastIds }));
    expect(await schemaOf(engine, target)).toEqual(schema);
    expect(await countNamed(target, 'ex 499')).toBe(0);
    expect(await countNamed(target, 'una 399')).toBe(11);
  },
);
