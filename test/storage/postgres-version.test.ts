import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { SQL } from 'bun';
import type { Storage } from '../../src/domain/storage.ts';
import { openStorage } from '../../src/storage/open.ts';
import { connect } from '../../src/storage/postgres/connection.ts';
import { createPool, type Pool } from '../../src/storage/postgres/pool.ts';
import { createRecordsVersion, type RecordsVersion } from '../../src/storage/postgres/version.ts';
import { eventually } from '../support/eventually.ts';
import { createPostgresDatabase, postgres, statement } from '../support/postgres-engine.ts';
import { type PostgresServer, startPostgres, startStandby } from '../support/postgres-server.ts';
import type { TestDatabase } from '../support/test-database.ts';

/** With these settings, only a test changes anything on the server. */
const QUIET = ['autovacuum=off', 'max_prepared_transactions=2'];

/** A version that is read through one connection, as the storage does. */
interface VersionReader extends AsyncDisposable {
  readonly version: RecordsVersion;
  /** The number of connections made so far. */
  connections(): number;
}

function openReader(address: string): VersionReader {
  let connections = 0;
  const pool: Pool = createPool(() => {
    connections++;
    return connect(address);
  }, 1);
  return {
    version: createRecordsVersion(pool),
    connections: () => connections,
    [Symbol.asyncDispose]: () => pool.close(),
  };
}

