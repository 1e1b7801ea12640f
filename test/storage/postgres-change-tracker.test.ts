import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { SQL } from 'bun';
import { openStorage } from '../../src/storage/open.ts';
import {
  createChangeTracker,
  type PostgresChangeTracker,
  TIMEOUT_MS,
} from '../../src/storage/postgres/change-tracker.ts';
import type { Connection } from '../../src/storage/postgres/connection.ts';
import { createPool, ONE, type Pool } from '../../src/storage/postgres/pool.ts';
import { createConnect } from '../../src/storage/postgres/primary.ts';
import { eventually } from '../support/eventually.ts';
import { forAllTests } from '../support/lifetime.ts';
import { createPostgresDatabase } from '../support/postgres-engine.ts';
import { startPostgres, startStandby } from '../support/postgres-server.ts';
import type { TestDatabase } from '../support/test-database.ts';

/** A tracker on one connection, as the storage has it. */
interface Reports extends AsyncDisposable {
  readonly tracker: PostgresChangeTracker;
  /** Whether there were changes since the last call. Waits for a tracker that knows. */
  hasChanged(): Promise<boolean>;
  /** The number of connections made so far. */
  connections(): number;
}

/** On a busy machine, a query may take longer than a request waits for it. */
const LONG_TIMEOUT_MS = 20_000;

function openReports(
  address: string,
  open = () => createConnect(address)(),
  timeoutMs = LONG_TIMEOUT_MS,
): Reports {
  let connections = 0;
  const pool: Pool = createPool(() => {
    connections++;
    return open();
  }, ONE);
  let isChanged = false;
  const note = () => {
    isChanged = true;
  };
  const tracker = createChangeTracker(pool, note, timeoutMs);
  return {
    tracker,
    async hasChanged() {
      isChanged = false;
      await eventually(async () => tracker.catchUp(), Boolean);
      return isChanged;
    },
    connections: () => connections,
    [Symbol.asyncDispose]: () => pool.close(),
  };
}

/** A change without an id, of a category with this name. */
const note = (name: string) =>
  `INSERT INTO unnumbered_changes (type, at, record_id, name)
   VALUES ('category.created', 0, 1, '${name}')`;
const NUMBER = 'SELECT number_changes(1000)';

