import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { openStorage } from '../../src/storage/open.ts';
import {
  findByTrigrams,
  findTrigramIndex,
  searchByName,
} from '../../src/storage/postgres/name-search.ts';
import { createConnect } from '../../src/storage/postgres/primary.ts';
import { examined, verdictOn } from '../doctor/examination.ts';
import { eventually } from '../support/eventually.ts';
import { forAllTests } from '../support/lifetime.ts';
import { createPostgresDatabase } from '../support/postgres-engine.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import type { TestDatabase, TestEngine } from '../support/test-database.ts';
import { describeNameSearch } from './conformance/name-search.ts';

// Creating a cluster and its databases takes long on a busy machine.
setDefaultTimeout(60_000);

/** The statement that docs/OPERATING.md gives operators. */
const INDEX =
  'CREATE INDEX CONCURRENTLY pets_by_name_part ON pets USING gin (name_folded gin_trgm_ops)';
const COUNT = 40_000;
/** Enough for any busy machine. */
const LONG_MS = 60_000;

async function addIndex(database: TestDatabase): Promise<void> {
  await database.sql('CREATE EXTENSION pg_trgm');
  await database.sql(INDEX);
}

async function migrated(server: PostgresServer, template?: string): Promise<TestDatabase> {
  const database = await createPostgresDatabase(server, template);
  await (await openStorage(database.address, 'production')).close();
  return database;
}

/** Adds animals; the last three have unique names. */
async function addRows(database: TestDatabase): Promise<void> {
  await database.sql(
    `INSERT INTO pets (name, name_folded, category_id, status, first_status, added_at)
     SELECT n, n, i % 40, 'sold', 'sold', 0 FROM generate_series(1, ${COUNT}) i,
       LATERAL (SELECT CASE ${COUNT} - i WHEN 2 THEN 'zan\\%_tor'
         WHEN 1 THEN 'quetzal' WHEN 0 THEN 'ミケ子' ELSE 'rex ' || i END AS n) names`,
  );
  await database.sql('ANALYZE pets');
}

/** The number of scans of the index so far. */
async function scans(database: TestDatabase): Promise<bigint> {
  const [row] = await database.sql(
    "SELECT idx_scan AS n FROM pg_stat_user_indexes WHERE indexrelname = 'pets_by_name_part'",
  );
  return BigInt(String(row?.['n'] ?? -1));
}

describe(`an index of trigrams on PostgreSQL`, () => {
  const server = forAllTests(() => startPostgres());

  const engine: TestEngine = {
    name: 'postgres',
    async createDatabase() {
      const database = await migrated(server);
      await addIndex(database);
      return database;
    },
  };
  // Nested, so that its database is dropped before the server stops.
  describe('that exists:', () => describeNameSearch(engine, 'from an index'));

  test('finds rare names, and the doctor reports it', async () => {
    await using database = await migrated(server, "template0 LOCALE 'C.UTF-8'");
    await addRows(database);
    const look = () => examined({ PETSTORE_DATABASE: database.address });
    expect(verdictOn(await look(), 'database', /parts of names read every animal/)).toBe('good');
    await addIndex(database);
    expect(verdictOn(await look(), 'database', /names use an index/)).toBe('good');
    const session = await createConnect(database.address)();
    const page = { afterId: undefined, limit: 20 };
    for (const [nameFolded, id] of [
      ['quetz', COUNT - 1],
      ['ミケ子', COUNT],
    ] as const) {
      const before = await scans(database);
      // A search that gave up on the index found the same without it; search again.
      await eventually(
        async () => {
          const { items } = await searchByName(session, { nameFolded }, page);
          expect(items.map((pet) => pet.id)).toEqual([BigInt(id)]);
          await session.query('SELECT pg_stat_force_next_flush()');
          return await scans(database);
        },
        (count) => count > before,
      );
      const pending = await searchByName(session, { nameFolded, status: 'pending' }, page);
      expect(pending).toEqual({ items: [], more: false });
    }
    session.end();
  });

  test('is used only for names that it covers, and only once it is valid', async () => {
    await using database = await migrated(server);
    await addRows(database);
    await addIndex(database);
    const look = await examined({ PETSTORE_DATABASE: database.address });
    expect(verdictOn(look, 'database', /ASCII letters and digits in names/)).toBe('good');
    const session = await createConnect(database.address)();
    const find = (nameFolded: string) => findByTrigrams(session, { nameFolded }, 0n, 10, LONG_MS);
    // Under the locale C, the index covers only ASCII letters.
    expect(await find('ミケ子')).toBeUndefined();
    expect(await find('qu')).toBeUndefined();
    for (const [part, name] of [
      ['quetz', 'quetzal'],
      ['zan\\%_t', 'zan\\%_tor'],
    ] as const) {
      expect((await find(part))?.map((pet) => pet.name)).toEqual([name]);
    }
    expect(await find('zan__')).toEqual([]);
    await database.sql(
      "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'pets_by_name_part'::regclass",
    );
    expect(await findTrigramIndex(session)).toBeUndefined();
    expect(await find('quetz')).toBeUndefined();
    session.end();
  });

  test('is given up if it takes too long, and leaves the connection as it was', async () => {
    await using database = await migrated(server);
    await addRows(database);
    await addIndex(database);
    const session = await createConnect(database.address)();
    const settings = () => session.query('SHOW statement_timeout');
    const before = await settings();
    expect(await findByTrigrams(session, { nameFolded: 'rex' }, 0n, 10, 1)).toBeUndefined();
    expect(await settings()).toEqual(before);
    // No transaction is left open.
    expect(await session.query('SELECT now() < clock_timestamp() AS passed')).toHaveLength(1);
    expect(await findByTrigrams(session, { nameFolded: 'rex' }, 0n, 10, LONG_MS)).toHaveLength(10);
    session.end();
  });
});
