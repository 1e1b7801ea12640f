import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { IMPORT_LEASE_MS } from '../../src/domain/import.ts';
import { openServer } from '../../src/server/server.ts';
import { readConfig } from '../../src/settings/config.ts';
import { openLog } from '../../src/telemetry/log.ts';
import { type Client, createClient } from '../support/client.ts';
import { chosenEngine, type TestDatabase } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { type Serving, startServing } from '../support/serving.ts';

const CSV = { 'content-type': 'text/csv' };
const ROWS = 6_000;
const LINES = Array.from({ length: ROWS }, (_, n) => `Rex ${n},1,E${n}`);
const FILE = `name,categoryId,external_id\n${LINES.join('\n')}\n`;
const PATIENCE_MS = 120_000;

interface Imported {
  readonly id: number;
  readonly status: string;
  readonly created: number;
}

let database: TestDatabase;
let server: Serving;
beforeEach(async () => {
  database = await chosenEngine().createDatabase();
  server = await startServing({ PETSTORE_DATABASE: database.address });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

async function start(client: Client, body: Bun.BodyInit = FILE): Promise<number> {
  const response = await client.send('POST', '/v1/imports', { headers: CSV, body });
  expect(response.status).toBe(202);
  return JSON.parse(response.text).id;
}

async function until(
  client: Client,
  id: number,
  condition: (found: Imported) => boolean,
): Promise<Imported> {
  const read = async () => JSON.parse((await client.get(`/v1/imports/${id}`)).text);
  return await eventually(read, condition);
}

const hasEnded = ({ status }: Imported) => status === 'completed' || status === 'failed';

async function animals(): Promise<number> {
  const [row] = await database.sql('SELECT count(*) AS n FROM pets');
  return Number(row?.['n']);
}

/** Serves the same database in this process, some time ahead. */
async function openAnother(aheadMs: number) {
  const settings = { PETSTORE_DATABASE: database.address, PETSTORE_PORT: '0' };
  const clock = { now: () => Date.now() + aheadMs };
  const parts = { clock, log: openLog('silent') };
  const other = await openServer(readConfig({}, settings), parts);
  return {
    client: createClient(() => other.url, server.client.key),
    [Symbol.asyncDispose]: () => other.close(),
  };
}

describe('an import fails with exact counts, and the same file finishes it,', () => {
  test.each([
    ['after kill -9', 'SIGKILL', IMPORT_LEASE_MS],
    ['after a shutdown', 'SIGTERM', 0],
  ] as const)(
    '%s',
    async (_, signal, aheadMs) => {
      const id = await start(server.client);
      await until(server.client, id, ({ created }) => created > 0);
      server.child.kill(signal);
      await server.child.exited;
      await using other = await openAnother(aheadMs);
      const failed = await until(other.client, id, hasEnded);
      const written = await animals();
      expect(written).toBeGreaterThan(0);
      expect(written).toBeLessThan(ROWS);
      expect(failed).toMatchObject({
        status: 'failed',
        created: written,
        failure: { code: 'interrupted' },
      });
      const again = await until(other.client, await start(other.client), hasEnded);
      expect(again).toMatchObject({
        status: 'completed',
        created: ROWS - written,
        unchanged: written,
      });
      expect(await animals()).toBe(ROWS);
    },
    PATIENCE_MS,
  );
});

test(
  'another instance shows how far an import is',
  async () => {
    await using other = await openAnother(0);
    const id = await start(server.client);
    await until(other.client, id, ({ created }) => created > 0);
    expect(await until(other.client, id, hasEnded)).toMatchObject({ created: ROWS });
  },
  PATIENCE_MS,
);

test(
  'imports run one after the other',
  async () => {
    const [first = 0, second = 0] = await Promise.all([start(server.client), start(server.client)]);
    const ended = [
      await until(server.client, first, hasEnded),
      await until(server.client, second, hasEnded),
    ];
    expect(ended.map(({ created }) => created).sort((a, b) => a - b)).toEqual([0, ROWS]);
  },
  PATIENCE_MS,
);
