import fc from 'fast-check';
import type { Row } from '../../src/storage/tables.ts';
import { RESTORED_CHANGES_GAP } from '../../src/storage/transfer/restore.ts';

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
export const ID_MAX = 2n ** 53n - 1n;

export const int64 = fc.oneof(
  fc.constantFrom(INT64_MIN, INT64_MAX, 0n),
  fc.bigInt(INT64_MIN, INT64_MAX),
);
export const id = fc.oneof(fc.constantFrom(1n, ID_MAX - 1n), fc.bigInt(1n, ID_MAX - 1n));
/** A restore adds an event far above the others. */
export const changeId = fc.bigInt(1n, ID_MAX - 2n * RESTORED_CHANGES_GAP);
/** Any text of Unicode, without the NUL that PostgreSQL does not keep. */
export const anyText = fc
  .oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', "'", '\\', '{"a":null}', '🐈‍⬛', 'n;t1:'),
  )
  .map((text) => text.replaceAll('\0', ''));
export const name = anyText.map((text) => `${text}.`);
export const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
export const petStatus = fc.constantFrom('available', 'pending', 'sold');

export function rows(ids: fc.Arbitrary<bigint>, ...cells: fc.Arbitrary<Row[number]>[]) {
  return fc
    .uniqueArray(fc.tuple(ids, ...cells), { selector: ([first]) => first, maxLength: 12 })
    .map((list) => list.sort(([a], [b]) => (a < b ? -1 : 1)) as Row[]);
}

/** Several of an id, with numbers. */
export function numberedRows(ids: fc.Arbitrary<bigint>, ...cells: fc.Arbitrary<Row[number]>[]) {
  const numbers = fc.oneof(fc.constantFrom(2n, 3n, INT64_MAX), fc.bigInt(2n, INT64_MAX));
  return fc
    .uniqueArray(fc.tuple(ids, numbers, ...cells), {
      selector: ([id, number]) => `${id} ${number}`,
      maxLength: 12,
    })
    .map((list) => list.sort(([a, m], [b, n]) => (a < b || (a === b && m < n) ? -1 : 1)) as Row[]);
}

/** Makes the column with this place unique by its row. */
export function unique(list: readonly Row[], column: number): Row[] {
  return list.map((row, n) =>
    row.with(column, row[column] === null ? null : `${row[column]}#${n}`),
  );
}

/** Rows that refer to rows of another table. */
export function of(
  list: readonly Row[],
  rowsOf: (ids: fc.Arbitrary<bigint>) => fc.Arbitrary<Row[]>,
): fc.Arbitrary<Row[]> {
  return list.length === 0
    ? fc.constant([])
    : rowsOf(fc.constantFrom(...list.map(([first]) => first as bigint)));
}
