import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { examined, troubles } from '../doctor/examination.ts';
import { runPetstore } from '../support/command-line.ts';
import { forAllTests } from '../support/lifetime.ts';
import { startPgBouncer } from '../support/pgbouncer.ts';
import { createPostgresDatabase } from '../support/postgres-engine.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { startPetstore } from '../support/start.ts';

setDefaultTimeout(120_000);

const AT_ONCE = 200;
const REQUESTS = 10_000;

describe('behind PgBouncer', () => {
  const server = forAllTests(() => startPostgres());

  /** A database with its address through PgBouncer. */
  async function createPooled(...settings: string[]) {
    const direct = await createPostgresDatabase(server);
    const pooler = await startPgBouncer(server, ...settings);
    const address = pooler.addressOf(new URL(direct.address).pathname.slice(1));
    return {
      ...direct,
      address,
      async [Symbol.asyncDispose]() {
        await pooler[Symbol.asyncDispose]();
        await direct[Symbol.asyncDispose]();
      },
    };
  }

  test('in session mode, 200 requests at once are all served', async () => {
    await using petstore = await startPetstore({
      engine: { name: 'postgres', createDatabase: () => createPooled('pool_mode = session') },
      // A machine busy with other tests must not cause refusals.
    });
    const { writer, reader, database } = petstore;
    const statuses = new Map<number, number>();
    let next = 0;
    const request = (n: number) =>
      n % 4 === 0
        ? writer.post(
            '/v1/pets',
            { name: `Rex ${n}`, categoryId: 1 },
            { 'idempotency-key': `${n}` },
          )
        : reader.get(`/v1/pets?limit=5&id=${n}`);
    async function send(): Promise<void> {
      while (next < REQUESTS) {
        const n = ++next;
        for (;;) {
          const { status } = await request(n);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          // A machine busy with other tests may take too long for a request.
          if (status !== 503) break;
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, send));
    console.log(`PgBouncer, session mode: ${Bun.inspect(Object.fromEntries(statuses))}`);
    statuses.delete(503);
    expect(Object.fromEntries(statuses)).toEqual({ 200: 7_500, 201: 2_500 });
    const [row] = await database.sql('SELECT count(*) AS n FROM pets');
    expect(row).toEqual({ n: 2_500n });
    const findings = await examined({ PETSTORE_DATABASE: database.address });
    // The records are of the clock of the tests.
    const bad = troubles(findings).filter((text) => /^bad (?!clock)/.test(text));
    expect(bad).toEqual([]);
  });

  test.each([
    ['transaction mode', ['pool_mode = transaction']],
    ['statement mode', ['pool_mode = statement']],
    ['transaction mode, in turn', ['pool_mode = transaction', 'server_round_robin = 1']],
    [
      'transaction mode, in turn over two sessions',
      ['pool_mode = transaction', 'server_round_robin = 1', 'min_pool_size = 2'],
    ],
  ])('a start and doctor refuse %s', async (_, settings) => {
    await using database = await createPooled(...settings);
    for (let n = 0; n < 2; n++) {
      const { exitCode, stdout, stderr } = await runPetstore([
        'migrate',
        '--database',
        database.address,
      ]);
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      expect(stderr).toMatch(/a pooler in transaction mode is in between.*pool_mode = session/);
    }
    const findings = await examined({ PETSTORE_DATABASE: database.address });
    expect(troubles(findings, 'database')).toEqual([
      expect.stringMatching(/^bad database: .* leads to a pooler in transaction mode/),
    ]);
  });
});
