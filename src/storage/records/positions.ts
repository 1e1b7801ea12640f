import type { Value } from '../fields.ts';
import { type Sql, sql } from '../statements.ts';
import { every, type Parameters } from './listing-conditions.ts';

/** Where an animal stands in an order: what the order sorts by, as text, and then its id. */
interface Position {
  readonly key: string;
  readonly petId: bigint;
}

export interface PositionRow {
  readonly id: bigint;
  readonly key: string | bigint;
  /** Its words, if they were read too. */
  readonly words?: string;
}

/** Returns the position that a row has. */
export const positionOf = ({ id, key, words }: PositionRow) => ({
  key: String(key),
  petId: id,
  words,
});

/** An order of the rows of a table, which has an index for it. */
interface Order {
  readonly table: 'listings' | 'animals';
  /** What it sorts by before the id, if anything. By a time, the newest come first, as by the id alone. */
  readonly column: string;
  /** What to read too. */
  readonly reads?: 'words' | undefined;
  /** Whether to look at all rows and sort them, instead of using the index. */
  readonly isScan?: boolean;
  /** The most rows to look at; undefined for all. */
  readonly among?: number | undefined;
}

/**
 * Reads at most `limit` positions that come after one in an order. `key` is that one's value of the column.
 * `parameters` are those of the conditions, and get more.
 */
export function positionsAfter(
  { table, column, reads, isScan, among }: Order,
  { key, petId }: { readonly key: Value; readonly petId: bigint },
  conditions: readonly Sql[],
  parameters: Parameters,
  limit: number,
) {
  const take = (value: Value) => parameters.take(value);
  const isNewest = column === 'pet_id' || column === 'listed_at';
  const sign = isNewest ? '<' : '>';
  const start =
    column === 'pet_id'
      ? sql`pet_id < ${take(petId)}`
      : sql`(${column}, pet_id) ${sign} (${take(key)}, ${take(petId)})`;
  const order = (column === 'pet_id' ? ['pet_id'] : [column, 'pet_id'])
    .map((name) => (isNewest ? `${name} DESC` : name))
    .join(', ');
  // SQLite does not know how many animals a filter leaves. PostgreSQL does.
  const isPrimary = isNewest && table === 'animals';
  const index: Sql = {
    sqlite: isPrimary || isScan ? 'NOT INDEXED' : `INDEXED BY ${table}_by_${column}`,
    postgres: '',
  };
  const further = reads === undefined ? '' : `, ${reads}`;
  const selected = `SELECT pet_id AS id, ${column} AS key${further} FROM`;
  const next = (these: readonly Sql[], most: string | number) =>
    sql`${table} ${index} WHERE ${every(these)} ORDER BY ${order} LIMIT ${most}`;
  // Rows of the inner one are read until there are enough.
  const text =
    among === undefined
      ? sql`${selected} ${next([...conditions, start], take(limit))}`
      : sql`${selected} (SELECT * FROM ${next([start], among)}) AS ${table}
          WHERE ${every(conditions)} LIMIT ${take(limit)}`;
  return text.as(positionOf).all(...parameters.values);
}

/** Returns at most `limit` of sorted positions that come after one, or the first ones. */
export function sortedAfter<P extends Position>(
  positions: readonly P[],
  after: P | undefined,
  compare: (one: P, other: P) => number,
  limit: number,
): P[] {
  const start = after === undefined ? 0 : positions.findIndex((one) => compare(one, after) > 0);
  return start === -1 ? [] : positions.slice(start, start + limit);
}
