import { Database } from 'bun:sqlite';
import { beforeEach, describe, expect, test } from 'bun:test';
import { decodeCursor, listPage } from '../../src/api/contract/list-page.ts';
import type { Pet } from '../../src/domain/pet.ts';
import type { Storage } from '../../src/domain/storage.ts';
import { openServer } from '../../src/server/server.ts';
import { readConfig } from '../../src/settings/config.ts';
import { openStorage } from '../../src/storage/open.ts';
import { openLog } from '../../src/telemetry/log.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { eventually } from '../support/eventually.ts';
import { forEachTest } from '../support/lifetime.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { nextTurn } from './change-recorder.ts';
import { animal, listAll } from './subject.ts';

let path: string;
const folder = forEachTest(() => createTemporaryFolder());
beforeEach(() => {
  path = folder.file('petstore.db');
});

const open = async () => await openStorage(`sqlite:${path}`, 'production');

/** Runs a statement directly on the file, bypassing the service, as a copy of rows does. */
function sql(statement: string): unknown[] {
  using database = new Database(path);
  return database.query(statement).all();
}

/** Inserts animals up to the id `count` directly; the last one is called Quetzal. */
function addRows(count: number, first = 1): void {
  sql(
    `INSERT INTO pets (id, name, name_folded, category_id, status, first_status, added_at)
     WITH RECURSIVE ids (i) AS (SELECT ${first} UNION ALL SELECT i + 1 FROM ids WHERE i < ${count}),
     named (i, name) AS (SELECT i, iif(i = ${count}, 'quetzal', 'rex ' || i) FROM ids)
     SELECT i, name, name, 1, 'sold', 'sold', 0 FROM named`,
  );
}

const indexedTo = () => sql('SELECT indexed_to AS n FROM derived_pet_names_state');
const inIndex = (trigram: string) =>
  sql(`SELECT rowid AS id FROM derived_pet_names WHERE derived_pet_names MATCH '"${trigram}"'`);

