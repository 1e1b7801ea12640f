import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Client, ClientResponse } from '../support/client.ts';
import { createCuttingDatabase } from '../support/cutting-database.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { createPostgresDatabase, postgres, statement } from '../support/postgres-engine.ts';
import { type PostgresServer, startPostgres, startStandby } from '../support/postgres-server.ts';
import { startProcessClock } from '../support/process-clock.ts';
import { sampleOf, scrape } from '../support/scrape.ts';
import { startPetstore, type TestPetstore, type TestSettings } from '../support/start.ts';
import type { TestDatabase } from '../support/test-database.ts';

/** Longest response time while the database is away, plus an allowance for a slow machine. */
const RESPONSE_TIME_MAX_MS = 2_000 + 300;
/** The longest time to recover once the database is back. */
const RECOVERY_MAX_MS = 5_000;
const WRITERS = 6;
/** Pause after a refusal, per client: together the clients send about 300 requests per second. */
const PAUSE_MS = 3;
const REX = { name: 'Rex', categoryId: 1 };

/** Clients that add animals without a pause. */
interface Load extends AsyncDisposable {
  /** Responses by status so far; a refusal without Retry-After is counted under a text. */
  readonly counts: ReadonlyMap<number | string, number>;
  /** Ends the load. Returns the acknowledged ids and the longest response time in ms. */
  end(): Promise<{ readonly acknowledged: string[]; readonly slowest: number }>;
}

function startLoad(client: Client, clients = WRITERS): Load {
  const counts = new Map<number | string, number>();
  const acknowledged: string[] = [];
  const clock = startProcessClock();
  let slowest = 0;
  let ended = false;

  async function write(): Promise<void> {
    while (!ended) {
      const start = clock.now();
      const response = await client.post('/v1/pets', REX);
      slowest = Math.max(slowest, clock.now() - start);
      const kind = kindOf(response);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      if (kind === 201) acknowledged.push(JSON.parse(response.text).id.toString());
      else await Bun.sleep(PAUSE_MS * clients);
    }
  }
  const writers = Array.from({ length: clients }, write);

  return {
    counts,
    async end() {
      ended = true;
      await Promise.all(writers);
      return { acknowledged, slowest };
    },
    // After a failed test, its clients must neither run on into the next one nor hide the failure.
    async [Symbol.asyncDispose]() {
      ended = true;
      await Promise.allSettled(writers);
      clock[Symbol.dispose]();
    },
  };
}

/** Returns the status of a response, or a text for a refusal without Retry-After. */
function kindOf({ status, headers }: ClientResponse): number | string {
  const isExpected = status === 201 || /^[1-9]/.test(headers.get('retry-after') ?? '');
  return isExpected ? status : `${status} without Retry-After`;
}

/** Waits until the service adds an animal again, and returns the time that took in ms. */
async function recovery(client: Client): Promise<number> {
  using clock = startProcessClock();
  while (clock.now() < 2 * RECOVERY_MAX_MS) {
    const response = await client.post('/v1/pets', { name: 'Back', categoryId: 1 });
    if (response.status === 201) break;
    await Bun.sleep(20);
  }
  return clock.now();
}

describe.skipIf(postgres === undefined)('under load, the service survives', () => {
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

  /** Expects only 201 and 503, all in time, and every acknowledged animal in the database. */
  async function expectNothingLost(petstore: TestPetstore, load: Load): Promise<void> {
    const { acknowledged, slowest } = await load.end();
    expect([...load.counts.keys()].filter((kind) => kind !== 201 && kind !== 503)).toEqual([]);
    expect(slowest).toBeLessThan(RESPONSE_TIME_MAX_MS);
    const rows = await petstore.database.sql('SELECT id FROM pets');
    const stored = new Set(rows.map(({ id }) => String(id)));
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    expect(new Set(acknowledged).size).toBe(acknowledged.length);
    expect(acknowledged.length).toBeGreaterThan(0);
  }

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
