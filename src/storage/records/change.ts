import type { ChangeType, LoggedChange } from '../../domain/change-log.ts';
import type { OrderStatus } from '../../domain/order.ts';
import type { PetStatus } from '../../domain/pet.ts';

/** The columns of a change besides its id. */
export const CHANGE_COLUMNS =
  'type, at, key_id, record_id, name, category_id, status, pet_id, placed_at, updated_at, data, changed, subject_id, import_id';

/** The columns that hold the record. */
interface RecordRow {
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

/** Returns the record in a row, whose columns are filled for its type. */
function recordIn({ type, record_id: id, name, pet_id: petId, status, ...row }: RecordRow) {
  switch (type.split('.')[0]) {
    case 'pet':
      return { pet: { id, name, categoryId: row.category_id, status } };
    case 'category':
      return { category: { id, name } };
    case 'order': {
      const times = { placedAt: Number(row.placed_at), updatedAt: Number(row.updated_at) };
      return { order: { id, petId, status, ...times } };
    }
    case 'store':
      return {};
    default:
      return { part: { petId, data: row.data ?? '' } };
  }
}

/** Returns the change in a row with its id and stamp. */
export function loggedChangeOf(row: ChangeRow): LoggedChange {
  const { type, id, at, key_id: keyId } = row;
  return { type, ...recordIn(row), id, at: Number(at), keyId } as LoggedChange;
}

/** The id of the first change that is still an event, or would be if it was one; NULL for an empty log. */
export const FIRST_EVENT = `(
    SELECT CASE WHEN oldest < first_id THEN first_id ELSE oldest END
    FROM (SELECT min(id) AS oldest FROM changes) AS log
    CROSS JOIN (SELECT coalesce(max(first_id), 0) AS first_id FROM event_start) AS start
  )`;
