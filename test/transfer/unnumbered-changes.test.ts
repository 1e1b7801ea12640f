import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { openStorage } from '../../src/storage/open.ts';
import { changeLog } from '../../src/storage/tables.ts';
import { openSource } from '../../src/storage/transfer/open-portable.ts';
import { readLog } from '../storage/change-recorder.ts';
import { animal } from '../storage/subject.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import type { TestDatabase } from '../support/engines.ts';
import { postgres, statement } from '../support/postgres-engine.ts';
import { createPair, move } from './moving.ts';
import { bothEngines } from './pairs.ts';

// Databases are started, on a machine that may be busy.
setDefaultTimeout(120_000);

const CHANGES = changeLog();

const note = (name: string) =>
  `INSERT INTO unnumbered_changes (type, at, record_id, name)
   VALUES ('category.updated', 0, 1, '${name}')`;

/** Leaves two changes with an id and two without one, as an instance that was killed does. */
async function putChanges(database: TestDatabase): Promise<void> {
  const storage = await openStorage(database.address, 'production');
  for (let n = 0; n < 2; n++) await storage.pets.create(animal(), CHANGE_STAMP);
  await storage.close();
  for (const name of ['third', 'fourth']) await database.sql(note(name));
}

async function logOf(address: string) {
  const storage = await openStorage(address, 'production');
  await storage.optimize();
  const log = await readLog(storage, undefined);
  await storage.close();
  return log;
}

describe('changes without an id in PostgreSQL', () => {
  test.each(bothEngines)('move to $name with the ids that they would get', async (to) => {
    await using pair = await createPair(postgres, to);
    await putChanges(pair.source);
    await move(pair);
    const moved = await logOf(pair.target.address);
    expect(moved.map(({ id }) => id)).toEqual([1n, 2n, 3n, 4n]);
    expect(moved.slice(2)).toMatchObject([
      { category: { name: 'third' } },
      { category: { name: 'fourth' } },
    ]);
    const storage = await openStorage(pair.target.address, 'production');
    await storage.pets.create(animal(), CHANGE_STAMP);
    expect((await readLog(storage, 4n)).map(({ id }) => id)).toEqual([5n]);
    await storage.close();
  });

  test('are read by a snapshot, a page at a time, and not given ids meanwhile', async () => {
    await using database = await postgres.createDatabase();
    await putChanges(database);
    const source = await openSource(database.address, 'read');
    await source.beginSnapshot();
    expect(await source.count(CHANGES)).toBe(4);
    await statement(database.address, note('fifth'));
    await logOf(database.address);
    const ids = [];
    for (let page = await source.page(CHANGES, undefined, 3); page.length > 0; ) {
      ids.push(...page.map(([id]) => id));
      page = await source.page(CHANGES, page.at(-1), 3);
    }
    expect(ids).toEqual([1n, 2n, 3n, 4n]);
    expect(await source.lastId(CHANGES)).toBe(4n);
    await source.close();
    expect(await logOf(database.address)).toHaveLength(5);
  });

  test('are not written to a database whose data has moved', async () => {
    await using pair = await createPair(postgres, postgres);
    await putChanges(pair.source);
    await move(pair);
    await expect(pair.source.sql(note('late'))).rejects.toThrow(/moved/);
    await expect(pair.source.sql('SELECT number_changes(1000)')).rejects.toThrow(/moved/);
  });

  test('are emptied with the log', async () => {
    await using database = await postgres.createDatabase();
    await putChanges(database);
    const target = await openSource(database.address, 'change');
    expect(await target.beginHold()).toBe(true);
    await target.clear();
    expect(await target.count(CHANGES)).toBe(0);
    expect(await target.lastId(CHANGES)).toBe(2n);
    await target.commit();
    await target.close();
    expect(await logOf(database.address)).toEqual([]);
  });
});
