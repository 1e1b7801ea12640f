import type { Database } from 'bun:sqlite';
import type { ChangeTracker, NumberingLag } from '../../domain/change-log.ts';
import type { Environment } from '../../domain/deployment.ts';
import { Failure, unavailable } from '../../domain/failure.ts';
import type { Records } from '../../domain/records.ts';
import type { Storage, StorageObserver } from '../../domain/storage.ts';
import { writeRefusal } from '../fence.ts';
import { type Opening, tellOfOthers } from '../opening.ts';
import { createChangeLog } from '../records/change-log.ts';
import { createIdempotencyStorage } from '../records/idempotency.ts';
import { note } from '../records/notes.ts';
import { createOwnStorage, createRecords } from '../records/records.ts';
import { EngineStep } from '../statements.ts';
import { READ_EACH, RESET, WRITE_EACH } from '../tables.ts';
import { type Access, INSIDE, type Read } from './access.ts';
import { createChangeListeners, newestIn } from './change-listeners.ts';
import { clearTables } from './clear.ts';
import { openConnection, readOnce } from './connection.ts';
import { attempt, isDiskFull } from './faults.ts';
import { findFence } from './fence.ts';
import { openDescriptors, watchFile } from './file-watch.ts';
import { createGroupCommit } from './group-commit.ts';
import { createPetRows } from './pet-rows.ts';
import { idOf, isTooNew, markFile, NEWEST } from './schema.ts';
import { inTurns } from './search-turns.ts';
import { lockAsServer, otherServers } from './server-locks.ts';
import { measureSpace } from './space.ts';
import { createTransactions } from './transactions.ts';
import { findWalIndex, type WalIndex } from './wal-index.ts';

const REPLACED = 'the file of the database, or its log, was replaced or removed';

/** Changes get their ids as they are written. */
const NO_LAG: NumberingLag = { waiting: 0, oldestMs: 0 };

/** Work inside a transaction. */
type Inside<T> = (records: Records) => Promise<T>;

/** Opens the embedded storage in a file, or in memory for `:memory:`. Throws `UnusableDatabase`. */
export function openSqliteStorage(
  path: string,
  environment: Environment,
  opening: Opening = {},
  observer?: StorageObserver,
): Storage {
  const descriptors = openDescriptors();
  const database = openConnection(path, environment, opening);
  const place = opening.server && lockAsServer(path, opening.server);
  tellOfOthers(opening, otherServers(path));
  const walIndex = findWalIndex(path);
  const id = idOf(database);
  const file = watchFile(path, descriptors, id, walIndex);
  const read: Read = async (query) => attempt(query);
  const { listen, committed } = createChangeListeners(database);
  const write = createGroupCommit(database, {
    starting() {
      if (file.isReplaced()) throw unavailable(new Error(REPLACED));
    },
    committed(writes) {
      observer?.committed(writes);
      committed();
    },
  });
  const access: Access = { read, search: inTurns(read), write };
  const transactions = createTransactions(database, access);
  const recordsInside = createSqliteRecords(database, INSIDE);
  const inside = <T>(work: Inside<T>) => new EngineStep(() => work(recordsInside));
  const readEach = database.query(READ_EACH);
  const canReadAgain = path !== ':memory:' && walIndex !== undefined;

  return {
    ...createSqliteRecords(database, access),
    ...createOwnStorage(transactions),
    changes: createChangeLog(transactions, { listen, lag: async () => NO_LAG }),
    trackChanges: (changed) => createChangeTracker(database, changed, listen, walIndex),
    idempotency: createIdempotencyStorage(transactions, { perform: inside }),
    transact: (work) => transactions.write(() => inside(work)),
    writesWait: write.isBlocked,
    obstacle: () =>
      read(() => {
        if (file.isIncomplete()) return 'replaced';
        if (findFence(database) !== undefined) return 'moved';
        return isTooNew(database) ? 'upgraded' : undefined;
      }),
    ping: () =>
      read(() => {
        if (file.isIncomplete()) throw unavailable(new Error(REPLACED));
        readEach.all();
      }),
    async tryWrite() {
      // Past the cache of this connection: pages of the file may be damaged.
      if (canReadAgain) await read(() => readOnce(path, READ_EACH)).catch(unlessFull);
      await write(() => writeEach(database)).catch(unlessFull);
    },
    reset: (stamp) =>
      transactions.write(function* () {
        yield* new EngineStep(() => reset(database));
        yield* note('store.reset', stamp, [{}]);
      }),
    optimize: async () => {},
    space: () => measureSpace(path),
    pool: () => undefined,
    schema: NEWEST,
    id,
    async close() {
      // Finishes waiting writes first; if that fails, their callers get the error.
      await Promise.allSettled([write(() => undefined)]);
      if (!file.isReplaced()) database.close();
      place?.release();
    },
  };
}

/** The last statement is the one that writes. */
function writeEach(database: Database): void {
  for (const statement of WRITE_EACH) database.run(statement);
  markFile(database);
}

/** Throws an error again, unless the disk is full. */
function unlessFull(error: unknown): void {
  if (!(error instanceof Failure && isDiskFull(error.details.cause))) throw error;
}

function reset(database: Database): void {
  const fence = findFence(database);
  if (fence !== undefined) throw unavailable(new Error(writeRefusal(fence)));
  clearTables(database, RESET);
}

/** Creates the records. `access` writes in transactions, or is inside one. */
export function createSqliteRecords(database: Database, access: Access): Records {
  const { read, write } = access;
  const transactions = createTransactions(database, access);
  const rows = createPetRows(database);
  return createRecords(transactions, {
    find: (id) => read(() => rows.find(id)),
    create: (pet, stamp) => write(() => ({ id: rows.insert(pet, undefined, stamp), ...pet })),
    addAll: (additions) =>
      new EngineStep(() =>
        additions.map(({ pet, externalId, stamp }) => rows.insert(pet, externalId, stamp)),
      ),
    long: transactions,
  });
}

/**
 * Calls back when the log has a new newest change. It looks each time, since another process may have acknowledged a
 * commit a moment ago. The header of the WAL index tells whether there was one in a tenth of the time of a query; only
 * then is the log read. Without that header, `PRAGMA data_version` and our own changes tell.
 */
function createChangeTracker(
  database: Database,
  changed: () => void,
  listen: (listener: () => void) => void,
  walIndex: WalIndex | undefined,
): ChangeTracker {
  const version = database.query<{ data_version: bigint }, []>('PRAGMA data_version');
  const newestId = newestIn(database);
  const hasCommits = walIndex?.watchCommits() ?? (() => version.get()?.data_version !== seen);
  let seen: bigint | undefined;
  let last: bigint | undefined;
  /** Whether there was a commit since the log was read. It stays so if the log cannot be read. */
  let isBehind = true;
  listen(() => {
    isBehind = true;
  });

  return {
    catchUp() {
      try {
        isBehind = hasCommits() || isBehind;
        if (!isBehind) return true;
        seen = version.get()?.data_version;
        const newest = newestId();
        if (newest !== last) changed();
        last = newest;
        isBehind = false;
        return true;
      } catch {
        // Reading the records throws the error.
        return false;
      }
    },
  };
}
