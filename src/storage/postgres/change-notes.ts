import type { ChangeType } from '../../domain/change-log.ts';
import type { ChangeStamp } from '../../domain/change-stamp.ts';
import type { Value } from './connection.ts';

/** A resource whose changes are logged. */
type Resource = 'pet' | 'category' | 'order';

/** The columns of the log that hold a record, and the columns of its own table in the same order. */
const RECORD_COLUMNS: Readonly<Record<Resource, { logged: string; own: string }>> = {
  pet: { logged: 'record_id, name, category_id, status', own: 'id, name, category_id, status' },
  category: { logged: 'record_id, name', own: 'id, name' },
  order: {
    logged: 'record_id, pet_id, status, placed_at, updated_at',
    own: 'id, pet_id, status, placed_at, updated_at',
  },
};

/**
 * An INSERT that notes a change for each row of `source`, which has the columns of the record. It must
 * run while the transaction holds the locks of the records: see the migration `changes`.
 */
export function noteRows(
  type: Exclude<ChangeType, 'store.reset'>,
  source: string,
  stamp: { readonly at: string; readonly keyId: string },
): string {
  const [resource] = type.split('.') as [Resource]; // The type of a change starts with its resource.
  const { logged, own } = RECORD_COLUMNS[resource];
  return `INSERT INTO unnumbered_changes (type, at, key_id, ${logged})
    SELECT '${type}', CAST(${stamp.at} AS bigint), CAST(${stamp.keyId} AS bigint), ${own}
    FROM ${source}`;
}

/**
 * A statement that writes records, notes the changes and returns the rows written. `write` returns the
 * columns of the record. The values of the stamp follow the other `parameters`.
 */
export function noting(
  type: Exclude<ChangeType, 'store.reset'>,
  parameters: number,
  write: string,
  order = 'id',
): string {
  const stamp = { at: `$${parameters + 1}`, keyId: `$${parameters + 2}` };
  return `WITH written AS (${write}),
    noted AS (${noteRows(type, `written ORDER BY ${order}`, stamp)})
    SELECT * FROM written`;
}

/** The values of a stamp, for `noting`. */
export function stampValues({ at, keyId }: ChangeStamp): [at: Value, keyId: Value] {
  return [BigInt(at), keyId];
}
