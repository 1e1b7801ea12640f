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
import { changes, type Query, sql, type Transactions, type Work } from '../statements.ts';

/** The columns of a change besides its id. */
export const CHANGE_COLUMNS =
  'type, at, key_id, record_id, name, category_id, status, pet_id, placed_at, updated_at, data';

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
}

/** A row of the change log. */
export interface ChangeRow extends RecordRow {
  readonly id: bigint;
  readonly at: bigint;
  readonly key_id: bigint | null;
}

/** Returns the change in a row. */
export function changeOf(row: RecordRow): Change {
  const { type } = row;
  switch (type) {
    case 'pet.created':
    case 'pet.updated':
    case 'pet.deleted': {
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
    case 'profile.updated':
    case 'photo.added':
    case 'photo.updated':
    case 'photo.removed':
      return { type, part: { petId: row.pet_id ?? 0n, data: row.data ?? '' } };
    case 'store.reset':
      return { type };
  }
}

/** Returns the change in a row with its id and stamp. */
export function loggedChangeOf(row: ChangeRow): LoggedChange {
  const { id, at, key_id: keyId } = row;
  return { ...changeOf(row), id, at: Number(at), keyId };
}

/** Runs a statement that writes one record and returns it, and notes the change in the log. */
export type NotedWrite = <Result>(
  type: Exclude<ChangeType, PartChangeType | 'store.reset'>,
  stamp: ChangeStamp,
  statement: Query<Result>,
  ...values: Value[]
) => Work<Result>;

/** Removes from the start up to the first change that is younger, so that no gap appears. */
const SWEEP = sql`DELETE FROM changes WHERE id <= $3 AND id < (
    SELECT coalesce(
      (SELECT min(id) FROM (SELECT id, at FROM changes ORDER BY id LIMIT $2) AS first WHERE at > $1),
      (SELECT id FROM changes ORDER BY id LIMIT 1 OFFSET $2),
      (SELECT max(id) FROM changes)
    )
  )`;

/** The removal of old changes. */
export function createSweep({ write }: Transactions): ChangeLog['removeExpired'] {
  return (time, most, upTo = INT64_MAX) => write(() => changes(SWEEP, time, most, upTo));
}
