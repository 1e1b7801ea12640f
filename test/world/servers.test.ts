import { expect, setDefaultTimeout, test } from 'bun:test';
import { hostname } from 'node:os';
import { migrations as ofPostgres } from '../../src/storage/postgres/migrations.ts';
import { migrations as ofSqlite } from '../../src/storage/sqlite/migrations.ts';
import { runPetstore } from '../support/command-line.ts';
import { chosenEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { startServing } from '../support/serving.ts';

setDefaultTimeout(60_000);

const isSqlite = chosenEngine().name === 'sqlite';
const migrations = isSqlite ? ofSqlite : ofPostgres;
const HOST = isSqlite ? hostname() : '127.0.0.1';

test('serve and migrate name the server that uses the database, and refuse what it cannot share', async () => {
  await using database = await chosenEngine().createDatabase();
  const settings = { PETSTORE_DATABASE: database.address };
  const port = String(20_000 + Math.floor(Math.random() * 10_000));
  await using first = await startServing(settings, '--port', port);
  const named = `process ${first.child.pid} on ${HOST}, port ${port}`;
  await using second = await startServing(settings);
  await eventually(second.output, (text) => text.includes(named));
  expect((await runPetstore(['migrate'], settings)).stderr).toContain(named);

  // As a later release with one more step finds it.
  const step = migrations.findLastIndex(({ shared }) => shared !== true);
  const [before = 0] = [migrations[step - 1]?.version];
  await database.sql(
    isSqlite
      ? `PRAGMA user_version = ${before}`
      : `DELETE FROM schema_versions WHERE version > ${before}`,
  );
  const refused = await runPetstore(['migrate'], settings);
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain(named);
  expect(refused.stderr).toContain('Nothing was changed');
  const [found] = await database.sql(
    isSqlite
      ? 'SELECT user_version AS version FROM pragma_user_version'
      : 'SELECT max(version) AS version FROM schema_versions',
  );
  expect(Number(found?.['version'])).toBe(before);
});
