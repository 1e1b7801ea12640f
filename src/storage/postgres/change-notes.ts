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

/** The SQL of what a row of the log says besides the record. */
interface StampTexts {
  readonly at: string;
  readonly keyId: string;
  readonly importId: string;
  readonly changed: string;
}

/**
 * An INSERT that notes a change for each row of `source`, which has the columns of the record. It must
 * run while the transaction holds the locks of the records: see the table unnumbered_changes.
 */
export function noteRows(
  type: Exclude<ChangeType, 'store.reset'>,
  source: string,
  { at, keyId, importId, changed }: StampTexts,
): string {
  const [resource] = type.split('.') as [Resource]; // The type of a change starts with its resource.
  const { logged, own } = RECORD_COLUMNS[resource];
  return `INSERT INTO unnumbered_changes (type, at, key_id, import_id, changed, ${logged})
    SELECT '${type}', CAST(${at} AS bigint), CAST(${keyId} AS bigint), CAST(${importId} AS bigint),
      CAST(${changed} AS text), ${own}
    FROM ${source}`;
}

/**
 * A statement that writes records, notes the changes and returns the rows written. `write` returns the
 * columns of the record. The values of the stamp follow the other `parameters`; then comes what the
 * audit shows, unless `changed` is a column of the rows.
 */
export function noting(
  type: Exclude<ChangeType, 'store.reset'>,
  parameters: number,
  write: string,
  { order = 'id', changed }: { readonly order?: string; readonly changed?: string } = {},
): string {
  const [at, keyId, importId, given] = [1, 2, 3, 4].map((n) => `$${parameters + n}`) as Four;
  const stamp = { at, keyId, importId, changed: changed ?? given };
  return `WITH written AS (${write}),
    noted AS (${noteRows(type, `written ORDER BY ${order}`, stamp)})
    SELECT * FROM written`;
}

type Four = [string, string, string, string];

/** The values of a stamp, for `noting`. */
export function stampValues({ at, keyId, importId }: ChangeStamp): [Value, Value, Value] {
  return [BigInt(at), keyId, importId ?? null];
}
