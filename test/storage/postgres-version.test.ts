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

/** Nothing on the server changes but what a test does. */
const QUIET = ['autovacuum=off', 'max_prepared_transactions=2'];

/** A version that is asked through one connection, as the storage has it. */
interface Asking extends AsyncDisposable {
  readonly version: RecordsVersion;
  /** How often it has connected. */
  connections(): number;
}

function askAt(address: string): Asking {
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
  let asking: Asking;
  let session: Bun.ReservedSQL;
  let client: SQL;
  beforeAll(async () => {
    server = await startPostgres(...QUIET);
  });
  afterAll(() => server[Symbol.asyncDispose]());
  beforeEach(async () => {
    database = await createPostgresDatabase(server);
    await (await openStorage(database.address, 'production')).close();
    asking = askAt(database.address);
    client = new SQL(database.address, { max: 1 });
    session = await client.reserve();
  });
  afterEach(async () => {
    await asking[Symbol.asyncDispose]();
    await client.close({ timeout: 0 });
    await database[Symbol.asyncDispose]();
  });

  /** The version, once there is one: it is not waited for as long as a busy machine may take. */
  const ask = () =>
    eventually(asking.version.read, (version) => version !== undefined).then(Number);
  const insert = (name: string) =>
    `INSERT INTO categories (name, name_folded) VALUES ('${name}', '${name}')`;

  test('changes at the commit, not at the write and not where it is undone', async () => {
    const before = await ask();
    await session.unsafe('BEGIN');
    await session.unsafe(insert('a'));
    expect(await ask()).toBe(before);
    await session.unsafe('COMMIT');
    const after = await ask();
    expect(after).toBeGreaterThan(before);
    expect(await ask()).toBe(after);
  });

  test('changes at the commit while other transactions are under way, older and younger', async () => {
    using older = await openTransaction(database.address, insert('older'));
    await session.unsafe('BEGIN');
    await session.unsafe(insert('a'));
    using younger = await openTransaction(database.address, insert('younger'));
    const before = await ask();
    await session.unsafe('COMMIT');
    const first = await ask();
    expect(first).toBeGreaterThan(before);
    await younger.session.unsafe('COMMIT');
    const second = await ask();
    expect(second).toBeGreaterThan(first);
    await older.session.unsafe('COMMIT');
    expect(await ask()).toBeGreaterThan(second);
  });

  test('changes at the commit of what was written after savepoints', async () => {
    await session.unsafe('BEGIN');
    // More than a snapshot has room for, so that the server must look elsewhere for them.
    for (let n = 0; n < 100; n++) {
      await session.unsafe(`SAVEPOINT s${n}`);
      await session.unsafe(insert(`name ${n}`));
    }
    const before = await ask();
    expect(await ask()).toBe(before);
    await session.unsafe('COMMIT');
    expect(await ask()).toBeGreaterThan(before);
  });

  test('changes when a transaction that was prepared is committed, not before', async () => {
    await session.unsafe('BEGIN');
    await session.unsafe(insert('a'));
    await session.unsafe(`PREPARE TRANSACTION 'one'`);
    const before = await ask();
    expect(await ask()).toBe(before);
    await session.unsafe(`COMMIT PREPARED 'one'`);
    expect(await ask()).toBeGreaterThan(before);
  });

  test('is another one after a crash that undid a visible commit, when its number is used again', async () => {
    const snapshot = async () => {
      const [row] = await statement(database.address, 'SELECT pg_current_snapshot()::text AS at');
      return String(row?.['at']);
    };
    const names = async () => (await database.sql('SELECT name FROM categories')).length;
    // Nobody brings to the disk what is not waited for.
    const walWriter = childOf(server.pid(), 'walwriter');
    process.kill(walWriter, 'SIGSTOP');
    await session.unsafe('SET synchronous_commit = off');
    await session.unsafe(insert('lost'));
    const seen = await snapshot();
    const before = await ask();
    expect(await names()).toBe(1);
    {
      const killed = server.kill();
      // It is halted, so it does not notice by itself.
      process.kill(walWriter, 'SIGKILL');
      await using _gone = await killed;
    }
    expect(await names()).toBe(0);
    while ((await snapshot()) !== seen) await database.sql(insert(`name ${await names()}`));
    expect(await ask()).toBeGreaterThan(before);
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
      // Its connections are made, and renew nothing any more.
      await use(id, 1);
      await versionOf();
    });
    afterEach(async () => storage.close());

    test('stays as it is', async () => {
      const before = await versionOf();
      for (let at = 2; at < 20; at++) await use(id, at);
      expect((await storage.keys.find(id))?.lastUsedAt).toBe(19);
      expect(await versionOf()).toBe(before);
      await use(-1n, 20);
      expect(await versionOf()).toBe(before);
    });

    test('shows what others commit before, between and after', async () => {
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

  test('is asked on another connection, and is another one, when it is to be renewed', async () => {
    const before = await ask();
    asking.version.renew();
    expect(await ask()).toBeGreaterThan(before);
    expect(asking.connections()).toBe(2);
  });

  test('is not told where the tables do not keep to the snapshots of this server', async () => {
    await database.sql('CREATE EXTENSION postgres_fdw');
    await database.sql('CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw');
    expect(await asking.version.read()).toBeDefined();
    await database.sql('CREATE FOREIGN TABLE elsewhere (id bigint) SERVER far');
    asking.version.renew();
    await eventually(
      async () => [await asking.version.read(), asking.connections()] as const,
      ([version, connections]) => version === undefined && connections === 2,
    );
    expect(await asking.version.read()).toBeUndefined();
  });

  test('is not told by a standby, and told by it once it is promoted', async () => {
    await using primary = await startPostgres();
    const original = await createPostgresDatabase(primary);
    await (await openStorage(original.address, 'production')).close();
    await using standby = await startStandby(primary);
    const at = original.address.replace(`:${primary.port}/`, `:${standby.port}/`);
    await using there = askAt(at);
    expect(await there.version.read()).toBeUndefined();
    await standby.promote();
    await eventually(there.version.read, (version) => version !== undefined);
  });

  test('is not told, and soon, by a server that hangs', async () => {
    await ask();
    {
      using _halted = await server.pause();
      expect(await asking.version.read()).toBeUndefined();
    }
    await ask();
  });
});

/** The process of a server that does this. */
function childOf(main: number, what: string): number {
  const children = readFileSync(`/proc/${main}/task/${main}/children`, 'utf8').trim().split(' ');
  const found = children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(what));
  if (found === undefined) throw new Error(`there is no ${what}`);
  return Number(found);
}

/** A transaction on a session of its own that has written something. */
async function openTransaction(address: string, text: string) {
  const client = new SQL(address, { max: 1 });
  const session = await client.reserve();
  await session.unsafe('BEGIN');
  await session.unsafe(text);
  return { session, [Symbol.dispose]: () => void client.close({ timeout: 0 }) };
}
