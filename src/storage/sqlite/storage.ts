import type { Database } from 'bun:sqlite';
import type { Environment } from '../../domain/deployment.ts';
import { unavailable } from '../../domain/failure.ts';
import type { Records } from '../../domain/records.ts';
import type { Storage, StorageObserver } from '../../domain/storage.ts';
import { writeRefusal } from '../fence.ts';
import type { Opening } from '../opening.ts';
import { TABLES } from '../tables.ts';
import { type Access, INSIDE } from './access.ts';
import { createAllowanceStorage } from './allowances.ts';
import { createCategoryStorage } from './categories.ts';
import { createChangeLog } from './change-log.ts';
import { createChangeTracker } from './change-tracker.ts';
import { createChangeWriter, type NoteChange } from './change-writer.ts';
import { clearTables } from './clear.ts';
import { openConnection } from './connection.ts';
import { createDeliveryStorage } from './deliveries.ts';
import { findFence } from './fence.ts';
import { createGroupCommit } from './group-commit.ts';
import { createHistory } from './history.ts';
import { createIdempotencyStorage } from './idempotency.ts';
import { createImporter } from './import.ts';
import { createImportStorage } from './imports.ts';
import { createKeyStorage } from './keys.ts';
import { createNameIndex, type NameIndex } from './name-index.ts';
import { createOrderStorage } from './orders.ts';
import { createPetRows } from './pet-rows.ts';
import { createPetStorage } from './pets.ts';
import { takeServingPlace } from './serving-places.ts';
import { createSessionStorage } from './sessions.ts';
import { createSharedReads } from './shared-reads.ts';
import { createStatsStorage } from './stats.ts';
import { createUsageStorage } from './usage.ts';
import { findWalIndexHeader } from './wal-index.ts';
import { createWebhookStorage } from './webhooks.ts';

/** Tables that a reset leaves. */
const LASTING = new Set([
  ...['api_keys', 'allowances', 'usage_counts', 'changes'],
  ...['webhooks', 'webhook_deliverers', 'deliveries'],
]);
const RESET = TABLES.filter(({ name }) => !LASTING.has(name));

/** Opens the embedded storage in a file, or in memory for `:memory:`. Throws `UnusableDatabase`. */
export function openSqliteStorage(
  path: string,
  environment: Environment,
  opening: Opening = {},
  observer?: StorageObserver,
): Storage {
  const database = openConnection(path, environment, opening);
  const target = opening.alsoServed && takeServingPlace(path);
  if (target?.isShared) opening.alsoServed?.();
  const header = findWalIndexHeader(path);
  let isOpen = true;
  const { read, end } = createSharedReads(database, () => (isOpen ? header : undefined));
  const changes = createChangeWriter(database);
  const write = createGroupCommit(database, {
    starting: end,
    began: changes.began,
    undone: changes.undone,
    committed(writes) {
      observer?.committed(writes);
      changes.committed();
    },
  });
  const names = createNameIndex(database);
  const recordParts = { names, noteChange: changes.note };
  const access = { read, write };
  // SQLite would return a constant without reading the file.
  const ping = database.query('SELECT environment FROM deployment');

  return {
    ...createRecords(database, access, recordParts),
    changes: createChangeLog(database, access, changes.listen),
    deliveries: createDeliveryStorage(database, access),
    trackChanges(tracked) {
      const watched = findWalIndexHeader(path);
      const tracker = createChangeTracker(
        database,
        () => (isOpen ? watched : undefined),
        tracked,
        read,
      );
      changes.follow(tracker);
      return tracker;
    },
    allowances: createAllowanceStorage(database, access),
    usage: createUsageStorage(database, access),
    sessions: createSessionStorage(database, access),
    idempotency: createIdempotencyStorage(
      database,
      createRecords(database, INSIDE, recordParts),
      write,
    ),
    isFenced: () => read(() => findFence(database) !== undefined),
    ping: () => read(() => void ping.get()),
    reset: (stamp) =>
      write(() => {
        const fence = findFence(database);
        if (fence !== undefined) throw unavailable(new Error(writeRefusal(fence)));
        clearTables(database, RESET);
        changes.note({ type: 'store.reset' }, stamp);
      }),
    optimize: () => names.optimize(write),
    pool: () => undefined,
    async close() {
      // Finishes waiting writes first; if that fails, their callers get the error.
      await Promise.allSettled([write(() => undefined)]);
      end();
      isOpen = false;
      database.close();
      target?.release();
    },
  };
}

/** What writes of records have in common. */
interface RecordParts {
  readonly names: NameIndex;
  readonly noteChange: NoteChange;
}

/** Creates the records. `access` shares transactions, or is inside one. */
export function createRecords(
  database: Database,
  access: Access,
  parts: RecordParts = {
    names: createNameIndex(database),
    noteChange: createChangeWriter(database).note,
  },
): Records {
  const { noteChange } = parts;
  const history = createHistory(database);
  const rows = createPetRows(database, { ...parts, history });
  const importBatch = createImporter(database, rows, noteChange);
  return {
    pets: createPetStorage(database, { ...parts, rows, history, importBatch }, access),
    categories: createCategoryStorage(database, noteChange, access),
    orders: createOrderStorage(database, rows, noteChange, access),
    keys: createKeyStorage(database, access),
    stats: createStatsStorage(database, access),
    webhooks: createWebhookStorage(database, access),
    imports: createImportStorage(database, importBatch, access),
  };
}
