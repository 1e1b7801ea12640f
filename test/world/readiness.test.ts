import { beforeEach, describe, expect, test } from 'bun:test';
import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { inspectDatabase } from '../../src/doctor/examine.ts';
import { COPIED, NOT_COPIED } from '../../src/storage/tables.ts';
import { chosenEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { forEachTest } from '../support/lifetime.ts';
import { sampleOf, scrape } from '../support/scrape.ts';
import { startPetstore } from '../support/start.ts';

const isSqlite = chosenEngine().name === 'sqlite';

const petstore = forEachTest(() => startPetstore());
beforeEach(async () => {
  expect((await petstore.writer.post('/v1/pets', { name: 'Rex', categoryId: 1 })).status).toBe(201);
});

const ready = () => petstore.anonymous.get('/readyz');
const untilStatus = (status: number) => eventually(ready, (response) => response.status === status);
const doctor = async () =>
  (await inspectDatabase(petstore.database.address, 'production'))
    .filter(({ area, verdict }) => area === 'database' && verdict === 'bad')
    .map(({ found }) => found);

test('a service that works is ready, and its metrics say so, with what is in its database', async () => {
  await petstore.storage.optimize();
  expect((await untilStatus(200)).text).toContain('"ready"');
  const metrics = await eventually(
    () => scrape(petstore.metricsUrl),
    (found) => (found.get('petstore_animals')?.samples.size ?? 0) > 0,
  );
  expect(sampleOf(metrics, 'petstore_ready')).toBe(1);
  const { id } = petstore.storage;
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  expect(metrics.get('petstore_animals')?.samples.has(`petstore_animals{database="${id}"}`)).toBe(
    true,
  );
  expect(await doctor()).toEqual([]);
});

/** A table is enough, whichever. */
const TABLES = ['pets', 'api_keys', 'changes', 'idempotent_results', 'sessions', 'photo_files'];

test.if(isSqlite)(
  'every table is read',
  async () => {
    for (const table of [...COPIED, ...NOT_COPIED]) {
      await petstore.database.sql(`ALTER TABLE ${table} RENAME TO hidden`);
      expect((await untilStatus(503)).text).toContain('the database');
      await petstore.database.sql(`ALTER TABLE hidden RENAME TO ${table}`);
      await untilStatus(200);
    }
  },
  120_000,
);

describe.if(isSqlite)('on SQLite', () => {
  test('it is not ready once its pages are overwritten behind the first ones', async () => {
    await untilStatus(200);
    await petstore.database.sql('PRAGMA wal_checkpoint(TRUNCATE)');
    const path = petstore.database.address.slice('sqlite:'.length);
    const file = openSync(path, 'r+');
    const junk = Buffer.alloc(statSync(path).size - 8_192, 'junk ');
    writeSync(file, junk, 0, junk.length, 8_192);
    closeSync(file);
    await untilStatus(503);
  });

  test('it is not ready while another process keeps all others from writing', async () => {
    await untilStatus(200);
    await using _ = await petstore.database.holdWrites();
    await untilStatus(503);
  });
});

describe.if(!isSqlite)('on PostgreSQL', () => {
  test.each(TABLES)('it is not ready while %s is locked', async (table) => {
    const { SQL } = await import('bun');
    const session = new SQL(petstore.database.address, { max: 1 });
    await session.begin(async (held) => {
      await held.unsafe(`LOCK TABLE ${table}`);
      expect((await untilStatus(503)).text).toContain('does not answer');
    });
    await session.close();
    await untilStatus(200);
  });

  test('it is not ready without any one right on a table, which doctor names', async () => {
    const database = await chosenEngine().createDatabase();
    const user = 'petstore_limited';
    await database.sql(`CREATE ROLE ${user} LOGIN`);
    await database.sql(`GRANT ALL ON ALL TABLES IN SCHEMA public TO ${user}`);
    await database.sql(`GRANT ALL ON SCHEMA public TO ${user}`);
    const url = new URL(database.address);
    url.username = user;
    const createDatabase = async () => ({ ...database, address: url.href });
    await using limited = await startPetstore({ engine: { name: 'postgres', createDatabase } });
    const statusOf = async () => (await limited.anonymous.get('/readyz')).status;
    await eventually(statusOf, (status) => status === 200);
    for (const [n, right] of ['SELECT', 'INSERT', 'UPDATE', 'DELETE'].entries()) {
      const table = TABLES[n];
      await database.sql(`REVOKE ${right} ON ${table} FROM ${user}`);
      await eventually(statusOf, (status) => status === 503);
      const found = await inspectDatabase(url.href, 'production');
      const bad = found.filter(({ verdict }) => verdict === 'bad').map((each) => each.found);
      expect(bad).toEqual([expect.stringContaining(`${right} on ${table}`)]);
      await database.sql(`GRANT ${right} ON ${table} TO ${user}`);
      await eventually(statusOf, (status) => status === 200);
    }
  }, 120_000);

  test('it is not ready once another database is in the place of the one that was opened', async () => {
    await untilStatus(200);
    await petstore.database.sql("UPDATE deployment SET id = 'another'");
    await eventually(ready, ({ text }) => text.includes('not the one that was opened'));
    expect((await petstore.writer.post('/v1/pets', { name: 'Late', categoryId: 1 })).status).toBe(
      503,
    );
  });
});
