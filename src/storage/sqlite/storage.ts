import type { Database } from 'bun:sqlite';
import { changedText } from '../../domain/audit.ts';
import type { Change, ChangeTracker } from '../../domain/change-log.ts';
import type { Environment } from '../../domain/deployment.ts';
import { Failure, unavailable } from '../../domain/failure.ts';
import type { Records } from '../../domain/records.ts';
import type { Storage, StorageObserver } from '../../domain/storage.ts';
import { writeRefusal } from '../fence.ts';
import { type Opening, tellOfOthers } from '../opening.ts';
import type { NoteAudit, NotedWrite } from '../records/change.ts';
import { withStays } from '../records/followed-stays.ts';
import { createIdempotencyStorage } from '../records/idempotency.ts';
import { createPetRecords } from '../records/pets.ts';
import { createOwnStorage, createRecords } from '../records/records.ts';
import { EngineStep, only } from '../statements.ts';
import { READ_EACH, RESET, WRITE_EACH } from '../tables.ts';
import { type Access, INSIDE, type Read } from './access.ts';
import { createChangeLog, createChangeRows } from './change-log.ts';
import { createChangeWriter, type NoteChange } from './change-writer.ts';
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
  const file = watchFile(path, descriptors, idOf(database), walIndex);
  const read: Read = async (query) => attempt(query);
  const changes = createChangeWriter(database);
  const write = createGroupCommit(database, {
    starting() {
      if (file.isReplaced()) throw unavailable(new Error(REPLACED));
    },
    began: changes.began,
    committed(writes) {
      observer?.committed(writes);
      changes.committed();
    },
  });
  const access: Access = { read, search: inTurns(read), write };
  const transactions = createTransactions(database, access);
  const recordsInside = createSqliteRecords(database, INSIDE, changes.note);
  const inside = <T>(work: Inside<T>) => new EngineStep(() => work(recordsInside));
  const readEach = database.query(READ_EACH);
  const [id, canReadAgain] = [idOf(database), path !== ':memory:' && walIndex !== undefined];

  return {
    ...createSqliteRecords(database, access, changes.note),
    ...createOwnStorage(transactions, auditThrough(changes.note)),
    changes: createChangeLog(database, access, transactions, changes.listen),
    trackChanges: (changed) => createChangeTracker(database, changed, changes.listen, walIndex),
    idempotency: createIdempotencyStorage(transactions, transactions.write, { perform: inside }),
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
    tryWrite: () =>
      unlessFull(async () => {
        // Past the cache of this connection: pages of the file may be damaged.
        if (canReadAgain) attempt(() => readOnce(path, READ_EACH));
        await write(() => writeEach(database));
      }),
    reset: (stamp) =>
      write(() => {
        reset(database);
        changes.note({ type: 'store.reset' }, stamp);
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

/** Does work that a full disk may prevent. */
async function unlessFull(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Failure && isDiskFull(error.details.cause))) throw error;
  }
}

function reset(database: Database): void {
  const fence = findFence(database);
  if (fence !== undefined) throw unavailable(new Error(writeRefusal(fence)));
  clearTables(database, RESET);
}

/** Notes changes that only the audit shows. */
function auditThrough(noteChange: NoteChange): NoteAudit {
  return (type, subject, changed, stamp) =>
    new EngineStep(() => noteChange({ type, subject }, stamp, changedText(changed)));
}

/** Creates the records. `access` writes in transactions, or is inside one. */
export function createSqliteRecords(
  database: Database,
  access: Access,
  noteChange: NoteChange = createChangeWriter(database).note,
): Records {
  const { read, write } = access;
  const transactions = createTransactions(database, access);
  const rows = createPetRows(database, noteChange);
  const noted: NotedWrite = function* (type, stamp, changed, statement, ...values) {
    const record = yield* only(statement, ...values);
    // The type of a change starts with its resource, which names the record in a change.
    const change = { type, [type.split('.')[0] ?? '']: record } as unknown as Change;
    yield* new EngineStep(() => noteChange(change, stamp, changed && changedText(changed)));
    return record;
  };
  const writes = withStays({ ...rows.writes, noted, noteAudit: auditThrough(noteChange) });
  return createRecords(transactions, writes, (importBatch) => ({
    ...createPetRecords(transactions, writes, importBatch, transactions),
    find: (id) => read(() => rows.find(id)),
    create: (pet, stamp) => write(() => ({ id: rows.insert(pet, undefined, stamp), ...pet })),
  }));
}

/**
 * Tells when the newest change of the log is another one. Each time it is asked, since another process may have
 * acknowledged a commit a moment ago: the header of the WAL index says whether there was one, in a tenth of the time of
 * a query, and the log is read only then. Without that header, `PRAGMA data_version` and our own changes say it.
 */
function createChangeTracker(
  database: Database,
  changed: () => void,
  listen: (listener: () => void) => void,
  walIndex: WalIndex | undefined,
): ChangeTracker {
  const version = database.query<{ data_version: bigint }, []>('PRAGMA data_version');
  const log = createChangeRows(database);
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
        const newest = log.newestId();
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
