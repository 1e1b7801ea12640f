/**
 * Statements that are written once for both engines.
 *
 * The parts of the storage that differ between the engines only in dialect are in `records/`. Each
 * names its statements, and the work that it does with them:
 *
 *     const FIND = query(keyOf, sql`SELECT … FROM api_keys WHERE id = $1 ${forUpdate}`);
 *     const END = sql`UPDATE api_keys SET expires_at = $1 WHERE id = $2`;
 *
 *     function* end(id: bigint, at: number): Work<ApiKey | undefined> {
 *       const key = yield* one(FIND, id);
 *       if (key !== undefined) yield* run(END, at, id);
 *       return key;
 *     }
 *
 *     export const createEnds = ({ read, write }: Transactions) => ({
 *       find: (id) => read(() => one(FIND, id)),
 *       end: (id, at) => write(() => end(id, at)),
 *     });
 *
 * On SQLite the work runs to its end at once (`sqlite/transactions.ts`). On PostgreSQL each statement
 * is awaited (`postgres/transactions.ts`). Either may run it twice, the first time undone, so it must
 * have no effect outside the database.
 */
import { type Page, type PageRequest, pageOf } from '../domain/page.ts';
import { cellsOf, type Value } from './fields.ts';

/** A text in the dialect of each engine. */
export interface Sql {
  readonly sqlite: string;
  readonly postgres: string;
}

/**
 * Writes a text for both engines. Its parameters are `$1`, `$2` and so on. What only one engine has,
 * or calls otherwise, is one of the parts below.
 */
export function sql(
  texts: TemplateStringsArray,
  ...parts: (string | number | bigint | Sql)[]
): Sql {
  const inDialect = (engine: keyof Sql) =>
    String.raw({ raw: texts }, ...parts.map((part) => textOf(part, engine)));
  return { sqlite: forSqlite(inDialect('sqlite')), postgres: inDialect('postgres') };
}

function textOf(part: string | number | bigint | Sql, engine: keyof Sql): string {
  return typeof part === 'object' ? part[engine] : String(part);
}

/**
 * SQLite plans a statement again at each run if its plan may depend on the value of a parameter: a
 * limit, or what a column equals. In an expression such as `+?1` it does not look at the value, and
 * many statements take a tenth of the time.
 */
function forSqlite(text: string): string {
  return text.replace(/(=|LIMIT|OFFSET) \$(?=\d)/g, '$1 +$').replace(/\$(?=\d)/g, '?');
}

/**
 * A part, or a whole statement, that only PostgreSQL needs, such as a lock: on SQLite one transaction
 * writes at a time.
 */
export function onPostgres(postgres: string): Sql {
  return { sqlite: '', postgres };
}

/** Locks the rows that are read until the transaction ends. */
export const forUpdate = onPostgres('FOR UPDATE');

/** The function that returns the greatest of several values, none of them NULL. */
export const greatest: Sql = { sqlite: 'max', postgres: 'greatest' };

/** The values of a row by column. */
export type Cells = Readonly<Record<string, Value>>;

/**
 * A table `given` with columns such as `id bigint, name text`, for a statement that writes many rows
 * (`runForRows`). PostgreSQL runs it once for all of them. SQLite runs it once for each, with the
 * columns as parameters `$id` and `$name`, which costs no more.
 */
export function given(columns: string): Sql {
  return {
    sqlite: `(SELECT ${namesOf(columns)
      .map((name) => `$${name} AS ${name}`)
      .join(', ')}) AS given`,
    // Declared as text, because Bun would encode a parameter of type json once more.
    postgres: `json_to_recordset(CAST(CAST($1 AS text) AS json)) AS given (${columns})`,
  };
}

/** The same rows as the source of an INSERT, in an order in which writers at once cannot deadlock. */
export function givenInOrder(columns: string, order: string): Sql {
  const names = namesOf(columns);
  return {
    sqlite: `VALUES (${names.map((name) => `$${name}`).join(', ')})`,
    postgres: `SELECT ${names.join(', ')} FROM ${given(columns).postgres} ORDER BY ${order}`,
  };
}

