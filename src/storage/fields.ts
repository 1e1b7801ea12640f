/**
 * The fields of records in the columns of their tables. A field `createdAt` is in the column
 * `created_at`; both engines read integers as `bigint`.
 */
/** The value of a parameter. Numbers must be integers. */
export type Value = string | number | bigint | Uint8Array | null;

/** Makes a field of the value in a column. */
type Reader = (cell: never) => unknown;

/** Reads a value as it is. The type is what the table holds. */
export const plain =
  <T extends string | bigint | null>() =>
  (cell: T) =>
    cell;

export const number = (cell: bigint) => Number(cell);
export const numberOrNull = (cell: bigint | null) => (cell === null ? null : Number(cell));
export const json = <T>(cell: string): T => JSON.parse(cell);

/**
 * Describes records: `columns` selects the fields, and `of` reads them from a row. `stored` has the
 * columns, or expressions, of fields that are stored under another name.
 */
export function fieldsOf<Readers extends Readonly<Record<string, Reader>>>(
  readers: Readers,
  stored: { readonly [Field in keyof Readers]?: string } = {},
) {
  type Result = { readonly [Field in keyof Readers]: ReturnType<Readers[Field]> };
  const all = Object.entries(readers).map(([field, read]) => ({
    field,
    column: columnOf(field),
    // What the statement selects is of the type that the reader takes.
    read: read as (cell: unknown) => unknown,
  }));
  return {
    columns: all
      .map(({ field, column }) => (stored[field] ? `${stored[field]} AS ${column}` : column))
      .join(', '),
    of(row: object): Result {
      const cells = row as Readonly<Record<string, unknown>>;
      const fields: Record<string, unknown> = {};
      for (const { field, column, read } of all) fields[field] = read(cells[column]);
      return fields as Result;
    },
  };
}

/** A list of parameters, one for each column of a list such as `id, name`. */
export function parameters(columns: string): string {
  return columns
    .split(', ')
    .map((_, n) => `$${n + 1}`)
    .join(', ');
}

/** Assigns a parameter to each column, the first of them `$first`. */
export function assignments(columns: string, first = 1): string {
  const assigned = columns.split(', ').map((column, n) => `${column} = $${first + n}`);
  return assigned.join(', ');
}

/** The values of some columns (`name, created_at`) in their order, each from the field of a record. */
export function valuesOf(columns: string, record: object): Value[] {
  const cells = cellsOf(record as Readonly<Record<string, Value>>);
  return columns.split(', ').map((column) => {
    const value = cells[column];
    if (value === undefined) throw new Error(`there is no value for the column ${column}`);
    return value;
  });
}

/** The fields of a record by column. */
export function cellsOf<Cell>(record: Readonly<Record<string, Cell>>): Record<string, Cell> {
  const cells = Object.entries(record).map(([field, value]) => [columnOf(field), value] as const);
  return Object.fromEntries(cells);
}

const columns = new Map<string, string>();

function columnOf(field: string): string {
  const known = columns.get(field);
  if (known !== undefined) return known;
  const column = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  columns.set(field, column);
  return column;
}
