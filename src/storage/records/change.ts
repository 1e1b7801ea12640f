import type { Change, ChangeType, LoggedChange } from '../../domain/change-log.ts';
import type { OrderStatus } from '../../domain/order.ts';
import type { PetStatus } from '../../domain/pet.ts';

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

/** The id of the first change that is still an event, or would be if it was one; NULL for an empty log. */
export const FIRST_EVENT = `(
    SELECT CASE WHEN oldest < first_id THEN first_id ELSE oldest END
    FROM (SELECT min(id) AS oldest FROM changes) AS log
    CROSS JOIN (SELECT coalesce(max(first_id), 0) AS first_id FROM event_start) AS start
  )`;
