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
  change: (Change & { readonly isPrivate?: boolean }) | AuditedChange,
  stamp: ChangeStamp,
  changed?: string | null,
) => void;

/** Creates the writer of the change log in SQLite. */
export function createChangeWriter(database: Database) {
  const insert = createInsert(database);
  const listeners = new Set<() => void>();
  let hasNoted = false;

  return {
    note(...[change, stamp, changed = null]: Parameters<NoteChange>): void {
      insert(change, stamp, changed);
      // Nobody waits for what only the audit shows.
      if (!('subject' in change)) hasNoted = true;
    },
    /** Called at the start of each transaction. */
    began(): void {
      hasNoted = false;
    },
    /** Called after each commit: tells the listeners if changes were noted. */
    committed(): void {
      if (!hasNoted) return;
      for (const listener of listeners) listener();
    },
    listen(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
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
  const shown = <Cells extends SQLQueryBindings[]>(columns: string) =>
    insertInto<[...Shown, ...Cells]>(`, changed, import_id${columns}`);
  const pet = shown<[bigint, string, bigint, string]>(', record_id, name, category_id, status');
  const category = shown<[bigint, string]>(', record_id, name');
  const order = shown<[bigint, bigint, string, number, number]>(
    ', record_id, pet_id, status, placed_at, updated_at',
  );
  const part = shown<[bigint | null, string]>(', pet_id, data');
  const privatePart = shown<[bigint | null, bigint | null]>(', pet_id, subject_id');
  const audited = shown<[bigint, bigint | null]>(', subject_id, pet_id');
  const reset = insertInto<[]>('');

  function run(change: Parameters<NoteChange>[0], stamp: ChangeStamp, changed: string | null) {
    const { type } = change;
    const { at, keyId, importId = null } = stamp;
    if ('pet' in change) {
      const { id, name, categoryId, status } = change.pet;
      return pet.run(type, at, keyId, changed, importId, id, name, categoryId, status);
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
      if (change.isPrivate) {
        return privatePart.run(type, at, keyId, changed, importId, petId, petId);
      }
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
