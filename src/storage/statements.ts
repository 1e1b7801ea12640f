/**
 * Statements that are written once for both engines.
 *
 * The parts of the storage that differ between the engines only in dialect are in `records/`. Each
 * names its statements, and the work that it does with them:
 *
 *     const FIND = sql`SELECT … FROM api_keys WHERE id = $1 ${forUpdate}`.as(KEY);
 *     const END = sql`UPDATE api_keys SET expires_at = $1 WHERE id = $2`;
 *
 *     function* end(id: bigint, at: number): Work<ApiKey | undefined> {
 *       const key = yield* FIND.one(id);
 *       if (key !== undefined) yield* END.run(at, id);
 *       return key;
 *     }
 *
 *     const { reads, writes } = methodsOf<KeyStorage>(transactions);
 *     return { ...reads({ find: (id) => FIND.one(id) }), ...writes({ end }) };
 *
 * On SQLite the work runs to its end at once (`sqlite/transactions.ts`). On PostgreSQL each statement is awaited
 * (`postgres/transactions.ts`). Either may run it twice, the first time undone, so it has no other effect.
 */
import { cellsOf, type Value } from './fields.ts';

/** A text in the dialect of each engine. */
export interface Sql {
  readonly sqlite: string;
  readonly postgres: string;
}

/**
 * Writes a text for both engines. Its parameters are `$1`, `$2` and so on. What the engines write differently is one of
 * the parts below.
 */
export function sql(
  texts: TemplateStringsArray,
  ...parts: (string | number | bigint | Sql)[]
): Statement {
  const inDialect = (engine: keyof Sql) =>
    String.raw({ raw: texts }, ...parts.map((part) => textOf(part, engine)));
  return new Statement({ sqlite: forSqlite(inDialect('sqlite')), postgres: inDialect('postgres') });
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
export function onPostgres(postgres: string): Statement {
  return new Statement({ sqlite: '', postgres });
}

/** Locks the rows that are read until the transaction ends. */
export const forUpdate = onPostgres('FOR UPDATE');

/** The function that returns the greatest of several values, none of them NULL. */
export const greatest: Sql = { sqlite: 'max', postgres: 'greatest' };

/** The values of a row by column. */
export type Cells = Readonly<Record<string, Value>>;

/**
 * A table `given` with columns such as `id bigint, name text`, for a statement that writes many rows
 * (`forRows`). PostgreSQL runs it once for all of them. SQLite runs it once for each, with the
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

/** The same rows, for an UPDATE: those of a table are locked in the order of their key, so that writers at once cannot deadlock. */
export function givenLocked(columns: string, table: string): Sql {
  const [key = ''] = namesOf(columns);
  return {
    sqlite: given(columns).sqlite,
    postgres: `(SELECT given.* FROM ${given(columns).postgres} JOIN ${table} USING (${key})
      ORDER BY ${key} FOR UPDATE OF ${table}) AS given`,
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

/** A whole statement, or a part of one. */
export class Statement implements Sql {
  readonly sqlite: string;
  readonly postgres: string;

  constructor({ sqlite, postgres }: Sql) {
    this.sqlite = sqlite;
    this.postgres = postgres;
  }

  /**
   * Makes a query of what each row means: by default the row itself. `reader` names its columns; both engines read
   * integers as `bigint`.
   */
  as<Row>(): Query<Row>;
  as<Row, Result>(reader: RowReader<Row, Result>): Query<Result>;
  as(reader: RowReader<unknown, unknown> = (row: unknown) => row): Query<unknown> {
    return new Query(this, typeof reader === 'function' ? reader : reader.of);
  }

  /** Makes a query of one column, such as a count, and what it means: by default the value itself. */
  value<Cell>(): Query<Cell>;
  value<Cell, Result>(read: (cell: Cell) => Result): Query<Result>;
  value(read = (cell: unknown) => cell): Query<unknown> {
    return new Query(this, (row) => read(Object.values(row as object)[0]));
  }

  /** Runs it. */
  run(...values: Value[]): Step<void> {
    return new Step<void>(this, values);
  }

  /** Runs it, and returns the number of rows that it has written. */
  changes(...values: Value[]): Step<number> {
    return new Step<number>(this, values);
  }

  /** Runs it for each row of `given`, of which none occurs twice: from fields of these records. */
  forRows<Row extends { readonly [Field in keyof Row]: Value }>(
    records: readonly Row[],
  ): Step<void> {
    return new Step<void>(this, { rows: records.map((record) => cellsOf<Value>({ ...record })) });
  }
}

/** What reads a row, such as `fieldsOf`. */
type RowReader<Row, Result> = ((row: Row) => Result) | { of(row: Row): Result };

/** A statement that returns rows, and what each row means. */
export class Query<Result> {
  readonly sql: Sql;
  /** The statement selects the columns that this reads. */
  readonly resultOf: (row: unknown) => Result;

  constructor(sql: Sql, resultOf: (row: unknown) => Result) {
    this.sql = sql;
    this.resultOf = resultOf;
  }

  /** Returns the results of all rows. */
  all(...values: Value[]): Step<Result[]> {
    return new Step(this.sql, values, (rows) => rows.map(this.resultOf));
  }

  /** Returns the result of the only row, if there is one. */
  one(...values: Value[]): Step<Result | undefined> {
    return new Step(this.sql, values, ([row]) =>
      row === undefined ? undefined : this.resultOf(row),
    );
  }

  /** Returns the result of the only row of a statement that always has one, such as an INSERT … RETURNING. */
  only(...values: Value[]): Step<Result> {
    return new Step(this.sql, values, ([row]) => {
      if (row === undefined) throw new Error('a statement gave no row');
      return this.resultOf(row);
    });
  }
}

/** Another transaction came first. Thrown by work to be undone and run again, on PostgreSQL. */
export class LostRace extends Error {}

/** Runs work. What is written is on disk when the result is returned. */
export interface Transactions {
  /** Runs work that only reads. */
  read<Result>(work: () => Work<Result>): Promise<Result>;
  /** Runs a search: work that only reads, but takes longer. On SQLite other requests come between. */
  search<Result>(work: () => Work<Result>): Promise<Result>;
  /** Runs work in a transaction. */
  write<Result>(work: () => Work<Result>): Promise<Result>;
}

/** The methods of a part of the storage, each as the work of one transaction. */
type Works<Storage> = {
  readonly [Name in keyof Storage]: Storage[Name] extends (
    ...given: infer Given
  ) => Promise<infer Result>
    ? (...given: Given) => Work<Result>
    : never;
};

/** Makes methods of a part of the storage, each of which does its work in one transaction. */
export function methodsOf<Storage>({ read, search, write }: Transactions) {
  const through =
    (transaction: Transactions['read']) =>
    <Name extends keyof Storage>(works: Pick<Works<Storage>, Name>) => {
      const methods = Object.entries<(...given: unknown[]) => Work<unknown>>(works as never).map(
        ([name, work]) => [name, (...given: unknown[]) => transaction(() => work(...given))],
      );
      return Object.fromEntries(methods) as Pick<Storage, Name>;
    };
  return { reads: through(read), searches: through(search), writes: through(write) };
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