describe('a tracker of changes in PostgreSQL', () => {
  let database: TestDatabase;
  let reports: Reports;
  let session: Bun.ReservedSQL;
  let client: SQL;
  const server = forAllTests(() => startPostgres('max_prepared_transactions=2'));
  beforeEach(async () => {
    database = await createPostgresDatabase(server);
    await (await openStorage(database.address, 'production')).close();
    client = new SQL(database.address, { max: 1 });
    session = await client.reserve();
    reports = openReports(database.address);
    expect(await reports.hasChanged()).toBe(true);
  });
  afterEach(async () => {
    await reports[Symbol.asyncDispose]();
    await client.close({ timeout: 0 });
    await database[Symbol.asyncDispose]();
  });

  test('reports a change at its commit, not before, and once', async () => {
    await session.unsafe('BEGIN');
    await session.unsafe(note('a'));
    expect(await reports.hasChanged()).toBe(false);
    await session.unsafe('COMMIT');
    expect(await reports.hasChanged()).toBe(true);
    expect(await reports.hasChanged()).toBe(false);
    await session.unsafe(NUMBER);
    expect(await reports.hasChanged()).toBe(false);
  });

  test('reports changes of older and younger transactions as each commits', async () => {
    using older = await openTransaction(database.address, note('older'));
    await session.unsafe('BEGIN');
    await session.unsafe(note('a'));
    using younger = await openTransaction(database.address, note('younger'));
    expect(await reports.hasChanged()).toBe(false);
    await session.unsafe('COMMIT');
    expect(await reports.hasChanged()).toBe(true);
    await younger.session.unsafe('COMMIT');
    await session.unsafe(NUMBER);
    expect(await reports.hasChanged()).toBe(true);
    await older.session.unsafe('COMMIT');
    expect(await reports.hasChanged()).toBe(true);
  });

  test('reports no change that was rolled back', async () => {
    await session.unsafe('BEGIN');
    await session.unsafe(note('lost'));
    await session.unsafe('ROLLBACK');
    expect(await reports.hasChanged()).toBe(false);
  });

  test('reports a prepared transaction when it commits, not before', async () => {
    await session.unsafe('BEGIN');
    await session.unsafe(note('a'));
    await session.unsafe(`PREPARE TRANSACTION 'one'`);
    expect(await reports.hasChanged()).toBe(false);
    await session.unsafe(`COMMIT PREPARED 'one'`);
    expect(await reports.hasChanged()).toBe(true);
  });

  test('reports nothing again for changes that waited for an id when it began', async () => {
    await session.unsafe(note('before'));
    await using late = openReports(database.address);
    expect(await late.hasChanged()).toBe(true);
    await session.unsafe(NUMBER);
    expect(await late.hasChanged()).toBe(false);
    await session.unsafe(note('after'));
    expect(await late.hasChanged()).toBe(true);
  });

  test('reports a crash that lost a visible commit', async () => {
    const names = async () => (await database.sql('SELECT FROM unnumbered_changes')).length;
    // Without the WAL writer, an asynchronous commit does not reach the disk.
    const walWriter = childOf(server.pid(), 'walwriter');
    process.kill(walWriter, 'SIGSTOP');
    await session.unsafe('SET synchronous_commit = off');
    await session.unsafe(note('lost'));
    expect(await reports.hasChanged()).toBe(true);
    expect(await names()).toBe(1);
    {
      const killed = server.kill();
      // A stopped process does not notice the end of its parent.
      process.kill(walWriter, 'SIGKILL');
      await using _gone = await killed;
    }
    expect(await names()).toBe(0);
    await database.sql(note('other'));
    expect(await reports.hasChanged()).toBe(true);
  });

  test('reports nothing when the storage opens another connection to the same server', async () => {
    const connection = await createConnect(database.address)();
    await reports.tracker.meet(connection);
    await session.unsafe(note('a'));
    expect(await reports.hasChanged()).toBe(true);
    expect(reports.connections()).toBe(1);
    connection.end();
  });

  test('connects again and reports when a new connection leads to another server', async () => {
    await using other = await startPostgres();
    const connection = await createConnect(other.addressOf('postgres'))();
    await reports.tracker.meet(connection);
    expect(await reports.hasChanged()).toBe(true);
    expect(reports.connections()).toBe(2);
    expect(await reports.hasChanged()).toBe(false);
    expect(reports.connections()).toBe(2);
    connection.end();
  });

  test('reports when a pooler in between switches to another server process', async () => {
    const processes = [
      await createConnect(database.address)(),
      await createConnect(database.address)(),
    ] as const;
    let serving: Connection = processes[0];
    const pooled: Connection = {
      isReadOnly: false,
      process: null,
      commit: (send) => serving.commit(send),
      isCommitting: () => serving.isCommitting(),
      query: (text, ...values) => serving.query(text, ...values),
      run: (text, ...values) => serving.run(text, ...values),
      isAlive: () => serving.isAlive(),
      isWornOut: () => serving.isWornOut(),
      end: () => processes.forEach((each) => void each.end()),
      closeDemoted: () => processes.forEach((each) => void each.closeDemoted()),
    };
    await using behind = openReports(database.address, async () => pooled);
    expect(await behind.hasChanged()).toBe(true);
    await session.unsafe(note('a'));
    expect(await behind.hasChanged()).toBe(true);
    serving = processes[1];
    expect(await behind.hasChanged()).toBe(true);
    expect(await behind.hasChanged()).toBe(false);
  });

  test('knows nothing on a standby, and reports changes once it is promoted', async () => {
    await using primary = await startPostgres();
    const original = await createPostgresDatabase(primary);
    await (await openStorage(original.address, 'production')).close();
    await using standby = await startStandby(primary);
    const at = original.address.replace(`:${primary.port}/`, `:${standby.port}/`);
    await using there = openReports(at);
    expect(await there.tracker.catchUp()).toBe(false);
    await standby.promote();
    expect(await there.hasChanged()).toBe(true);
  });

  test('soon knows nothing on a server that hangs', async () => {
    await using served = openReports(database.address, undefined, TIMEOUT_MS);
    expect(await served.hasChanged()).toBe(true);
    {
      using _halted = await server.pause();
      expect(await served.tracker.catchUp()).toBe(false);
    }
    await session.unsafe(note('a'));
    // The connection was given up.
    expect(await served.hasChanged()).toBe(true);
  });
});

/** The child process of a server whose command line contains this text. */
function childOf(main: number, role: string): number {
  const children = readFileSync(`/proc/${main}/task/${main}/children`, 'utf8').trim().split(' ');
  const found = children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(role));
  if (found === undefined) throw new Error(`there is no ${role}`);
  return Number(found);
}

/** Opens a transaction in its own session and runs a statement in it. */
async function openTransaction(address: string, text: string) {
  const client = new SQL(address, { max: 1 });
  const session = await client.reserve();
  await session.unsafe('BEGIN');
  await session.unsafe(text);
  return { session, [Symbol.dispose]: () => void client.close({ timeout: 0 }) };
}
