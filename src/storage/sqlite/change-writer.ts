import type { Database, SQLQueryBindings } from 'bun:sqlite';
import type { Change } from '../../domain/change-log.ts';
import type { ChangeStamp } from '../../domain/change-stamp.ts';

/** Writes to the change log, inside the transaction of the change. */
export type NoteChange = (change: Change, stamp: ChangeStamp) => void;

/** Changes of one transaction, as their rows have them. */
export interface CommittedChanges {
  readonly changes: readonly Change[];
  /** The id of the last change. */
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
  let changes: Change[] = [];
  let lastId = 0n;
  let hasNoted = false;
  let isInMemory = true;

  return {
    note(change: Change, stamp: ChangeStamp): void {
      lastId = insert(change, stamp);
      hasNoted = true;
      if (followers.length === 0) return;
      if (changes.length < CHANGES_IN_MEMORY_MAX) changes.push(loggedPart(change));
      else isInMemory = false;
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

type Stamped = [type: Change['type'], at: number, keyId: bigint | null];

/**
 * Creates the function that inserts a change and returns its id. There is a statement for each
 * resource, because every further column costs an addition a tenth of a microsecond.
 */
function createInsert(database: Database): (change: Change, stamp: ChangeStamp) => bigint {
  const insertInto = <Cells extends SQLQueryBindings[]>(columns: string, targets: string) =>
    database.query<null, [...Stamped, ...Cells]>(
      `INSERT INTO changes (type, at, key_id${columns}) VALUES (?, ?, ?${targets})`,
    );
  const pet = insertInto<[bigint, string, bigint, string]>(
    ', record_id, name, category_id, status',
    ', ?, ?, ?, ?',
  );
  const category = insertInto<[bigint, string]>(', record_id, name', ', ?, ?');
  const order = insertInto<[bigint, bigint, string, number, number]>(
    ', record_id, pet_id, status, placed_at, updated_at',
    ', ?, ?, ?, ?, ?',
  );
  const part = insertInto<[bigint, string]>(', pet_id, data', ', ?, ?');
  const reset = insertInto<[]>('', '');

  function run(change: Change, { at, keyId }: ChangeStamp) {
    const { type } = change;
    if ('pet' in change) {
      const { id, name, categoryId, status } = change.pet;
      return pet.run(type, at, keyId, id, name, categoryId, status);
    }
    if ('category' in change) {
      return category.run(type, at, keyId, change.category.id, change.category.name);
    }
    if ('order' in change) {
      const { id, petId, status, placedAt, updatedAt } = change.order;
      return order.run(type, at, keyId, id, petId, status, placedAt, updatedAt);
    }
    if ('part' in change) {
      return part.run(type, at, keyId, change.part.petId, change.part.data);
    }
    return reset.run(type, at, keyId);
  }

  // The types do not know that a connection with safe integers gives a bigint here.
  return (change, stamp) => BigInt(run(change, stamp).lastInsertRowid);
}
