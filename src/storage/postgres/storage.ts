import type { ChangeStamp } from '../../domain/change-stamp.ts';
import type { Environment } from '../../domain/deployment.ts';
import { type IdempotentRequest, inProgress } from '../../domain/idempotency.ts';
import type { Records } from '../../domain/records.ts';
import type { DatabaseSpace, PoolUse, Storage } from '../../domain/storage.ts';
import { type Opening, tellOfOthers } from '../opening.ts';
import { createChangeLog } from '../records/change-log.ts';
import { createIdempotencyStorage } from '../records/idempotency.ts';
import { note } from '../records/notes.ts';
import { createOwnStorage, createRecords } from '../records/records.ts';
import { onPostgres, sql, type Transactions, type Work } from '../statements.ts';
import { READ_EACH, RESET, WRITE_EACH } from '../tables.ts';
import { createChangeNumbering, readLag } from './change-numbering.ts';
import { createChangeTracker, type PostgresChangeTracker } from './change-tracker.ts';
import { type Connection, orEnd, type Session, within } from './connection.ts';
import { isDiskFull, isLockTimeout } from './faults.ts';
import { findFence } from './fence.ts';
import { findPets, insertPets } from './pet-rows.ts';
import { createPool, endForgotten, LIMITS, ONE, WORK_MS } from './pool.ts';
import { createConnect } from './primary.ts';
import { missingRights } from './rights.ts';
import { isTooNew, NEWEST, prepareDatabase } from './schema.ts';
import { nameServer, otherServers } from './server-name.ts';
import { createTransactions, inSession } from './transactions.ts';
import { type Access, accessInside, accessThrough } from './writer.ts';

/** Connects as the server that runs here, if one does. */
async function connectNamed(
  connect: () => Promise<Connection>,
  server: Opening['server'],
): Promise<Connection> {
  const connection = await connect();
  const named = server && within(WORK_MS, connection.end, () => nameServer(connection, server));
  if (named) await orEnd(connection, named);
  return connection;
}

/** Opens the storage in a PostgreSQL database. Throws `UnusableDatabase`. */
export async function openPostgresStorage(
  url: string,
  environment: Environment,
  opening: Opening = {},
): Promise<Storage> {
  const connect = createConnect(url);
  const trackers: PostgresChangeTracker[] = [];
  const pool = createPool(async () => {
    const connection = await connect();
    const meet = () => Promise.all(trackers.map((tracker) => tracker.meet(connection)));
    await within(WORK_MS, connection.end, meet);
    return connection;
  }, LIMITS);
  // Of its own, so that requests and the numbering of their changes never wait for each other.
  const numberingPool = createPool(() => connectNamed(connect, opening.server), ONE);
  const numbering = createChangeNumbering(numberingPool);
  const pools = [pool, numberingPool];
  async function close(): Promise<void> {
    await numbering.end();
    await Promise.all(pools.map((each) => each.close()));
  }
  let id: string;
  try {
    await prepareDatabase(pool.run, url, environment, opening);
    id = await pool.run((session) => readId(session, opening));
  } catch (error) {
    await close();
    throw error;
  }
  const access = accessThrough(pool, numbering.wake);
  const transactions = createTransactions(access);

  return {
    ...recordsThrough(access),
    ...createOwnStorage(transactions),
    changes: createChangeLog(transactions, {
      listen: numbering.listen,
      lag: () => access.read(readLag),
    }),
    trackChanges(changed) {
      const own = createPool(connect, ONE);
      const tracker = createChangeTracker(own, changed, opening.trackerTimeoutMs);
      pools.push(own);
      trackers.push(tracker);
      return tracker;
    },
    idempotency: createIdempotencyStorage(transactions, { waitForOthers, perform: inside }),
    transact: (work) => transactions.write(() => inside(work)),
    writesWait: () => pool.use().idle === 0,
    obstacle: () =>
      access.read(async (session) => {
        if ((await readId(session)) !== id) return 'replaced';
        if ((await findFence(session)) !== undefined) return 'moved';
        return (await isTooNew(session)) ? 'upgraded' : undefined;
      }),
    ping: () => access.read(async (session) => void (await session.query(READ_EACH))),
    tryWrite: () => access.write(tryWrites).catch(unlessFull),
    reset: (stamp) => longThrough(access).write(() => reset(stamp)),
    // The server runs autovacuum.
    async optimize() {
      await endForgotten(
        pools.flatMap((each) => each.givenUp()),
        pool,
      );
      // The last step may still wait for its commit.
      if (numberingPool.givenUp().length === 0) await numbering.run();
    },
    space: () => access.read(measureSpace),
    pool: () => sum(pools.map((each) => each.use())),
    schema: NEWEST,
    id,
    close,
  };
}

