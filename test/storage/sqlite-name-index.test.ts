import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { decodeCursor } from '../../src/api/cursor.ts';
import { listPage } from '../../src/api/links.ts';
import type { Pet } from '../../src/domain/pet.ts';
import { openStorage } from '../../src/storage/open.ts';
import { EDIT } from '../edit.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../temporary.ts';
import { animal, listAll } from './subject.ts';

let folder: TemporaryFolder;
let path: string;
beforeEach(() => {
  folder = createTemporaryFolder();
  path = folder.file('petstore.db');
});
afterEach(() => folder[Symbol.dispose]());

const open = async () => await openStorage(`sqlite:${path}`, 'production');

/** Runs a statement past the service, as a copy of rows does. */
function sql(statement: string): unknown[] {
  using database = new Database(path);
  return database.query(statement).all();
}

/** Adds so many animals past the service; the last of them is called Quetzal. */
function addRows(count: number, first = 1): void {
  sql(
    `INSERT INTO pets (id, name, name_folded, category_id, status)
     WITH RECURSIVE ids (i) AS (SELECT ${first} UNION ALL SELECT i + 1 FROM ids WHERE i < ${count}),
     named (i, name) AS (SELECT i, iif(i = ${count}, 'quetzal', 'rex ' || i) FROM ids)
     SELECT i, name, name, 1, 'sold' FROM named`,
  );
}

const indexedTo = () => sql('SELECT indexed_to AS n FROM derived_pet_names_state');
const inIndex = (trigram: string) =>
  sql(`SELECT rowid AS id FROM derived_pet_names WHERE derived_pet_names MATCH '"${trigram}"'`);

describe('the index of names', () => {
  test('takes animals in that came past it when the database is opened', async () => {
    await (await open()).close();
    addRows(60_000);
    expect(indexedTo()).toEqual([{ n: 0 }]);
    const storage = await open();
    expect(indexedTo()).toEqual([{ n: 60_000 }]);
    expect(inIndex('que')).toEqual([{ id: 60_000 }]);
    expect(await listAll(storage, { nameFolded: 'etza' })).toHaveLength(1);
    await storage.close();
  });

  test('takes new animals in many at once, in the transaction that adds one of them', async () => {
    const storage = await open();
    for (let i = 0; i < 3; i++) {
      const adding = Array.from({ length: 500 }, async () => storage.pets.create(animal(), EDIT));
      await Promise.all(adding);
    }
    expect(indexedTo()).toEqual([{ n: 1_024 }]);
    expect(inIndex('rex')).toHaveLength(1_024);
    await storage.close();
  });

  test('begins anew where a table is emptied, for ids that come back with a copy', async () => {
    await (await open()).close();
    addRows(3_000);
    const storage = await open();
    expect(indexedTo()).toEqual([{ n: 3_000 }]);
    sql('DELETE FROM pets');
    expect(indexedTo()).toEqual([{ n: 0 }]);
    expect(inIndex('rex')).toEqual([]);
    addRows(2_900);
    const [found] = await listAll(storage, { nameFolded: 'quetz' });
    expect(found?.id).toBe(2_900n);
    await storage.close();
  });
});

test('a page for a part too short for the index ends early, and its link goes on', async () => {
  await (await open()).close();
  addRows(130_000);
  const storage = await open();
  const ends: (bigint | undefined)[] = [];
  const found: Pet[] = [];
  for (let afterId: bigint | undefined, more = true; more; ) {
    const page = await storage.pets.list({ nameFolded: 'q' }, { afterId, limit: 20 });
    ends.push(page.resumeAfter);
    found.push(...page.items);
    ({ more, resumeAfter: afterId } = page);
  }
  expect(ends).toEqual([52_000n, 104_000n, undefined]);
  expect(found.map(({ id }) => id)).toEqual([130_000n]);
  // A frequent part fills a page as ever.
  const page = await storage.pets.list({ nameFolded: 'ex' }, { afterId: undefined, limit: 20 });
  expect([page.items.length, page.resumeAfter]).toEqual([20, undefined]);
  await storage.close();

  const filters = { name: 'q' };
  const list = listPage({ baseUrl: 'http://h/v1', path: '/pets', filters, query: {} });
  const { headers, value } = list.result({ items: [], more: true, resumeAfter: 52_000n }, () => 0);
  const cursor = /cursor=([^>&]+)>; rel="next"/.exec(headers?.['link'] ?? '')?.[1] ?? '';
  expect(value).toEqual([]);
  expect(decodeCursor(cursor, '/pets?name=q')).toBe(52_000n);
});
