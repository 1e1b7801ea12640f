import { Database } from 'bun:sqlite';
import { expect, setDefaultTimeout, test } from 'bun:test';
import { renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { examined, troubles } from '../doctor/examination.ts';
import type { Client } from '../support/client.ts';
import { runPetstore, spawnPetstore } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { createServingKey, type Serving, serving, UNLIMITED } from '../support/serving.ts';
import { type Litestream, prepareLitestream } from './litestream.ts';

// Litestream is built at its first use.
setDefaultTimeout(600_000);

const WRITERS = 8;
/** How long they write before the bucket is away, while it is, and after it is back. */
const WRITING_MS = 4_000;
/** What may be lost is about a second; the machine may be busy. */
const LOST_MS_MAX = 10_000;
/** Litestream then forces a checkpoint. */
const LOG_BYTES_MAX = 121_359 * 4_120;

/** Encrypts the secrets of webhooks. */
const SECRET = { PETSTORE_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };

/** An animal that was acknowledged, and when, by `performance.now()`. */
interface Acknowledged {
  readonly id: number;
  readonly at: number;
}

/** Adds animals with many clients, without a pause, until the server is ended. */
function startAdding(client: Client, database: string) {
  const acknowledged: Acknowledged[] = [];
  const refused: string[] = [];
  let isOver = false;
  let logMax = 0;
  const watch = setInterval(() => {
    logMax = Math.max(logMax, Bun.file(`${database}-wal`).size);
  }, 20);

  async function add(): Promise<void> {
    while (!isOver) {
      const rex = { name: 'Rex', categoryId: 1, status: 'available' };
      const response = await client.post('/v1/pets', rex).catch((error: Error) => error.message);
      const at = performance.now();
      if (typeof response === 'string') {
        if (!isOver) refused.push(response);
      } else if (response.status === 201) {
        acknowledged.push({ id: JSON.parse(response.text).id, at });
      } else refused.push(response.text);
    }
  }
  const adding = Array.from({ length: WRITERS }, add);

  return {
    acknowledged,
    refused,
    logMax: () => logMax,
    newest: () => acknowledged.at(-1)?.id ?? 0,
    /** The requests under way may fail from now on. */
    stop() {
      isOver = true;
    },
    async ended(): Promise<void> {
      clearInterval(watch);
      await Promise.all(adding);
    },
  };
}

/** The ids of the animals in a file, which must be intact. */
function idsIn(path: string): number[] {
  using database = new Database(path, { readonly: true });
  expect(database.query('PRAGMA integrity_check').values()).toEqual([['ok']]);
  return database
    .query<{ id: number }, []>('SELECT id FROM pets ORDER BY id')
    .all()
    .map(({ id }) => id);
}

/** The first column of what a query finds in a file. */
function found(path: string, sql: string): unknown[] {
  using database = new Database(path, { readonly: true });
  return database.query(sql).values().flat();
}

const WEBHOOKS = 'SELECT disabled_reason FROM webhooks';
const RESETS = "SELECT type FROM changes WHERE type = 'store.reset'";

async function petstore(...args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runPetstore(args, SECRET);
  expect([args, exitCode, stderr]).toEqual([args, 0, '']);
  return stdout;
}

/** What docs/BACKUP.md says to do with a copy, to the place of the database that is lost. */
async function recover({ database }: Litestream, copy: string): Promise<void> {
  const folder = dirname(database);
  const backup = join(folder, 'copy.backup');
  await petstore('backup', backup, '--database', `sqlite:${copy}`);
  expect(await petstore('backup', '--verify', backup)).toContain('animals');
  for (const end of ['', '-wal', '-shm']) renameSync(database + end, `${database}.lost${end}`);
  rmSync(join(folder, '.petstore.db-litestream'), { recursive: true });
  await petstore('restore', backup, '--database', `sqlite:${database}`);
}

const endAll = (signal: NodeJS.Signals, ...children: readonly Bun.Subprocess[]) =>
  Promise.all(
    children.map((child) => {
      child.kill(signal);
      return child.exited;
    }),
  );

test('Litestream beside a loaded service has all but the last second, and no request fails for it', async () => {
  await using litestream = await prepareLitestream();
  const { database, s3 } = litestream;
  const settings = { PETSTORE_DATABASE: `sqlite:${database}`, ...SECRET };
  const start = async (key: string): Promise<Serving> =>
    serving(spawnPetstore(['serve', '--port', '0'], settings), key);
  const key = await createServingKey(settings, ...UNLIMITED);
  await petstore('webhooks', 'create', 'https://a.example/', '--database', `sqlite:${database}`);
  let ids: number[];
  {
    await using server = await start(key);
    const replicating = litestream.replicate();
    const adding = startAdding(server.client, database);
    await Bun.sleep(WRITING_MS);
    await s3.stop();
    await Bun.sleep(WRITING_MS);
    await s3.start();
    const whileAway = adding.newest();
    const caughtUp = async () => idsIn(await litestream.restore());
    await eventually(caughtUp, (there) => (there.at(-1) ?? 0) >= whileAway);
    await Bun.sleep(WRITING_MS);
    adding.stop();
    const killedAt = performance.now();
    await endAll('SIGKILL', replicating, server.child);
    await adding.ended();

    expect(adding.refused).toEqual([]);
    expect(adding.logMax()).toBeLessThan(LOG_BYTES_MAX);
    const copy = await litestream.restore();
    ids = idsIn(copy);
    const newest = ids.at(-1) ?? 0;
    const isThere = new Set(ids);
    const lost = adding.acknowledged.filter(({ id }) => !isThere.has(id));
    expect(lost.filter(({ id }) => id < newest)).toEqual([]);
    expect(lost.filter(({ at }) => at < killedAt - LOST_MS_MAX)).toEqual([]);
    expect(newest).toBeGreaterThan(whileAway);
    const findings = troubles(await examined({ ...settings, PETSTORE_DATABASE: `sqlite:${copy}` }));
    // Nobody takes what the webhook of this test sends.
    expect(findings.filter((line) => !/1 webhook gets nothing/.test(line))).toEqual([]);
    expect(found(copy, WEBHOOKS)).toEqual([null]);
    await recover(litestream, copy);
  }
  expect(idsIn(database)).toEqual(ids);
  expect(found(database, WEBHOOKS)).toEqual(['copied']);
  expect(found(database, RESETS)).toEqual(['store.reset']);

  // The copy goes on in the same bucket, and what ends in order is complete.
  await using server = await start(key);
  const replicating = litestream.replicate();
  const adding = startAdding(server.client, database);
  await Bun.sleep(WRITING_MS);
  adding.stop();
  await adding.ended();
  expect(adding.refused).toEqual([]);
  await endAll('SIGTERM', server.child);
  await endAll('SIGTERM', replicating);
  const expected = [...ids, ...adding.acknowledged.map(({ id }) => id)].sort((a, b) => a - b);
  expect(idsIn(await litestream.restore())).toEqual(expected);
});
