import type { Database } from 'bun:sqlite';

/** Reads and sets the highest assigned ids. */
export function idsIn(database: Database) {
  const counter = database.query<{ seq: bigint }, [string]>(
    'SELECT seq FROM sqlite_sequence WHERE name = ?',
  );
  return {
    lastId: (table: string) => counter.get(table)?.seq ?? 0n,
    setLastId(table: string, id: bigint): void {
      database.query('DELETE FROM sqlite_sequence WHERE name = ?').run(table);
      database.query('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(table, id);
    },
  };
}

/**
 * Empties tables inside a transaction; ids already assigned are not reused. The tables are dropped
 * and created again, because DELETE would run the triggers and follow the references of every row.
 * `tables` lists each after those that it refers to. A fence does not prevent it.
 */
export function clearTables(database: Database, tables: readonly string[]): void {
  const { lastId, setLastId } = idsIn(database);
  const made = tables.map((table) => ({
    table,
    last: lastId(table),
    statements: statementsFor(database, table),
  }));
  // A table that is dropped runs none of the triggers that keep these indexes.
  for (const index of ['derived_listing_words', 'derived_animal_words']) {
    database.run(`INSERT INTO ${index} (${index}) VALUES ('delete-all')`);
  }
  database.run('UPDATE derived_animal_words_state SET indexed_to = 0');
  // A table that nothing refers to is dropped without reading its rows.
  for (const { table } of made.toReversed()) database.run(`DROP TABLE ${table}`);
  for (const { table, last, statements } of made) {
    for (const sql of statements) database.run(sql);
    if (last > 0n) setLastId(table, last);
  }
}

/** Returns the statements that create a table, its indexes and its triggers. */
function statementsFor(database: Database, table: string): string[] {
  const parts = database.query<{ sql: string }, [string]>(
    `SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL
     ORDER BY type <> 'table', rowid`,
  );
  return parts.all(table).map(({ sql }) => sql);
}
