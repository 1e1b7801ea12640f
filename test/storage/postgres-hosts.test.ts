import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { openStorage } from '../../src/storage/open.ts';
import { examined, troubles } from '../doctor/examination.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { runPetstore } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { createPostgresDatabase, statement } from '../support/postgres-engine.ts';
import { type PostgresServer, startPostgres, startStandby } from '../support/postgres-server.ts';
import { startPetstore } from '../support/start.ts';
import type { TestDatabase } from '../support/test-database.ts';
import { animal } from './subject.ts';
import { expectNothingLost, RECOVERY_MAX_MS, REX, recovery, startLoad } from './write-load.ts';

// Creating two clusters takes long on a busy machine.
setDefaultTimeout(120_000);

const PASSWORD = 's3cret';
const READ_ONLY = 'ALTER SYSTEM SET default_transaction_read_only = on';

describe('an address with several hosts', () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  let databaseName: string;
  let database: TestDatabase;
  let parts: AsyncDisposableStack;
  beforeEach(async () => {
    parts = new AsyncDisposableStack();
    primary = parts.use(await startPostgres());
    const direct = await createPostgresDatabase(primary);
    standby = parts.use(await startStandby(primary));
    databaseName = new URL(direct.address).pathname.slice(1);
    const hosts = [standby, primary].map(({ port }) => `127.0.0.1:${port}`).join();
    database = {
      address: `postgres://petstore:${PASSWORD}@${hosts}/${databaseName}`,
      // The standby becomes the primary.
      sql: (text) => statement(standby.addressOf(databaseName), text),
      holdWrites: direct.holdWrites,
      destroy: direct.destroy,
      [Symbol.asyncDispose]: async () => {},
    };
  });
  afterEach(() => parts.disposeAsync());

  const administer = async (server: PostgresServer, ...texts: string[]) => {
    for (const text of texts) await statement(server.addressOf('postgres'), text);
  };
  /** With synchronous replication, the standby has every acknowledged write. */
  const replicateSynchronously = () =>
    administer(
      primary,
      `ALTER SYSTEM SET synchronous_standby_names = '*'`,
      'SELECT pg_reload_conf()',
    );
  const starting = () =>
    startPetstore({ engine: { name: 'postgres', createDatabase: async () => database } });

  test.each<[string, () => Promise<unknown>]>([
    ['is killed', () => primary.kill()],
    ['stops', () => primary.stop('fast')],
    ['hangs', async () => parts.use(await primary.pause())],
  ])('leads to the promoted standby when the primary %s', async (_, fail) => {
    await using petstore = await starting();
    await replicateSynchronously();
    await using load = startLoad(petstore.writer);
    await eventually(
      () => load.counts.get(201) ?? 0,
      (count) => count > 100,
    );
    await fail();
    await eventually(
      () => load.counts.get(503) ?? 0,
      (count) => count > 0,
    );
    // A standby may lack what was acknowledged, so it serves no reads.
    const { status, headers } = await petstore.reader.get('/v1/pets?limit=1');
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toMatch(/^[1-9]/);
    await standby.promote();
    expect(await recovery(petstore.writer)).toBeLessThan(RECOVERY_MAX_MS);
    expect((await petstore.reader.get('/v1/pets?limit=1')).status).toBe(200);
    await expectNothingLost(petstore, load);
  });

  test('leads to the promoted standby for reads too, once the primary has become read-only', async () => {
    await using petstore = await starting();
    await replicateSynchronously();
    expect((await petstore.writer.post('/v1/pets', REX)).status).toBe(201);
    // Only a URL that comes twice is cached.
    for (let n = 0; n < 3; n++) await petstore.reader.get('/v1/pets');
    await standby.promote();
    await administer(primary, READ_ONLY, 'SELECT pg_reload_conf()');
    const other = await openStorage(standby.addressOf(databaseName), 'production');
    await other.pets.create({ ...animal(), name: 'Renamed' }, CHANGE_STAMP);
    await other.close();
    const { text } = await petstore.reader.get('/v1/pets');
    expect(text).toContain('Renamed');
    expect(await recovery(petstore.writer)).toBeLessThan(RECOVERY_MAX_MS);
  });

  test('never leads back to a primary that was replaced, though that still takes writes', async () => {
    await using petstore = await starting();
    const halted = await primary.pause();
    await standby.promote();
    expect(await recovery(petstore.writer)).toBeLessThan(RECOVERY_MAX_MS);
    halted[Symbol.dispose]();
    const away = await standby.stop('fast');
    for (let n = 0; n < 20; n++) {
      expect((await petstore.writer.post('/v1/pets', REX)).status).toBe(503);
    }
    await away[Symbol.asyncDispose]();
    expect(await recovery(petstore.writer)).toBeLessThan(RECOVERY_MAX_MS);
  });

  test('of which none takes writes is refused at the start, host by host, without the password', async () => {
    await primary.kill();
    const { exitCode, stderr } = await runPetstore(['migrate', '--database', database.address]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      `no host takes writes: 127.0.0.1:${standby.port} is read-only; 127.0.0.1:${primary.port} cannot be reached`,
    );
    expect(stderr).toContain('petstore:***@');
    expect(stderr).not.toContain(PASSWORD);
  });

  test('is examined host by host', async () => {
    await using petstore = await starting();
    void petstore;
    const findings = await examined({ PETSTORE_DATABASE: database.address });
    const texts = findings.map(({ found }) => found);
    expect(texts).toContainEqual(expect.stringContaining(`127.0.0.1:${standby.port} is read-only`));
    expect(texts).toContainEqual(expect.stringContaining(`127.0.0.1:${primary.port} takes writes`));
    // The records are of the clock of the tests.
    const bad = troubles(findings).filter((text) => /^bad (?!clock)/.test(text));
    expect(bad).toEqual([]);
    expect(JSON.stringify(findings)).not.toContain(PASSWORD);
  });
});
