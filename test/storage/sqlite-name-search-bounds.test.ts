import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { PetFilter } from '../../src/domain/pet.ts';
import { openConnection } from '../../src/storage/sqlite/connection.ts';
import { createNameIndex } from '../../src/storage/sqlite/name-index.ts';
import { createNameSearch } from '../../src/storage/sqlite/name-search.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/storage.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';
import { animal } from './subject.ts';

const ROWS = 30_000;

let folder: TemporaryFolder;
let path: string;
let database: Database;
beforeEach(() => {
  folder = createTemporaryFolder();
  path = folder.file('petstore.db');
  database = openConnection(path, 'production');
});
afterEach(() => {
  database.close();
  folder[Symbol.dispose]();
});

/** Adds animals directly; one in 997 is called "zz". Two characters have no trigram to look up. */
function addRows(): void {
  database.run(
    `INSERT INTO pets (name, name_folded, category_id, status, first_status, added_at)
     WITH RECURSIVE ids (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM ids WHERE i < ${ROWS})
     SELECT name, name, 1 + i % 3, 'sold', 'sold', 0
     FROM (SELECT i, iif(i % 997 = 0, 'zz', 'rex') AS name FROM ids)`,
  );
}

test.each<[string, Omit<PetFilter, 'nameFolded'>, number]>([
  ['without other conditions', {}, 30],
  ['with others', { categoryId: 2n }, 10],
])('a scan ends when time is up, and the next pages find the rest: %s', (_, filter, expected) => {
  addRows();
  const walk = (clock: () => number) => {
    const search = createNameSearch(database, createNameIndex(database), clock);
    const found: bigint[] = [];
    let pages = 0;
    for (let afterId: bigint | undefined = 0n; afterId !== undefined; pages++) {
      const page = search({ ...filter, nameFolded: 'zz' }, { afterId, limit: 100 });
      found.push(...page.items.map(({ id }) => id));
      afterId = page.more ? page.resumeAfter : undefined;
    }
    return { found, pages };
  };
  const quick = walk(() => 0);
  expect(quick.found).toHaveLength(expected);
  let now = 0;
  // Each reading of the clock takes 3 ms, so a step scans two slices.
  const slow = walk(() => (now += 3));
  expect(slow.found).toEqual(quick.found);
  expect(slow.pages).toBeGreaterThan(quick.pages);
});

test('long names enter the index sooner, so that no addition waits for a thousand of them', async () => {
  const storage = openSqliteStorage(path, 'production');
  const indexedTo = () =>
    database.query<{ id: bigint }, []>('SELECT indexed_to AS id FROM derived_pet_names_state').get()
      ?.id;
  for (let n = 0; n < 64; n++) await storage.pets.create(animal(), CHANGE_STAMP);
  expect(indexedTo()).toBe(0n);
  for (let n = 0; n < 70; n++) {
    await storage.pets.create(animal({ name: '犬'.repeat(255) }), CHANGE_STAMP);
  }
  expect(Number(indexedTo())).toBeGreaterThan(64);
  await storage.close();
});
