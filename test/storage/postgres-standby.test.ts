import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { eventually } from '../support/eventually.ts';
import { createPostgresDatabase, statement } from '../support/postgres-engine.ts';
import { type PostgresServer, startPostgres, startStandby } from '../support/postgres-server.ts';
import { startPetstore, type TestPetstore } from '../support/start.ts';
import { expectNothingLost, RECOVERY_MAX_MS, recovery, startLoad } from './write-load.ts';

// Creating two clusters takes long on a busy machine.
setDefaultTimeout(120_000);

/** Sessions that one instance may have, whatever the standby does. */
const SESSIONS_MAX = 16;
/** Several times as long as a request waits for its commit. */
const HALT_MS = 6_000;
const ONCE = { 'idempotency-key': 'one-willow' };
const WILLOW = { name: 'Willow', categoryId: 1 };

describe('a synchronous standby that hangs', () => {
  let parts: AsyncDisposableStack;
  let standby: PostgresServer;
  let petstore: TestPetstore;
  beforeEach(async () => {
    parts = new AsyncDisposableStack();
    const primary = parts.use(await startPostgres());
    const database = await createPostgresDatabase(primary);
    standby = parts.use(await startStandby(primary));
    petstore = parts.use(
      await startPetstore({ engine: { name: 'postgres', createDatabase: async () => database } }),
    );
    const administer = (text: string) => statement(primary.addressOf('postgres'), text);
    await administer(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await administer('SELECT pg_reload_conf()');
    await eventually(
      () => administer(`SELECT FROM pg_stat_replication WHERE sync_state = 'sync'`),
      (rows) => rows.length === 1,
    );
  });
  afterEach(() => parts.disposeAsync());

  const count = async (from: string) => {
    const [row] = await petstore.database.sql(`SELECT count(*) AS n FROM ${from}`);
    return Number(row?.['n']);
  };
  /** Sessions of the instance, without those of `petstore.storage`. */
  async function sessions(): Promise<number> {
    const { inUse = 0, idle = 0 } = petstore.storage.pool?.() ?? {};
    return (await count(`pg_stat_activity WHERE application_name = 'petstore'`)) - inUse - idle;
  }
  const waiting = () => count(`pg_stat_activity WHERE wait_event = 'SyncRep'`);

  test('leaves at most 16 sessions behind, and reads are answered', async () => {
    await using load = startLoad(petstore.writer, 40);
    await eventually(
      () => load.counts.get(201) ?? 0,
      (added) => added > 100,
    );
    let most = 0;
    let reads = 0;
    {
      using _halted = await standby.pause();
      const end = performance.now() + HALT_MS;
      while (performance.now() < end) {
        most = Math.max(most, await sessions());
        // A different page each time, so that none is answered from the cache.
        const read = await petstore.reader.get(`/v1/pets?limit=1&id=${++reads}`);
        expect(read.status).toBe(200);
      }
      expect(await waiting()).toBeGreaterThan(0);
    }
    console.log(`at most ${most} sessions, ${reads} reads answered`);
    expect(most).toBeLessThanOrEqual(SESSIONS_MAX);
    expect(load.counts.get(503)).toBeGreaterThan(0);
    expect(await recovery(petstore.writer)).toBeLessThan(RECOVERY_MAX_MS);
    await expectNothingLost(petstore, load);
    expect(await waiting()).toBe(0);
  });

  test('leaves a commit in doubt, never cancelled, and its key tells the outcome', async () => {
    {
      using _halted = await standby.pause();
      const response = await petstore.writer.post('/v1/pets', WILLOW, ONCE);
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toMatch(/^[1-9]/);
      expect(response.text).toMatch(/may have been made.*same Idempotency-Key/);
      // A cancelled commit would show its row, which no standby has.
      expect(await count('pets')).toBe(0);
      expect(await waiting()).toBeGreaterThan(0);
      // The first attempt still holds the key.
      const again = await petstore.writer.post('/v1/pets', WILLOW, ONCE);
      expect([again.status, again.text]).toEqual([
        409,
        expect.stringContaining('idempotency_in_progress'),
      ]);
    }
    const outcome = await eventually(
      () => petstore.writer.post('/v1/pets', WILLOW, ONCE),
      ({ status }) => status === 201,
    );
    expect(outcome.headers.get('idempotent-replayed')).toBe('true');
    expect(await count('pets')).toBe(1);
  });
});
