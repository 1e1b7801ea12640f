import { Database } from 'bun:sqlite';
import { parameters } from './fields.ts';
import { migrations } from './sqlite/migrations.ts';
import { type Sql, sql } from './statements.ts';

/** The type of a column, in both engines: int64, text or bytes. */
type ColumnType = 'integer' | 'text' | 'bytes';

/** A value as both engines read and write it. */
export type Cell = bigint | string | Uint8Array | null;

/** The cells of a row in the order of the columns of its table. */
export type Row = readonly Cell[];

/** A table of the database, with the same columns in both engines. */
export interface Table {
  readonly name: string;
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** The columns of its primary key: both engines sort by them in the same order. */
  readonly key: readonly string[];
  /** The database assigns the ids, each only once. */
  readonly givesIds: boolean;
}

/**
 * The tables that `move`, `backup` and `restore` copy, which excludes the one that names the deployment;
 * each comes after those that it refers to.
 */
export const COPIED = [
  'categories',
  'pets',
  'profiles',
  'listings',
  'stays',
  'animals',
  'photos',
  'removed_pets',
  'removed_photos',
  'photo_files',
  'imported_rows',
  'imports',
  'orders',
  'changes',
  'event_start',
  'api_keys',
  'people',
  'allowances',
  'usage_counts',
  'idempotent_results',
  'webhooks',
  'deliveries',
  'channels',
  'sendings',
  'shop',
  'enquiries',
  'mails',
  'alerts',
  'retention',
  'erasures',
] as const;

/**
 * Tables that a reset keeps. Files that no photo uses are removed later, because some may be in a bucket.
 */
const LASTING = [
  ...['api_keys', 'people', 'allowances', 'usage_counts', 'changes', 'webhooks', 'deliveries'],
  ...['channels', 'sendings'],
  ...['photo_files', 'shop', 'event_start', 'retention', 'erasures'],
];

/** Tables that a reset empties; each comes after those that it refers to. */
export const RESET = COPIED.filter((name) => !LASTING.includes(name));

/**
 * Tables that are not copied. Nobody is signed in to a copy, which has another address; a backup must hold neither sessions
 * that have ended since nor the senders of forms; and no process holds the lease or a task of a copy.
 */
export const NOT_COPIED = ['sessions', 'webhook_lease', 'sent_forms', 'tasks'] as const;

const IN_USE = [...COPIED, ...NOT_COPIED];

/** Reads a row of every table. */
export const READ_EACH = IN_USE.map(
  (name) => `SELECT * FROM (SELECT 1 FROM ${name} LIMIT 1) AS t`,
).join(' UNION ALL ');

/** One statement for each table that writes no row, but needs the rights and the locks of one that does. */
export const WRITE_EACH = IN_USE.map((name) => `DELETE FROM ${name} WHERE 1 = 0`);

let known: readonly Table[] | undefined;

/**
 * The tables that are copied, as the schema of SQLite has them. A test compares them with the schema of
 * PostgreSQL, so that every new column is copied too.
 */
export function copiedTables(): readonly Table[] {
  known ??= readTables();
  return known;
}

function readTables(): Table[] {
  using database = new Database(':memory:', { strict: true });
  for (const { sql } of migrations) database.run(sql);
  const columnsOf = database.query<{ name: string; type: string; pk: number }, [string]>(
    'SELECT name, type, pk FROM pragma_table_info(?)',
  );
  return COPIED.map((name) => {
    const columns = columnsOf.all(name);
    const inKey = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
    const key = inKey.map((column) => column.name);
    return {
      name,
      columns: Object.fromEntries(columns.map((column) => [column.name, typeOf(column)])),
      key,
      givesIds: key.join() === 'id',
    };
  });
}

function typeOf({ type }: { readonly type: string }): ColumnType {
  return type === 'BLOB' ? 'bytes' : type === 'TEXT' ? 'text' : 'integer';
}

/** The change log among them. */
export function changeLog(): Table {
  const found = copiedTables().find(isLog);
  if (found === undefined) throw new Error('there is no change log');
  return found;
}

export function isLog({ name }: Table): boolean {
  return name === 'changes';
}

/** Rows read and written at a time: bounds the memory. */
const BATCH_ROWS = 1_000;
/** The same for rows with bytes, each of which can have some megabytes. */
const BATCH_ROWS_WITH_BYTES = 16;

/** Returns how many rows of a table are copied at a time. */
export function batchRows({ columns }: Table): number {
  return Object.values(columns).includes('bytes') ? BATCH_ROWS_WITH_BYTES : BATCH_ROWS;
}

/** The columns of a table as an SQL list. */
export function columnList(table: Table): string {
  return Object.keys(table.columns).join(', ');
}

/** The cells of the primary key of a row. */
export function keyOfRow(table: Table, row: Row): Cell[] {
  const columns = Object.keys(table.columns);
  return table.key.map((column) => row[columns.indexOf(column)] ?? null);
}

/** The statement that reads the rows after a key; its parameters are that key, if any, and a limit. */
export function pageStatement(table: Table, fromTheStart: boolean): Sql {
  const key = table.key.join(', ');
  const after = fromTheStart ? '' : `WHERE (${key}) > (${parameters(key)})`;
  return sql`SELECT ${columnList(table)} FROM ${table.name} ${after}
    ORDER BY ${key} LIMIT $${fromTheStart ? 1 : table.key.length + 1}`;
}
