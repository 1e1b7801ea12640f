import { type Database, SQLiteError, type SQLQueryBindings } from 'bun:sqlite';
import type { Environment } from '../../domain/deployment.ts';
import { CommitInDoubt, type Shop } from '../shop.ts';
import {
  type Cell,
  columnList,
  keyOfRow,
  pageStatement,
  type Row,
  TABLES,
  type Table,
} from '../tables.ts';
import { isBusy } from './connection.ts';
import { forgetNames } from './name-index.ts';
import { findSeal, seal, unseal } from './seal.ts';

/** How long a hold waits for a writer, before whoever asked may think again. */
const HOLD_MS = 1_000;

/** A shop in SQLite, on a connection that it closes. */
export function createSqliteShop(database: Database, name: string, environment: Environment): Shop {
  function beginHold(): boolean {
    database.run(`PRAGMA busy_timeout = ${HOLD_MS}`);
    try {
      database.run('BEGIN IMMEDIATE');
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
  }

  function commit(): void {
    try {
      database.run('COMMIT');
    } catch (error) {
      // What the disk refused to confirm may be found there after all when it is read again.
      const isInDoubt = error instanceof SQLiteError && /^SQLITE_IOERR/.test(error.code ?? '');
      throw isInDoubt ? new CommitInDoubt(error.message) : error;
    }
  }

  function rollBack(): void {
    try {
      if (database.inTransaction) database.run('ROLLBACK');
    } catch {
      // Closing the connection undoes it too.
    }
  }

  return {
    name,
    environment,
    beginSnapshot() {
      database.run('BEGIN');
      // The first reading fixes the state.
      database.query('SELECT environment FROM deployment').get();
    },
    beginHold,
    commit,
    rollBack,
    findSeal: () => findSeal(database),
    seal: (mark) => seal(database, mark),
    unseal: () => unseal(database),
    close() {
      rollBack();
      database.close();
    },
    ...rowsIn(database),
  };
}

/** How the rows of a shop are read and written. */
function rowsIn(
  database: Database,
): Pick<Shop, 'count' | 'page' | 'insert' | 'clear' | 'lastId' | 'setLastId'> {
  const { lastId, setLastId } = idsIn(database);

  function page(table: Table, after: Row | undefined, limit: number): Row[] {
    const sql = pageStatement(table, after === undefined, () => '?');
    const key = after === undefined ? [] : keyOfRow(table, after);
    // Every column is an integer or a text, and integers come back as `bigint`.
    return database.query<unknown, SQLQueryBindings[]>(sql).values(...key, limit) as Cell[][];
  }

  function insert(table: Table, rows: readonly Row[]): void {
    const places = Object.keys(table.columns).map(() => '?');
    const statement = database.query<null, Cell[]>(
      `INSERT INTO ${table.name} (${columnList(table)}) VALUES (${places.join(', ')})`,
    );
    for (const row of rows) statement.run(...row);
  }

  return {
    count: (table) =>
      Number(
        database.query<{ n: bigint }, []>(`SELECT count(*) AS n FROM ${table.name}`).get()?.n ?? 0n,
      ),
    page,
    insert,
    clear: () => clear(database),
    lastId,
    setLastId,
  };
}

/** How the ids that were given are known, and set. */
function idsIn(database: Database) {
  const counter = database.query<{ seq: bigint }, [string]>(
    'SELECT seq FROM sqlite_sequence WHERE name = ?',
  );
  return {
    lastId: (table: Table) => counter.get(table.name)?.seq ?? 0n,
    setLastId(table: Table, id: bigint): void {
      database.query('DELETE FROM sqlite_sequence WHERE name = ?').run(table.name);
      database.query('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(table.name, id);
    },
  };
}

/** Makes every table anew: to remove rows, SQLite would look at the triggers and references of each. */
function clear(database: Database): void {
  const { lastId, setLastId } = idsIn(database);
  const made = TABLES.map((table) => ({
    table,
    last: lastId(table),
    statements: statementsFor(database, table),
  }));
  forgetNames(database);
  // What nothing refers to any more goes without a look at its rows.
  for (const { table } of made.toReversed()) database.run(`DROP TABLE ${table.name}`);
  for (const { table, last, statements } of made) {
    for (const sql of statements) database.run(sql);
    if (last > 0n) setLastId(table, last);
  }
}

/** The statements that made a table, its indexes and its triggers. */
function statementsFor(database: Database, { name }: Table): string[] {
  const parts = database.query<{ sql: string }, [string]>(
    `SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL
     ORDER BY type <> 'table', rowid`,
  );
  return parts.all(name).map(({ sql }) => sql);
}