describe.skipIf(postgres === undefined)('a snapshot of PostgreSQL as a version', () => {
  let server: PostgresServer;
  let database: TestDatabase;
  let reader: VersionReader;
  let session: Bun.ReservedSQL;
  let client: SQL;
  beforeAll(async () => {
    server = await startPostgres(...QUIET);
  });
  afterAll(() => server[Symbol.asyncDispose]());
  beforeEach(async () => {
    database = await createPostgresDatabase(server);
    await (await openStorage(database.address, 'production')).close();
    reader = openReader(database.address);
    client = new SQL(database.address, { max: 1 });
    session = await client.reserve();
  });
  afterEach(async () => {
    await reader[Symbol.asyncDispose]();
    await client.close({ timeout: 0 });
    await database[Symbol.asyncDispose]();
  });

  /** Reads until there is a version: on a busy machine, a single read may time out. */
  const readVersion = () =>
    eventually(reader.version.read, (version) => version !== undefined).then(Number);
  const insert = (name: string) =>
    `INSERT INTO categories (name, name_folded) VALUES ('${name}', '${name}')`;

  test('increases at the commit, not at the write', async () => {
    const before = await readVersion();
    await session.unsafe('BEGIN');
    await session.unsafe(insert('a'));
    expect(await readVersion()).toBe(before);
    await session.unsafe('COMMIT');
    const after = await readVersion();
    expect(after).toBeGreaterThan(before);
    expect(await readVersion()).toBe(after);
  });

  test('increases at the commit while older and younger transactions are in progress', async () => {
    using older = await openTransaction(database.address, insert('older'));
    await session.unsafe('BEGIN');
    await session.unsafe(insert('a'));
    using younger = await openTransaction(database.address, insert('younger'));
    const before = await readVersion();
    await session.unsafe('COMMIT');
    const first = await readVersion();
    expect(first).toBeGreaterThan(before);
    await younger.session.unsafe('COMMIT');
    const second = await readVersion();
    expect(second).toBeGreaterThan(first);
    await older.session.unsafe('COMMIT');
    expect(await readVersion()).toBeGreaterThan(second);
  });

  test('increases at the commit of writes after savepoints', async () => {
    await session.unsafe('BEGIN');
    // More subtransactions than a snapshot has room for, so the server must look elsewhere.
    for (let n = 0; n < 100; n++) {
      await session.unsafe(`SAVEPOINT s${n}`);
      await session.unsafe(insert(`name ${n}`));
    }
    const before = await readVersion();
    expect(await readVersion()).toBe(before);
    await session.unsafe('COMMIT');
    expect(await readVersion()).toBeGreaterThan(before);
  });

  test('increases when a prepared transaction commits, not before', async () => {
    await session.unsafe('BEGIN');
    await session.unsafe(insert('a'));
    await session.unsafe(`PREPARE TRANSACTION 'one'`);
    const before = await readVersion();
    expect(await readVersion()).toBe(before);
    await session.unsafe(`COMMIT PREPARED 'one'`);
    expect(await readVersion()).toBeGreaterThan(before);
  });

  test('increases after a crash that lost a visible commit, although its transaction id is reused', async () => {
    const snapshot = async () => {
      const [row] = await statement(database.address, 'SELECT pg_current_snapshot()::text AS at');
      return String(row?.['at']);
    };
    const names = async () => (await database.sql('SELECT name FROM categories')).length;
    // Without the WAL writer, an asynchronous commit does not reach the disk.
    const walWriter = childOf(server.pid(), 'walwriter');
    process.kill(walWriter, 'SIGSTOP');
    await session.unsafe('SET synchronous_commit = off');
    await session.unsafe(insert('lost'));
    const seen = await snapshot();
    const before = await readVersion();
    expect(await names()).toBe(1);
    {
      const killed = server.kill();
      // A stopped process does not notice the end of its parent.
      process.kill(walWriter, 'SIGKILL');
      await using _gone = await killed;
    }
    expect(await names()).toBe(0);
    while ((await snapshot()) !== seen) await database.sql(insert(`name ${await names()}`));
    expect(await readVersion()).toBeGreaterThan(before);
  });

  describe('while times of last use are written', () => {
    const use = (id: bigint, at: number) => storage.keys.recordUse(new Map([[id, at]]));
    let storage: Storage;
    let id: bigint;
    const versionOf = () =>
      eventually(storage.recordsVersion, (version) => version !== undefined).then(Number);
    beforeEach(async () => {
      storage = await openStorage(database.address, 'production');
      const key = await storage.keys.create({
        ...{ hash: 'f'.repeat(64), name: 'k', plan: 'free', scopes: [], createdAt: 0 },
        ...{ perMinute: null, perDay: null, expiresAt: null },
      });
      id = key.id;
      // After this, the connections exist and the version is no longer renewed.
      await use(id, 1);
      await versionOf();
    });
    afterEach(async () => storage.close());

    test('stays the same', async () => {
      const before = await versionOf();
      for (let at = 2; at < 20; at++) await use(id, at);
      expect((await storage.keys.find(id))?.lastUsedAt).toBe(19);
      expect(await versionOf()).toBe(before);
      await use(-1n, 20);
      expect(await versionOf()).toBe(before);
    });

    test('increases with commits of others before, in between and after', async () => {
      const before = await versionOf();
      await session.unsafe(insert('before'));
      await use(id, 2);
      const first = await versionOf();
      expect(first).toBeGreaterThan(before);
      using holder = await openTransaction(
        database.address,
        `SELECT id FROM api_keys WHERE id = ${id} FOR UPDATE`,
      );
      const writing = use(id, 3);
      await eventually(
        () => database.sql('SELECT FROM pg_locks WHERE NOT granted'),
        (waiting) => waiting.length > 0,
      );
      await session.unsafe(insert('between'));
      await holder.session.unsafe('COMMIT');
      await writing;
      const second = await versionOf();
      expect(second).toBeGreaterThan(first);
      await session.unsafe(insert('after'));
      expect(await versionOf()).toBeGreaterThan(second);
    });
  });

  test('increases and is read on a new connection after renew', async () => {
    const before = await readVersion();
    reader.version.renew();
    expect(await readVersion()).toBeGreaterThan(before);
    expect(reader.connections()).toBe(2);
  });

  test('is undefined if a table is not covered by the snapshots of this server', async () => {
    await database.sql('CREATE EXTENSION postgres_fdw');
    await database.sql('CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw');
    expect(await reader.version.read()).toBeDefined();
    await database.sql('CREATE FOREIGN TABLE elsewhere (id bigint) SERVER far');
    reader.version.renew();
    await eventually(
      async () => [await reader.version.read(), reader.connections()] as const,
      ([version, connections]) => version === undefined && connections === 2,
    );
    expect(await reader.version.read()).toBeUndefined();
  });

  test('is undefined on a standby, and defined once it is promoted', async () => {
    await using primary = await startPostgres();
    const original = await createPostgresDatabase(primary);
    await (await openStorage(original.address, 'production')).close();
    await using standby = await startStandby(primary);
    const at = original.address.replace(`:${primary.port}/`, `:${standby.port}/`);
    await using there = openReader(at);
    expect(await there.version.read()).toBeUndefined();
    await standby.promote();
    await eventually(there.version.read, (version) => version !== undefined);
  });

  test('is soon undefined on a server that hangs', async () => {
    await readVersion();
    {
      using _halted = await server.pause();
      expect(await reader.version.read()).toBeUndefined();
    }
    await readVersion();
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