function namesOf(columns: string): string[] {
  return columns.split(', ').map((column) => column.replace(/ .*/, ''));
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

/** The condition that an integer is in the list of a parameter from `integerList`. */
export function isIn(parameter: string): Sql {
  return {
    sqlite: `IN (SELECT value FROM json_each(${parameter}))`,
    postgres: `= ANY (CAST(translate(${parameter}, '[]', '{}') AS bigint[]))`,
  };
}

/** The condition that a text is in the list of a parameter, which is a JSON array. */
export function isTextIn(parameter: string): Sql {
  return {
    sqlite: `IN (SELECT value FROM json_each(${parameter}))`,
    postgres: `IN (SELECT json_array_elements_text(CAST(CAST(${parameter} AS text) AS json)))`,
  };
}

/** The value of a parameter for `isIn`. */
export function integerList(values: Iterable<bigint>): string {
  return `[${[...values].join(',')}]`;
}

/** A statement that returns rows, and what each row means. */
export interface Query<Result> {
  readonly sql: Sql;
  /** The statement selects the columns that this reads. */
  resultOf(row: unknown): Result;
}

/** Makes a query. `resultOf` names the columns of its rows; both engines read integers as `bigint`. */
export function query<Row, Result>(resultOf: (row: Row) => Result, sql: Sql): Query<Result> {
  return { sql, resultOf } as Query<Result>;
}

/** A statement with its values: some work by itself or, after `yield*`, a part of it. */
export class Step<Result> {
  readonly sql: Sql;
  /** The values of the parameters, or the rows of `given`. */
  readonly values: readonly Value[] | { readonly rows: readonly Cells[] };
  /** Makes the result from the rows read; without it the result is the number of rows written. */
  readonly read: ((rows: readonly unknown[]) => Result) | undefined;

  constructor(sql: Sql, values: Step<Result>['values'], read?: Step<Result>['read']) {
    this.sql = sql;
    this.values = values;
    this.read = read;
  }

  *[Symbol.iterator](): Generator<Step<unknown>, Result, unknown> {
    // Whoever runs the work answers each step with its result.
    return (yield this) as Result;
  }
}

/** A part of some work in the form of one engine, which gets what that engine runs statements on. */
export class EngineStep<Result> {
  readonly work: (session: unknown) => Result | Promise<Result>;

  constructor(work: EngineStep<Result>['work']) {
    this.work = work;
  }

  *[Symbol.iterator](): Generator<EngineStep<unknown>, Result, unknown> {
    return (yield this) as Result;
  }
}

/** Work in one transaction: a single step, or a generator of several. */
export type Work<Result> =
  | Step<Result>
  | EngineStep<Result>
  | Generator<Step<unknown> | EngineStep<unknown>, Result, unknown>;

/** Another transaction came first. Thrown by work to be undone and run again, on PostgreSQL. */
export class LostRace extends Error {}

/** Returns the results of all rows. */
export function all<Result>({ sql, resultOf }: Query<Result>, ...values: Value[]): Step<Result[]> {
  return new Step(sql, values, (rows) => rows.map(resultOf));
}

/** Returns the result of the only row, if there is one. */
export function one<Result>(
  { sql, resultOf }: Query<Result>,
  ...values: Value[]
): Step<Result | undefined> {
  return new Step(sql, values, ([row]) => (row === undefined ? undefined : resultOf(row)));
}

/** Returns the result of the only row of a statement that always has one, such as an INSERT … RETURNING. */
export function only<Result>({ sql, resultOf }: Query<Result>, ...values: Value[]): Step<Result> {
  return new Step(sql, values, ([row]) => {
    if (row === undefined) throw new Error('a statement gave no row');
    return resultOf(row);
  });
}

/** Returns the page of a list whose rows come after an id (`$1`), with one row more than fits (`$2`). */
export function page<Result extends { readonly id: bigint }>(
  { sql, resultOf }: Query<Result>,
  { afterId, limit }: PageRequest,
): Step<Page<Result>> {
  return new Step(sql, [afterId ?? 0n, limit + 1], (rows) => pageOf(rows.map(resultOf), limit));
}

/** Runs a statement that returns nothing. */
export function run(sql: Sql, ...values: Value[]): Step<void> {
  return new Step<void>(sql, values);
}

/** Runs a statement for each row of `given`, of which none occurs twice: from fields of these records. */
export function runForRows<Row extends { readonly [Field in keyof Row]: Value }>(
  sql: Sql,
  records: readonly Row[],
): Step<void> {
  return new Step<void>(sql, { rows: records.map((record) => cellsOf<Value>({ ...record })) });
}

/** Returns the number of rows that a statement has written. */
export function changes(sql: Sql, ...values: Value[]): Step<number> {
  return new Step<number>(sql, values);
}

/** Runs work. What is written is on disk when the result is returned. */
export interface Transactions {
  /** Runs work that only reads. */
  read<Result>(work: () => Work<Result>): Promise<Result>;
  /** Runs a search: work that only reads, but takes longer. On SQLite other requests come between. */
  search<Result>(work: () => Work<Result>): Promise<Result>;
  /** Runs work in a transaction. */
  write<Result>(work: () => Work<Result>): Promise<Result>;
}

/** Rows in one transaction of maintenance: a few milliseconds, during which requests wait. */
const ROWS_AT_ONCE = 500;

/** Writes rows in several transactions, for rows that need not be written together. */
export async function writeInSlices<Row>(
  { write }: Transactions,
  rows: readonly Row[],
  work: (slice: readonly Row[]) => Work<unknown>,
): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    await write(() => work(rows.slice(from, from + ROWS_AT_ONCE)));
  }
}
