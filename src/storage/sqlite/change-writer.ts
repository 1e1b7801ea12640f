import type { Database, SQLQueryBindings } from 'bun:sqlite';
import type { AuditSubject, AuditType } from '../../domain/audit.ts';
import type { Change } from '../../domain/change-log.ts';
import type { ChangeStamp } from '../../domain/change-stamp.ts';

/** A change that only the audit shows. */
interface AuditedChange {
  readonly type: AuditType;
  readonly subject: AuditSubject;
}

/**
 * Writes to the change log, inside the transaction of the change. `changed` is JSON, null if the record says
 * all.
 */
export type NoteChange = (
  change: Change | AuditedChange,
  stamp: ChangeStamp,
  changed?: string | null,
) => void;

/** A change as its row has it, with what the audit shows of it. */
export interface CommittedChange {
  readonly change: Change;
  readonly fields: string | null;
}

/** Changes of one transaction. */
export interface CommittedChanges {
  readonly changes: readonly CommittedChange[];
  /** The id of the last change, also of one that only the audit shows. */
  readonly lastId: bigint;
}

/** Follows the transactions of a connection. */
export interface TransactionFollower {
  /** A transaction has started: other processes cannot commit until it ends. */
  began(): void;
  /** The transaction is on disk. Its changes are undefined if only the log has all of them. */
  committed(committed: CommittedChanges | undefined): void;
}

/** More changes in one transaction are only in the log. */
const CHANGES_IN_MEMORY_MAX = 1_000;

/** Creates the writer of the change log in SQLite. */
export function createChangeWriter(database: Database) {
  const insert = createInsert(database);
  const listeners = new Set<() => void>();
  const followers: TransactionFollower[] = [];
  let changes: CommittedChange[] = [];
  let lastId = 0n;
  let hasNoted = false;
  let isInMemory = true;

  return {
    note(...[change, stamp, changed = null]: Parameters<NoteChange>): void {
      lastId = insert(change, stamp, changed);
      // Nobody waits for what only the audit shows.
      if ('subject' in change) return;
      hasNoted = true;
      if (followers.length === 0) return;
      if (changes.length < CHANGES_IN_MEMORY_MAX) {
        changes.push({ change: loggedPart(change), fields: changed });
      } else isInMemory = false;
    },
    /** Called at the start of each transaction. */
    began(): void {
      changes = [];
      hasNoted = false;
      isInMemory = true;
      for (const follower of followers) follower.began();
    },
    /** Called when a part of the transaction was undone. */
    undone(): void {
      isInMemory = false;
    },
    /** Called after each commit: reports to the followers, and to the listeners if changes were noted. */
    committed(): void {
      const committed = isInMemory ? { changes, lastId } : undefined;
      for (const follower of followers) follower.committed(committed);
      if (!hasNoted) return;
      for (const listener of listeners) listener();
    },
    follow: (follower: TransactionFollower) => void followers.push(follower),
    listen(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Returns a change with what its row has. */
function loggedPart(change: Change): Change {
  if (!('order' in change)) return change;
  const { id, petId, status, placedAt, updatedAt } = change.order;
  return { type: change.type, order: { id, petId, status, placedAt, updatedAt } };
}

type Stamped = [type: string, at: number, keyId: bigint | null];
type Shown = [changed: string | null, importId: bigint | null];

/**
 * Creates the function that inserts a change and returns its id. There is a statement for each
 * resource, because every further column costs an addition a tenth of a microsecond.
 */
function createInsert(database: Database): (...noted: Parameters<NoteChange>) => bigint {
  const insertInto = <Cells extends SQLQueryBindings[]>(columns: string) =>
    database.query<null, [...Stamped, ...Cells]>(
      `INSERT INTO changes (type, at, key_id${columns}) VALUES (?, ?, ?${columns.replaceAll(/, \w+/g, ', ?')})`,
    );
  type PetCells = [bigint, string, bigint, string];
  const addition = insertInto<PetCells>(', record_id, name, category_id, status');
  const shown = <Cells extends SQLQueryBindings[]>(columns: string) =>
    insertInto<[...Shown, ...Cells]>(`, changed, import_id${columns}`);
  const pet = shown<PetCells>(', record_id, name, category_id, status');
  const category = shown<[bigint, string]>(', record_id, name');
  const order = shown<[bigint, bigint, string, number, number]>(
    ', record_id, pet_id, status, placed_at, updated_at',
  );
  const part = shown<[bigint | null, string]>(', pet_id, data');
  const audited = shown<[bigint, bigint | null]>(', subject_id, pet_id');
  const reset = insertInto<[]>('');

  function run(change: Change | AuditedChange, stamp: ChangeStamp, changed: string | null) {
    const { type } = change;
    const { at, keyId, importId = null } = stamp;
    if ('pet' in change) {
      const { id, name, categoryId, status } = change.pet;
      return changed === null && importId === null
        ? addition.run(type, at, keyId, id, name, categoryId, status)
        : pet.run(type, at, keyId, changed, importId, id, name, categoryId, status);
    }
    if ('category' in change) {
      const { id, name } = change.category;
      return category.run(type, at, keyId, changed, importId, id, name);
    }
    if ('order' in change) {
      const { id, petId, status, placedAt, updatedAt } = change.order;
      return order.run(
        ...([type, at, keyId, changed, importId] as const),
        ...([id, petId, status, placedAt, updatedAt] as const),
      );
    }
    if ('part' in change) {
      const { petId, data } = change.part;
      return part.run(type, at, keyId, changed, importId, petId, data);
    }
    if ('subject' in change) {
      const { id, petId = null } = change.subject;
      return audited.run(type, at, keyId, changed, importId, id, petId);
    }
    return reset.run(type, at, keyId);
  }

  // The types do not know that a connection with safe integers gives a bigint here.
  return (change, stamp, changed = null) => BigInt(run(change, stamp, changed).lastInsertRowid);
}
