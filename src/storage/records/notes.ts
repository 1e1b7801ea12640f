import {
  type AuditSubject,
  type AuditType,
  type ChangedFields,
  changedText,
} from '../../domain/audit.ts';
import type { Category } from '../../domain/category.ts';
import type { ChangeType, NotedPart, PartChangeType } from '../../domain/change-log.ts';
import type { ChangeStamp } from '../../domain/change-stamp.ts';
import type { Order } from '../../domain/order.ts';
import type { Pet } from '../../domain/pet.ts';
import type { Value } from '../fields.ts';
import {
  given,
  onPostgres,
  type Query,
  type Sql,
  type Step,
  sql,
  type Work,
} from '../statements.ts';
import { CHANGE_COLUMNS } from './change.ts';

/*
 * Each change is noted in its transaction, while that holds the lock of the record: so the changes of a record are
 * noted in their order.
 */

/** Where changes are noted. On PostgreSQL they get their ids later: see the table unnumbered_changes. */
const LOG: Sql = { sqlite: 'changes', postgres: 'unnumbered_changes' };
const TEXTS = ['type', 'name', 'status', 'data', 'changed'];
const CELLS = CHANGE_COLUMNS.split(', ').map(
  (column) => `${column} ${TEXTS.includes(column) ? 'text' : 'bigint'}`,
);
/** The cells that a row leaves out. */
const NOTHING = Object.fromEntries(CHANGE_COLUMNS.split(', ').map((column) => [column, null]));
const NOTE = sql`INSERT INTO ${LOG} (${CHANGE_COLUMNS})
  SELECT ${CHANGE_COLUMNS} FROM ${given(`n bigint, ${CELLS.join(', ')}`)} ${onPostgres('ORDER BY n')}`;

/** What a row of the log says besides its type and stamp. */
interface Noted {
  readonly recordId?: bigint;
  readonly name?: string;
  readonly categoryId?: bigint;
  readonly status?: string;
  readonly petId?: bigint | null;
  readonly placedAt?: number;
  readonly updatedAt?: number;
  readonly data?: string;
  /** What the audit shows of the change, as JSON; nothing if it shows the record. */
  readonly changed?: string | null;
  /** Set if it is no event. */
  readonly subjectId?: bigint | null;
}

/** Notes changes of one type, in their order. */
export function note(
  type: ChangeType | AuditType,
  stamp: ChangeStamp,
  rows: readonly Noted[],
): Step<void> {
  const { at, keyId, importId = null } = stamp;
  return NOTE.forRows(rows.map((row, n) => ({ ...NOTHING, ...row, n, type, at, keyId, importId })));
}

/** Notes a change that only the audit shows. */
export function noteAudit(
  type: AuditType,
  { id, petId }: AuditSubject,
  changed: ChangedFields,
  stamp: ChangeStamp,
): Step<void> {
  return note(type, stamp, [
    { subjectId: id, petId: petId ?? null, changed: changedText(changed) },
  ]);
}

/** Notes changes of records that belong to locked animals. */
export function noteParts(
  type: PartChangeType,
  parts: readonly NotedPart[],
  stamp: ChangeStamp,
): Step<void> {
  const rows = parts.map(({ petId, data, changed, isPrivate }) =>
    isPrivate ? { petId, changed, subjectId: petId } : { petId, changed, data },
  );
  return note(type, stamp, rows);
}

/** What the log keeps of each record. */
const LOGGED = {
  pet: ({ id, name, categoryId, status }: Pet): Noted => ({
    recordId: id,
    name,
    categoryId,
    status,
  }),
  category: ({ id, name }: Category): Noted => ({ recordId: id, name }),
  order: ({ id, petId, status, placedAt, updatedAt }: Order): Noted => ({
    ...{ recordId: id, petId, status, placedAt, updatedAt },
  }),
};
type Resource = keyof typeof LOGGED;

/** Returns what the log keeps of an animal. */
export const loggedPet = LOGGED.pet;

/**
 * Runs a statement that writes one record and returns it, and notes the change in the log. `changed` is what
 * the audit shows; null if it shows the record.
 */
export function* noted<Name extends Resource>(
  type: Extract<ChangeType, `${Name}.${string}`>,
  stamp: ChangeStamp,
  changed: ChangedFields | null,
  statement: Query<Parameters<(typeof LOGGED)[Name]>[0]>,
  ...values: Value[]
): Work<Parameters<(typeof LOGGED)[Name]>[0]> {
  const record = yield* statement.only(...values);
  // The type of a change starts with its resource.
  const logged = LOGGED[type.split('.')[0] as Name] as (of: typeof record) => Noted;
  yield* note(type, stamp, [{ ...logged(record), changed: changed && changedText(changed) }]);
  return record;
}
