import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createCuttingDatabase } from '../support/cutting-database.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { createPostgresDatabase, statement } from '../support/postgres-engine.ts';
import { type PostgresServer, startPostgres, startStandby } from '../support/postgres-server.ts';
import { sampleOf, scrape } from '../support/scrape.ts';
import { startPetstore, type TestSettings } from '../support/start.ts';
import type { TestDatabase } from '../support/test-database.ts';
import {
  expectNothingLost,
  RECOVERY_MAX_MS,
  REX,
  recovery,
  startLoad,
  WRITERS,
} from './write-load.ts';

describe('under load, the service survives', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server[Symbol.asyncDispose]());

  const starting = (settings: TestSettings = {}) =>
    startPetstore({
      settings,
      engine: { name: 'postgres', createDatabase: () => createPostgresDatabase(server) },
    });

  test.each<[string, () => Promise<Disposable | AsyncDisposable>]>([
    ['a restart of the server', () => server.stop('fast')],
    ['a server that stops at once', () => server.stop('immediate')],
    ['a server that is killed', () => server.kill()],
    ['a server that hangs', () => server.pause()],
  ])(
    '%s',
    async (_, startFault) => {
      await using petstore = await starting();
      await using load = startLoad(petstore.writer);
      await eventually(
        () => load.counts.get(201) ?? 0,
        (count) => count > 0,
      );
      {
        await using _fault = await startFault();
        await eventually(
          () => load.counts.get(503) ?? 0,
          (count) => count > WRITERS,
        );
        expect((await petstore.anonymous.get('/livez')).status).toBe(200);
        expect((await petstore.anonymous.get('/readyz')).status).toBe(503);
      }
      expect(await recovery(petstore.writer)).toBeLessThan(RECOVERY_MAX_MS);
      await expectNothingLost(petstore, load);
    },
    60_000,
  );

  test('a server that hangs under more requests than may be in progress', async () => {
    const most = 20;
    await using petstore = await starting({
      PETSTORE_MAX_IN_PROGRESS: String(most),
      // A refusal reports the quota of the address, which takes a moment if it is in Valkey.
      PETSTORE_LIMITS: 'memory:',
    });
    await using load = startLoad(petstore.writer, 5 * most);
    await eventually(
      () => load.counts.get(201),
      (added) => (added ?? 0) > 0,
    );
    const pending: number[] = [];
    {
      using _fault = await server.pause();
      for (let i = 0; i < 25; i++) {
        await Bun.sleep(100);
        const scraped = await scrape(petstore.metricsUrl);
        pending.push(sampleOf(scraped, 'petstore_http_requests_pending'));
      }
    }
    expect(await recovery(petstore.writer)).toBeLessThan(RECOVERY_MAX_MS);
    await expectNothingLost(petstore, load);
    // As many requests wait as may; the rest are refused immediately.
    expect(Math.max(...pending)).toBe(most);
  }, 60_000);

  test('sessions that an operator terminates repeatedly', async () => {
    await using petstore = await starting();
    await using load = startLoad(petstore.writer);
    for (let round = 0; round < 20; round++) {
      await Bun.sleep(50);
      await petstore.database.sql(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
    }
    expect(await recovery(petstore.writer)).toBeLessThan(RECOVERY_MAX_MS);
    await expectNothingLost(petstore, load);
  }, 60_000);

  test('connections that are cut in the middle of a statement', async () => {
    const { database, proxy } = await createCuttingDatabase(server);
    await using petstore = await startPetstore({
      engine: { name: 'postgres', createDatabase: async () => database },
    });
    await using load = startLoad(petstore.writer);
    for (let round = 0; round < 40; round++) {
      await Bun.sleep(Math.random() * 30);
      proxy.cut();
    }
    expect(await recovery(petstore.writer)).toBeLessThan(RECOVERY_MAX_MS);
    await expectNothingLost(petstore, load);
  }, 60_000);

  test('a failover to a standby, to which the address moves', async () => {
    await using primary = await startPostgres();
    const direct = await createPostgresDatabase(primary);
    await using standby = await startStandby(primary);
    // With synchronous replication, the standby has every acknowledged write.
    const administer = (text: string) => statement(primary.addressOf('postgres'), text);
    await administer(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await administer('SELECT pg_reload_conf()');
    using proxy = startCuttingProxy(primary.port);
    const at = (port: number) => direct.address.replace(`:${primary.port}/`, `:${port}/`);
    const database: TestDatabase = {
      ...direct,
      address: at(proxy.port),
      sql: (text) => statement(at(standby.port), text),
      [Symbol.asyncDispose]: async () => {},
    };
    await using petstore = await startPetstore({
      engine: { name: 'postgres', createDatabase: async () => database },
    });
    await using load = startLoad(petstore.writer);
    await eventually(
      () => load.counts.get(201) ?? 0,
      (count) => count > 100,
    );
    proxy.moveTo(standby.port);
    const { status, headers } = await petstore.writer.post('/v1/pets', REX);
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toMatch(/^[1-9]/);
    // This is immediate unless the machine is too busy for a new session.
    await eventually(
      async () => (await petstore.reader.get('/v1/pets')).status,
      (read) => read === 200,
    );
    await primary.kill();
    await standby.promote();
    expect(await recovery(petstore.writer)).toBeLessThan(RECOVERY_MAX_MS);
    await expectNothingLost(petstore, load);
    // Creating two clusters takes long on a busy machine.
  }, 120_000);

  test('an address that moves while sessions stay on a server that is now read-only', async () => {
    const { database, proxy } = await createCuttingDatabase(server);
    await using petstore = await startPetstore({
      engine: { name: 'postgres', createDatabase: async () => database },
    });
    const post = async () => (await petstore.writer.post('/v1/pets', REX)).status;
    expect(await post()).toBe(201);
    // Like a demoted server, where existing sessions become read-only too.
    const readOnly = `ALTER DATABASE ${new URL(database.address).pathname.slice(1)}
      SET default_transaction_read_only`;
    await database.sql(`${readOnly} = on`);
    proxy.cut();
    expect(await post()).toBe(503);
    // New sessions work; the refused ones must not be used again.
    await statement(server.addressOf('postgres'), `${readOnly} = off`);
    expect(await post()).toBe(201);
  });
});
