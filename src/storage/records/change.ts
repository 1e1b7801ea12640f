import type { AuditSubject, AuditType, ChangedFields } from '../../domain/audit.ts';
import type {
  Change,
  ChangeLog,
  ChangeType,
  LoggedChange,
  PartChangeType,
} from '../../domain/change-log.ts';
import type { ChangeStamp } from '../../domain/change-stamp.ts';
import { INT64_MAX } from '../../domain/int64.ts';
import type { OrderStatus } from '../../domain/order.ts';
import type { PetStatus } from '../../domain/pet.ts';
import type { Value } from '../fields.ts';
import {
  changes,
  one,
  only,
  type Query,
  query,
  run,
  sql,
  type Transactions,
  type Work,
} from '../statements.ts';

/** The columns of a change besides its id. */
export const CHANGE_COLUMNS =
  'type, at, key_id, record_id, name, category_id, status, pet_id, placed_at, updated_at, data, changed, subject_id, import_id';

/** The columns that hold the record. */
export interface RecordRow {
  readonly type: ChangeType;
  readonly record_id: bigint | null;
  readonly name: string | null;
  readonly category_id: bigint | null;
  readonly status: PetStatus | OrderStatus | null;
  readonly pet_id: bigint | null;
  readonly placed_at: bigint | null;
  readonly updated_at: bigint | null;
  readonly data: string | null;
  /** What the audit shows of the change, as JSON; NULL if it shows the record. */
  readonly changed: string | null;
  /** NULL for events. */
  readonly subject_id: bigint | null;
}

/** A row of the change log. */
export interface ChangeRow extends RecordRow {
  readonly id: bigint;
  readonly at: bigint;
  readonly key_id: bigint | null;
}

/** Returns the change in a row. */
function changeOf(row: RecordRow): Change {
  const { type } = row;
  switch (type) {
    case 'pet.created':
    case 'pet.updated':
    case 'pet.deleted':
    case 'pet.restored': {
      const { record_id: id, name, category_id: categoryId, status } = row;
      // These columns are filled for this type.
      return {
        type,
        pet: { id, name, categoryId, status } as Extract<Change, { pet: unknown }>['pet'],
      };
    }
    case 'category.created':
    case 'category.updated':
    case 'category.deleted':
      return { type, category: { id: row.record_id ?? 0n, name: row.name ?? '' } };
    case 'order.placed':
    case 'order.updated': {
      const { record_id: id, pet_id: petId, status } = row;
      const times = { placedAt: Number(row.placed_at), updatedAt: Number(row.updated_at) };
      // As above.
      return {
        type,
        order: { id, petId, status, ...times } as Extract<Change, { order: unknown }>['order'],
      };
    }
    case 'store.reset':
      return { type };
    default:
      return { type, part: { petId: row.pet_id, data: row.data ?? '' } };
  }
}

/** Returns the change in a row with its id and stamp. */
export function loggedChangeOf(row: ChangeRow): LoggedChange {
  const { id, at, key_id: keyId } = row;
  return { ...changeOf(row), id, at: Number(at), keyId };
}

/**
 * Runs a statement that writes one record and returns it, and notes the change in the log. `changed` is what
 * the audit shows; null if it shows the record.
 */
export type NotedWrite = <Result>(
  type: Exclude<ChangeType, PartChangeType | 'store.reset'>,
  stamp: ChangeStamp,
  changed: ChangedFields | null,
  statement: Query<Result>,
  ...values: Value[]
) => Work<Result>;

/** Notes a change that only the audit shows, in the transaction of the change. */
export type NoteAudit = (
  type: AuditType,
  subject: AuditSubject,
  changed: ChangedFields,
  stamp: ChangeStamp,
) => Work<void>;

/** The condition for changes that are events. */
export const IS_EVENT = 'subject_id IS NULL';

/** The id of the first change that is still an event, or would be if it was one; NULL for an empty log. */
export const FIRST_EVENT = `(
    SELECT CASE WHEN oldest < first_id THEN first_id ELSE oldest END
    FROM (SELECT min(id) AS oldest FROM changes) AS log
    CROSS JOIN (SELECT coalesce(max(first_id), 0) AS first_id FROM event_start) AS start
  )`;
const FIRST = query(
  ({ first }: { readonly first: bigint | null }) => first ?? 0n,
  sql`SELECT ${FIRST_EVENT} AS first`,
);

/** The first change that is younger, after at most `$2` that are not. The newest always stays. */
const next = (first: string) => sql`coalesce(
    (SELECT min(id) FROM (
      SELECT id, at FROM changes WHERE id >= ${first} ORDER BY id LIMIT $2
    ) AS first WHERE at > $1),
    (SELECT id FROM changes WHERE id >= ${first} ORDER BY id LIMIT 1 OFFSET $2),
    (SELECT max(id) FROM changes)
  )`;
const NEXT = query(
  (row: { readonly id: bigint; readonly passed: bigint }) => row,
  sql`SELECT id, (SELECT count(*) FROM changes WHERE id >= $3 AND id < upto.id) AS passed
    FROM (SELECT CASE WHEN id > $4 THEN $4 ELSE id END AS id
      FROM (SELECT ${next('$3')} AS id) AS found WHERE id IS NOT NULL) AS upto`,
);
const START = sql`INSERT INTO event_start (only_one, first_id) VALUES (1, $1)
  ON CONFLICT (only_one) DO UPDATE SET first_id = excluded.first_id
  WHERE event_start.first_id < excluded.first_id`;
const SWEEP = sql`DELETE FROM changes WHERE id < ${next('0')} AND id < ${FIRST_EVENT}`;

function* expire(time: number, most: number, upTo: bigint): Work<number> {
  const first = yield* only(FIRST);
  const found = yield* one(NEXT, time, most, first, upTo);
  if (found === undefined || found.id <= first) return 0;
  yield* run(START, found.id);
  return Number(found.passed);
}

/** The removal of old changes: first from the events, later from the audit too. */
export function createSweeps({
  write,
}: Transactions): Pick<ChangeLog, 'removeExpired' | 'removeFromAudit'> {
  return {
    removeExpired: (time, most, upTo = INT64_MAX - 1n) =>
      write(() => expire(time, most, upTo + 1n)),
    // No gap appears: what is removed is at the start.
    removeFromAudit: (time, most) => write(() => changes(SWEEP, time, most)),
  };
}