/** Runs work with the records as they are inside a transaction. */
function inside<T>(work: (records: Records) => Promise<T>) {
  return inSession((session) => work(recordsThrough(accessInside(session))));
}

/**
 * Waits for every change under way, so that nothing that the log has before the reset is left, and
 * keeps others out until it is noted.
 */
function* reset(stamp: ChangeStamp): Work<void> {
  yield* onPostgres('LOCK TABLE pets, orders, categories IN EXCLUSIVE MODE').run();
  for (const table of RESET.toReversed()) yield* sql`DELETE FROM ${table}`.run();
  yield* note('store.reset', stamp, [{}]);
}

const WAIT = onPostgres('SELECT pg_advisory_xact_lock($1)');

/** Throws `idempotency_in_progress` if another instance takes too long for the same request. */
function* waitForOthers({ keyId, operation, key }: IdempotentRequest): Work<void> {
  const lock = Bun.hash.wyhash(`${keyId} ${operation} ${key}`);
  try {
    yield* WAIT.run(BigInt.asIntN(64, lock));
  } catch (error) {
    throw isLockTimeout(error) ? inProgress() : error;
  }
}

/** Throws an error again, unless the disk is full. */
function unlessFull(error: unknown): void {
  if (!isDiskFull(error)) throw error;
}

/** The last statement is the one that writes. */
async function tryWrites(session: Session): Promise<void> {
  const [missing] = await missingRights(session);
  if (missing !== undefined) throw new Error(`this user lacks the right to ${missing}`);
  for (const statement of WRITE_EACH) await session.run(statement);
  await session.run('UPDATE deployment SET shared_from = shared_from');
}

/** What tells a database from another; a restored or replicated one has the same. */
async function readId(session: Session, opening: Opening = {}): Promise<string> {
  if (opening.alsoServed) tellOfOthers(opening, await otherServers(session));
  const [row] = await session.query<{ id: string }>('SELECT id FROM deployment');
  return row?.id ?? '';
}

/** Only the server knows its disk. */
export async function measureSpace(session: Session): Promise<DatabaseSpace> {
  const [row] = await session.query<{ size: bigint }>(
    'SELECT pg_database_size(current_database()) AS size',
  );
  return { size: Number(row?.size), log: undefined, free: undefined };
}

function sum(uses: readonly PoolUse[]): PoolUse {
  const total = (count: keyof PoolUse) => uses.reduce((all, use) => all + use[count], 0);
  return { inUse: total('inUse'), idle: total('idle'), waiting: total('waiting') };
}

/** Returns the records, read and written through `access`. */
function recordsThrough(access: Access): Records {
  const add = access.writeTogether(insertPets);
  return createRecords(createTransactions(access), {
    find: access.readTogether(findPets),
    create: (pet, stamp) => add({ pet, stamp }),
    addAll: (additions) =>
      inSession(async (session) => (await insertPets(session, additions)).map(({ id }) => id)),
    long: longThrough(access),
  });
}

function longThrough({ writeLong }: Access): Transactions {
  return createTransactions({ read: writeLong, write: writeLong });
}
