import type { ChangeStamp } from '../../domain/change-stamp.ts';
import type { Environment } from '../../domain/deployment.ts';
import { type IdempotentRequest, inProgress } from '../../domain/idempotency.ts';
import type { PetStorage } from '../../domain/pet.ts';
import type { Records } from '../../domain/records.ts';
import type { DatabaseSpace, PoolUse, Storage } from '../../domain/storage.ts';
import { type Opening, tellOfOthers } from '../opening.ts';
import { createIdempotencyStorage } from '../records/idempotency.ts';
import { createKeyStorage } from '../records/keys.ts';
import { createPetRecords, type ImportBatch } from '../records/pets.ts';
import { createOwnStorage, createRecords } from '../records/records.ts';
import { createSessionStorage } from '../records/sessions.ts';
import { createWebhookStorage } from '../records/webhooks.ts';
import { onPostgres, run, type Transactions, type Work } from '../statements.ts';
import { READ_EACH, RESET, WRITE_EACH } from '../tables.ts';
import { createChangeLog } from './change-log.ts';
import { stampValues } from './change-notes.ts';
import { createChangeNumbering } from './change-numbering.ts';
import { createChangeTracker, type PostgresChangeTracker } from './change-tracker.ts';
import { type Connection, type Session, within } from './connection.ts';
import { isDiskFull, isLockTimeout } from './faults.ts';
import { findFence } from './fence.ts';
import { findPets, insertPets, WRITES } from './pet-rows.ts';
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
  if (server) await within(WORK_MS, connection.end, () => nameServer(connection, server));
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
  const access = accessThrough(pool);
  const transactions = createTransactions(access);
  const recordAccess = accessThrough(pool, numbering.wake);
  const recordTransactions = createTransactions(recordAccess);

  return {
    ...recordsThrough(recordAccess),
    ...createOwnStorage(transactions, WRITES.noteAudit),
    changes: createChangeLog(access, transactions, numbering.listen),
    trackChanges(changed) {
      const own = createPool(connect, ONE);
      const tracker = createChangeTracker(own, changed, opening.trackerTimeoutMs);
      pools.push(own);
      trackers.push(tracker);
      return tracker;
    },
    ...withoutEvents(transactions),
    idempotency: createIdempotencyStorage(transactions, recordTransactions.write, {
      waitForOthers,
      perform: inside,
    }),
    transact: (work) => recordTransactions.write(() => inside(work)),
    writesWait: () => pool.use().idle === 0,
    obstacle: () =>
      access.read(async (session) => {
        if ((await readId(session)) !== id) return 'replaced';
        if ((await findFence(session)) !== undefined) return 'moved';
        return (await isTooNew(session)) ? 'upgraded' : undefined;
      }),
    ping: () => access.read(async (session) => void (await session.query(READ_EACH))),
    tryWrite: () => access.write(tryWrites).catch(unlessFull),
    reset: (stamp) => recordAccess.writeLong((session) => reset(session, stamp)),
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

/** A change of a key, session or webhook is no event: nobody waits for its number. */
function withoutEvents(transactions: Transactions) {
  return {
    keys: createKeyStorage(transactions, WRITES.noteAudit),
    sessions: createSessionStorage(transactions),
    webhooks: createWebhookStorage(transactions, WRITES.noteAudit),
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
async function reset(session: Session, stamp: ChangeStamp): Promise<void> {
  await session.run('LOCK TABLE pets, orders, categories IN EXCLUSIVE MODE');
  for (const table of RESET.toReversed()) await session.run(`DELETE FROM ${table}`);
  await session.run(
    `INSERT INTO unnumbered_changes (type, at, key_id, import_id)
     VALUES ('store.reset', $1, $2, $3)`,
    ...stampValues(stamp),
  );
}

const WAIT = onPostgres('SELECT pg_advisory_xact_lock($1)');

/** Throws `idempotency_in_progress` if another instance takes too long for the same request. */
function* waitForOthers({ keyId, operation, key }: IdempotentRequest): Work<void> {
  const lock = Bun.hash.wyhash(`${keyId} ${operation} ${key}`);
  try {
    yield* run(WAIT, BigInt.asIntN(64, lock));
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
  const transactions = createTransactions(access);
  return createRecords(transactions, WRITES, (importBatch) =>
    createPetStorage(access, transactions, importBatch),
  );
}

/** Animals in PostgreSQL. */
function createPetStorage(
  access: Access,
  transactions: Transactions,
  importBatch: ImportBatch,
): PetStorage {
  const { writeLong } = access;
  const find = access.readTogether(findPets);
  const add = access.writeTogether(insertPets);
  const long = createTransactions({ read: writeLong, write: writeLong });
  return {
    ...createPetRecords(transactions, WRITES, importBatch, long),
    find,
    create: (pet, stamp) => add({ pet, stamp }),
  };
}
