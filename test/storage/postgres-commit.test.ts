import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createCuttingDatabase } from '../support/cutting-database.ts';
import type { CutMoment, CuttingProxy } from '../support/cutting-proxy.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { startPetstore, type TestPetstore } from '../support/start.ts';

/** The moment of the cut, and the number of times that the change is then on disk. */
const MOMENTS: [CutMoment, number][] = [
  ['before the server knows', 0],
  ['before the client knows', 1],
];

describe('a commit with an unknown outcome', () => {
  let server: PostgresServer;
  let proxy: CuttingProxy;
  let petstore: TestPetstore;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server[Symbol.asyncDispose]());
  beforeEach(async () => {
    const cutting = await createCuttingDatabase(server);
    proxy = cutting.proxy;
    petstore = await startPetstore({
      engine: { name: 'postgres', createDatabase: async () => cutting.database },
    });
  });
  afterEach(() => petstore[Symbol.asyncDispose]());

  const countOf = async (table: string) => {
    const [row] = await petstore.database.sql(`SELECT count(*) AS n FROM ${table}`);
    return Number(row?.['n']);
  };

  /** Cuts the connection at the commit, and expects a response that says the outcome is unknown. */
  async function expectUnknownOutcome(
    texts: readonly string[],
    moment: CutMoment,
    path: string,
    body: object,
    headers = {},
  ): Promise<void> {
    const cut = proxy.cutAt(texts, moment);
    const response = await petstore.writer.post(path, body, headers);
    await cut;
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]/);
    expect(response.text).toContain('may have been made');
  }

  test.each(MOMENTS)('adds an animal at most once, %s', async (moment, onDisk) => {
    const rex = { name: 'Rex the first', categoryId: 1 };
    // A single statement commits by itself, so the cut is at its values.
    await expectUnknownOutcome([rex.name], moment, '/v1/pets', rex);
    expect(await countOf('pets')).toBe(onDisk);
    expect(await countOf('pets WHERE was_offered = 1')).toBe(onDisk);
    expect((await petstore.writer.post('/v1/pets', rex)).status).toBe(201);
  });

  test.each(MOMENTS)('places an order at most once, %s', async (moment, onDisk) => {
    const { text } = await petstore.writer.post('/v1/pets', { name: 'Rex', categoryId: 1 });
    const order = { petId: JSON.parse(text).id, adopter: 'The Alvarez family' };
    await expectUnknownOutcome([order.adopter, 'COMMIT'], moment, '/v1/store/orders', order);
    expect(await countOf('orders')).toBe(onDisk);
    const again = await petstore.writer.post('/v1/store/orders', order);
    expect(again.status).toBe(onDisk === 0 ? 201 : 409);
  });

  test.each(MOMENTS)('has one effect under an idempotency key, %s', async (moment, onDisk) => {
    const rex = { name: 'Rex the first', categoryId: 1 };
    const once = { 'idempotency-key': 'one-rex' };
    await expectUnknownOutcome([rex.name, 'COMMIT'], moment, '/v1/pets', rex, once);
    expect(await countOf('pets')).toBe(onDisk);
    const again = await petstore.writer.post('/v1/pets', rex, once);
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotent-replayed')).toBe(onDisk === 1 ? 'true' : null);
    expect(await countOf('pets')).toBe(1);
  });
});
