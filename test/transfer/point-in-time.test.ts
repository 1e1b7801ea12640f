import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { examined, troubles } from '../doctor/examination.ts';
import type { Client } from '../support/client.ts';
import { runPetstore } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { statement } from '../support/postgres-engine.ts';
import {
  asServiceUser,
  type PostgresServer,
  postgresPrograms,
  startPostgres,
  startRecovered,
} from '../support/postgres-server.ts';
import { type Serving, startServing } from '../support/serving.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';

setDefaultTimeout(180_000);

const SCRIPT = join(import.meta.dir, '../../examples/archive-wal.sh');
const WRITERS = 4;
const ANIMALS = 50;
const REMOVED = 20;

let folder: TemporaryFolder;
let primary: PostgresServer;
beforeAll(async () => {
  folder = createTemporaryFolder();
  chmodSync(folder.path, 0o777);
  const script = folder.file('archive-wal');
  cpSync(SCRIPT, script);
  chmodSync(script, 0o755);
  primary = await startPostgres(
    'archive_mode=on',
    `archive_command='${script} %p ${folder.path}/%f'`,
  );
  await statement(primary.addressOf('postgres'), 'CREATE DATABASE petstore');
});
afterAll(async () => {
  await primary[Symbol.asyncDispose]();
  Bun.spawnSync(asServiceUser(['sh', '-c', `rm -rf ${folder.path}/*`]));
  folder[Symbol.dispose]();
});

/** Returns the ids of animals that were acknowledged. */
async function add(client: Client): Promise<number[]> {
  const ids: number[] = [];
  const writer = async () => {
    for (let added = 0; added < ANIMALS; added++) {
      const response = await client.post('/v1/pets', { name: 'Rex', categoryId: 1 });
      expect(response.status).toBe(201);
      ids.push(JSON.parse(response.text).id);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
  return ids.sort((a, b) => a - b);
}

async function idsIn(address: string): Promise<number[]> {
  const rows = await statement(address, 'SELECT id FROM pets ORDER BY id');
  return rows.map(({ id }) => Number(id));
}

/** A position after which a client of this service waits for events. */
async function newestEvent({ client }: Serving): Promise<number> {
  const link = (await client.get('/v1/events?after=latest')).headers.get('link');
  return Number(/[?&]after=(\d+)/.exec(link ?? '')?.[1]);
}

async function typesAfter({ client }: Serving, position: number): Promise<string[]> {
  const { text } = await client.get(`/v1/events?after=${position}`);
  return JSON.parse(text).map(({ type }: { readonly type: string }) => type);
}

async function runProgram(name: string, ...args: readonly string[]): Promise<void> {
  const command = asServiceUser([`${postgresPrograms()}/${name}`, ...args]);
  const child = Bun.spawn(command, { cwd: '/', stdout: 'ignore', stderr: 'pipe' });
  const errors = await child.stderr.text();
  expect([name, await child.exited, errors]).toEqual([name, 0, '']);
}

async function baseBackup(): Promise<string> {
  const base = folder.file('base');
  const source = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'petstore'];
  await runProgram('pg_basebackup', ...source, '--checkpoint=fast', '-D', base);
  await runProgram('pg_verifybackup', base);
  return base;
}

/** Has PostgreSQL archive its log up to now. */
async function archiveLog(): Promise<void> {
  const [row] = await statement(
    primary.addressOf('postgres'),
    'SELECT pg_walfile_name(pg_switch_wal()) AS name',
  );
  await eventually(
    () => existsSync(folder.file(String(row?.['name']))),
    (isThere) => isThere,
  );
}

async function petstore(...args: readonly string[]): Promise<void> {
  const { exitCode, stderr } = await runPetstore(args);
  expect([args, exitCode, stderr]).toEqual([args, 0, '']);
}

/** Recovers a base backup to a moment, by the clock of PostgreSQL, and waits until it accepts writes. */
async function recover(base: string, moment: unknown): Promise<PostgresServer> {
  const server = await startRecovered(
    base,
    ...['archive_mode=off', 'fsync=on'],
    `restore_command='cp ${folder.path}/%f %p'`,
    `recovery_target_time='${moment}'`,
    'recovery_target_action=promote',
  );
  await eventually(
    () => statement(server.addressOf('petstore'), 'SELECT pg_is_in_recovery() AS yes'),
    ([row]) => row?.['yes'] === false,
  );
  return server;
}

test('PostgreSQL is recovered to the moment before a mistake, beside the old server or into it', async () => {
  const address = primary.addressOf('petstore');
  const settings = { PETSTORE_DATABASE: address };
  let kept: number[];
  let later: number[];
  let base: string;
  let moment: unknown;
  let position: number;
  {
    await using serving = await startServing(settings);
    const [early, made] = await Promise.all([add(serving.client), baseBackup()]);
    base = made;
    kept = [...early, ...(await add(serving.client))];
    const [row] = await statement(address, 'SELECT clock_timestamp()::text AS now');
    moment = row?.['now'];
    for (const id of kept.slice(0, REMOVED)) {
      expect((await serving.client.delete(`/v1/pets/${id}`)).status).toBe(204);
    }
    later = await add(serving.client);
    const events = kept.length + REMOVED + later.length;
    position = await eventually(
      () => newestEvent(serving),
      (newest) => newest >= events,
    );
    await archiveLog();
  }

  await using recovered = await recover(base, moment);
  const copy = recovered.addressOf('petstore');
  expect(await idsIn(copy)).toEqual(kept);
  const backup = folder.file('recovered.backup');
  await petstore('backup', backup, '--database', copy);
  {
    await using serving = await startServing({ PETSTORE_DATABASE: copy });
    expect(troubles(await examined({ PETSTORE_DATABASE: copy }), 'database')).toEqual([]);
    // Ids and positions are given again, so whoever followed the events of the old server is told to begin again.
    const ids = await add(serving.client);
    expect(later.filter((id) => ids.includes(id))).not.toEqual([]);
    expect((await serving.client.get(`/v1/events?after=${position}`)).status).toBe(410);
  }

  await petstore('restore', backup, '--force', '--database', address);
  await using serving = await startServing(settings);
  expect(await idsIn(address)).toEqual(kept);
  expect(await typesAfter(serving, position)).toEqual(['store.reset']);
  const [next = 0] = await add(serving.client);
  expect(next).toBeGreaterThan(later.at(-1) ?? 0);
});
