import type { Database } from 'bun:sqlite';
import type { Table } from '../tables.ts';
import { forgetNames } from './name-index.ts';

/** How the ids that were given are known, and set. */
export function idsIn(database: Database) {
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

/**
 * Empties tables inside a transaction; ids that were given stay given. The tables are dropped and
 * created again, since DELETE would run the triggers and follow the references of every row. Tables
 * come after those that they refer to. A seal is not asked.
 */
export function clearTables(database: Database, tables: readonly Table[]): void {
  const { lastId, setLastId } = idsIn(database);
  const made = tables.map((table) => ({
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
