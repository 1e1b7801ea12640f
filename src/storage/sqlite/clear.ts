import type { Database } from 'bun:sqlite';
import type { Table } from '../tables.ts';
import { forgetNames } from './name-index.ts';
import { forgetPetCounts } from './stats.ts';

/** A table, by its name. */
type Named = Pick<Table, 'name'>;

/** Reads and sets the highest assigned ids. */
export function idsIn(database: Database) {
  const counter = database.query<{ seq: bigint }, [string]>(
    'SELECT seq FROM sqlite_sequence WHERE name = ?',
  );
  return {
    lastId: (table: Named) => counter.get(table.name)?.seq ?? 0n,
    setLastId(table: Named, id: bigint): void {
      database.query('DELETE FROM sqlite_sequence WHERE name = ?').run(table.name);
      database.query('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(table.name, id);
    },
  };
}

/**
 * Empties tables inside a transaction; ids already assigned are not reused. The tables are dropped
 * and created again, because DELETE would run the triggers and follow the references of every row.
 * `tables` lists each after those that it refers to. A fence does not prevent it.
 */
export function clearTables(database: Database, tables: readonly Named[]): void {
  const { lastId, setLastId } = idsIn(database);
  const made = tables.map((table) => ({
    table,
    last: lastId(table),
    statements: statementsFor(database, table),
  }));
  forgetNames(database);
  forgetPetCounts(database);
  // A table that nothing refers to is dropped without a look at its rows.
  for (const { table } of made.toReversed()) database.run(`DROP TABLE ${table.name}`);
  for (const { table, last, statements } of made) {
    for (const sql of statements) database.run(sql);
    if (last > 0n) setLastId(table, last);
  }
}

/** Returns the statements that create a table, its indexes and its triggers. */
function statementsFor(database: Database, { name }: Named): string[] {
  const parts = database.query<{ sql: string }, [string]>(
    `SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL
     ORDER BY type <> 'table', rowid`,
  );
  return parts.all(name).map(({ sql }) => sql);
}