describe('the index of names', () => {
  test('adds animals that bypassed it when the database is opened', async () => {
    await (await open()).close();
    addRows(60_000);
    expect(indexedTo()).toEqual([{ n: 0 }]);
    const storage = await open();
    expect(indexedTo()).toEqual([{ n: 60_000 }]);
    expect(inIndex('que')).toEqual([{ id: 60_000 }]);
    expect(await listAll(storage, { nameFolded: 'etza' })).toHaveLength(1);
    await storage.close();
  });

  test('adds new animals in bulk, in the transaction that adds one of them', async () => {
    const storage = await open();
    for (let i = 0; i < 3; i++) {
      const adding = Array.from({ length: 500 }, async () =>
        storage.pets.create(animal(), CHANGE_STAMP),
      );
      await Promise.all(adding);
    }
    expect(indexedTo()).toEqual([{ n: 1_024 }]);
    expect(inIndex('rex')).toHaveLength(1_024);
    await storage.close();
  });

  test('starts over when the table is emptied, since a copy may reuse ids', async () => {
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

/** The number of segments of the index. */
function segmentCount(): number {
  const [row] = sql('SELECT count(DISTINCT segid) AS n FROM derived_pet_names_idx');
  return (row as { n: number }).n;
}

/** For each segment, the number of pages that start with a new term. */
function pagesBySegment(): Map<number, number> {
  const rows = sql('SELECT segid, count(*) AS n FROM derived_pet_names_idx GROUP BY segid');
  return new Map((rows as { segid: number; n: number }[]).map(({ segid, n }) => [segid, n]));
}

describe('the segments of the index of names', () => {
  /** Adds animals in groups, like a service under load; each group creates a segment. */
  async function addInGroups(storage: Storage, count: number): Promise<void> {
    for (let first = 1; first <= count; first += 512) {
      const adding = Array.from({ length: 512 }, (_, i) =>
        storage.pets.create(animal({ name: `Rex ${first + i} ${(first + i) % 7}` }), CHANGE_STAMP),
      );
      await Promise.all(adding);
    }
  }

  test('are merged a little at a time, while searches continue', async () => {
    const storage = await open();
    await addInGroups(storage, 7_300);
    expect(segmentCount()).toBeGreaterThan(2);
    let changed = 0;
    const tracker = storage.trackChanges(() => changed++);
    await tracker.catchUp();
    for (let turns = 0; segmentCount() > 1; turns++) {
      expect(turns).toBeLessThan(100);
      await storage.optimize();
      expect(await listAll(storage, { nameFolded: 'ex 333' })).toHaveLength(11);
    }
    await nextTurn();
    await tracker.catchUp();
    expect(changed).toBe(1);
    // With nothing left to merge, nothing is written.
    for (let turn = 0; turn < 3; turn++) await storage.optimize();
    const before = sql('SELECT * FROM derived_pet_names_data');
    await storage.optimize();
    expect(sql('SELECT * FROM derived_pet_names_data')).toEqual(before);
    expect(segmentCount()).toBe(1);
    await storage.close();
  });

  test('are written a little at a time, however many animals are added', async () => {
    const storage = await open();
    let before = pagesBySegment();
    const written: number[] = [];
    for (let added = 0; added < 60_000; added += 1_024) {
      await addInGroups(storage, 1_024);
      // As a service does, which sometimes merges all segments into one.
      await storage.optimize();
      const now = pagesBySegment();
      const grown = [...now].map(([segid, n]) => Math.max(0, n - (before.get(segid) ?? 0)));
      written.push(grown.reduce((sum, n) => sum + n, 0));
      before = now;
    }
    // Its own segment, and two merge steps.
    expect(Math.max(...written)).toBeLessThan(50);
    expect(before.size).toBeLessThan(20);
    await storage.close();
  }, 60_000);

  test('are merged into one as the table grows, even after it was emptied', async () => {
    for (let database = 0; database < 2; database++) {
      const storage = await open();
      // Merging only segments of the same size would leave two of these.
      for (const count of [20_500, 6_300]) {
        await addInGroups(storage, count);
        expect(segmentCount()).toBeGreaterThan(1);
        for (let turn = 0; turn < 100 && segmentCount() > 1; turn++) await storage.optimize();
        expect(segmentCount()).toBe(1);
      }
      await storage.close();
      for (const table of ['pets', 'profiles', 'stays', 'animals']) sql(`DELETE FROM ${table}`);
      sql("DELETE FROM sqlite_sequence WHERE name = 'pets'");
    }
  });

  test('are merged by a running service', async () => {
    const storage = await open();
    await addInGroups(storage, 7_300);
    await storage.close();
    expect(segmentCount()).toBeGreaterThan(2);
    const flags = { database: `sqlite:${path}`, port: '0', opsPort: 'off', logLevel: 'silent' };
    const server = await openServer(readConfig(flags, {}));
    await eventually(segmentCount, (count) => count === 1);
    await server.close();
  });

  test('wait without a log line while another process writes for long', async () => {
    const storage = await open();
    await addInGroups(storage, 7_300);
    const lines: string[] = [];
    const log = openLog('debug', { write: (line) => lines.push(line) });
    const flags = { database: `sqlite:${path}`, port: '0', opsPort: 'off' };
    using other = new Database(path);
    other.run('BEGIN IMMEDIATE');
    const server = await openServer(readConfig(flags, {}), { log });
    // Two writes that give up one after the other take longer than one merge waits.
    for (let turn = 0; turn < 2; turn++) {
      const late = async () => storage.pets.create(animal({ name: 'Late' }), CHANGE_STAMP);
      await expect(late()).rejects.toThrow(/cannot reach its database/);
    }
    other.run('ROLLBACK');
    await server.close();
    await storage.close();
    expect(lines.filter((line) => line.includes('optimize the database'))).toEqual([]);
  });
});

test('a search by name and other conditions reads the shorter list', async () => {
  await (await open()).close();
  addRows(60_000);
  sql("UPDATE pets SET name = 'rare', name_folded = 'rare' WHERE id % 251 = 0");
  sql('UPDATE pets SET category_id = id % 50');
  const storage = await open();
  for (const nameFolded of ['rex', 'rex 1', 'rare', 'quetzal', 'nowhere']) {
    for (const status of ['sold', undefined] as const) {
      const found = await listAll(storage, { nameFolded, categoryId: 7n, status });
      const expected = sql(
        `SELECT id FROM pets WHERE category_id = 7 AND instr(name_folded, '${nameFolded}') > 0
         ORDER BY id LIMIT 100`,
      );
      expect(found.map(({ id }) => ({ id: Number(id) }))).toEqual(expected as { id: number }[]);
    }
  }
  await storage.close();
});

test('a page for a part too short for the index ends early, and its link continues', async () => {
  await (await open()).close();
  addRows(130_000);
  const storage = await open();
  const ends: bigint[] = [0n];
  const found: Pet[] = [];
  for (let afterId: bigint | undefined, more = true; more; ) {
    const page = await storage.pets.list({ nameFolded: 'q' }, { afterId, limit: 20 });
    ends.push(page.resumeAfter ?? 130_000n);
    found.push(...page.items);
    ({ more, resumeAfter: afterId } = page);
  }
  const steps = ends.slice(1).map((end, i) => Number(end - (ends[i] ?? 0n)));
  expect(Math.max(...steps)).toBeLessThanOrEqual(22_000);
  expect(found.map(({ id }) => id)).toEqual([130_000n]);
  // A frequent part still fills a page.
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
