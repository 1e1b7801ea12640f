import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { FIXED_PLANS } from '../../../src/domain/plan.ts';
import { COUNTING_TIMEOUT_MS, lossesIn, whileShared } from '../../limits/shared-minute.ts';
import { startValkey } from '../../limits/valkey-server.ts';
import { idOf } from '../../support/animals.ts';
import { createClient } from '../../support/client.ts';
import { eachOnce, leftAfterGranted } from '../../support/granted.ts';
import { createPostgresDatabase } from '../../support/postgres-engine.ts';
import { startPostgres } from '../../support/postgres-server.ts';
import { countReachedWorkers } from '../../support/reached-workers.ts';
import { createServingKey, type Serving, startServing } from '../../support/serving.ts';
import type { TestDatabase } from '../../support/test-database.ts';

const WORKERS = 2;
/** Sessions on the database server that one instance may have, whatever its number of workers. */
const SESSIONS_MAX = 16;
/** More than an instance may have sessions. */
const CLIENTS = 40;
const REQUESTS = 1_500;
const ADDITIONS = 200;
const REX = { name: 'Rex', categoryId: 1 };

/** Sends a request on a connection of its own, so that any worker may get it. */
const apart = { connection: 'close' };

describe(`two workers on PostgreSQL and Valkey`, () => {
  let parts: AsyncDisposableStack;
  let database: TestDatabase;
  let settings: Readonly<Record<string, string>>;
  let serving: Serving;
  beforeAll(async () => {
    parts = new AsyncDisposableStack();
    const valkey = parts.use(await startValkey());
    database = parts.use(await createPostgresDatabase(parts.use(await startPostgres())));
    settings = {
      PETSTORE_DATABASE: database.address,
      PETSTORE_LIMITS: valkey.address,
      PETSTORE_MAX_WAITING: String(WORKERS),
      PETSTORE_LOG_LEVEL: 'warn',
      // A machine busy with other tests must not cause refusals.
      PETSTORE_MAX_QUEUE_MS: '10000',
    };
    serving = parts.use(await startServing(settings, '--workers', String(WORKERS)));
  }, 120_000);
  afterAll(() => parts.disposeAsync(), 60_000);

  test('are both reached', async () => {
    const url = `http://127.0.0.1:${serving.port}`;
    expect(await countReachedWorkers(url, serving.client.key ?? '')).toBe(WORKERS);
  }, 60_000);

  test(
    'together grant a free key exactly 60 requests a minute',
    () =>
      whileShared(
        () => lossesIn(serving.output()),
        async () => {
          const key = await createServingKey(settings, '--plan', 'free');
          const client = createClient(() => `http://127.0.0.1:${serving.port}`, key);
          const { perMinute } = FIXED_PLANS.free;
          const sent = Array.from({ length: 2 * perMinute }, () => client.get('/v1/pets', apart));
          expect(leftAfterGranted(await Promise.all(sent))).toEqual(eachOnce(perMinute));
        },
      ),
    COUNTING_TIMEOUT_MS,
  );

  test('read each other’s writes at once', async () => {
    const { client } = serving;
    for (let n = 1; n <= ADDITIONS; n++) {
      const added = await client.post('/v1/pets', { name: `latest ${n}`, categoryId: n }, apart);
      const id = idOf(added);
      const [one, list] = await Promise.all([
        client.get(`/v1/pets/${id}`, apart),
        client.get(`/v1/pets?limit=1&categoryId=${n}`, apart),
      ]);
      expect([one.text, list.text]).toEqual([added.text, `[${added.text}]`]);
    }
  }, 180_000);

  test('stay within the sessions that one instance may have', async () => {
    const { client } = serving;
    let sent = 0;
    const use = async () => {
      while (sent < REQUESTS) {
        // A different page each time, so that none is answered from the cache.
        const isWrite = ++sent % 2 === 0;
        const { status } = await (isWrite
          ? client.post('/v1/pets', REX, apart)
          : client.get(`/v1/pets?limit=1&id=${sent}`, apart));
        expect(status).toBe(isWrite ? 201 : 200);
      }
    };
    const clients = Array.from({ length: CLIENTS }, use);
    const counts: number[] = [];
    while (sent < REQUESTS) counts.push(await sessions());
    await Promise.all(clients);
    const most = Math.max(...counts);
    console.log(`at most ${most} sessions, counted ${counts.length} times`);
    expect(most).toBeLessThanOrEqual(SESSIONS_MAX);
    // Otherwise the load did not use the connections of both.
    expect(most).toBeGreaterThan(SESSIONS_MAX / 2);
  }, 180_000);

  async function sessions(): Promise<number> {
    const [row] = await database.sql(
      `SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = 'petstore'`,
    );
    return Number(row?.['n']);
  }
});
