import type { Database } from 'bun:sqlite';
import { FENCE_TABLE, type Fence, literal, writeRefusal } from '../fence.ts';
import { COPIED, NOT_COPIED } from '../tables.ts';

const EVENTS = ['INSERT', 'UPDATE', 'DELETE'] as const;

/** The triggers that refuse writes. */
const TRIGGERS = [...COPIED, ...NOT_COPIED].flatMap((name) =>
  EVENTS.map((event) => ({ name: `fenced_${name}_${event.toLowerCase()}`, table: name, event })),
);

/** Returns the fence of a database, if it has one. */
export function findFence(database: Database): Fence | undefined {
  const tables = database.query(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`);
  if (tables.get(FENCE_TABLE) === null) return undefined;
  const row = database
    .query<Omit<Fence, 'at'> & { at: bigint | number }, []>(
      `SELECT role, other, at, id FROM ${FENCE_TABLE}`,
    )
    .get();
  return row === null ? undefined : { ...row, at: Number(row.at) };
}

/**
 * Fences a database inside a transaction. Every connection prepares its statements again after a
 * change of the schema, so the triggers also bind processes that have the database open already.
 */
export function fence(database: Database, mark: Fence): void {
  database.run(
    `CREATE TABLE ${FENCE_TABLE} (role TEXT NOT NULL, other TEXT NOT NULL, at INTEGER NOT NULL,
       id TEXT NOT NULL) STRICT`,
  );
  database
    .query(`INSERT INTO ${FENCE_TABLE} (role, other, at, id) VALUES (?, ?, ?, ?)`)
    .run(mark.role, mark.other, mark.at, mark.id);
  const refusal = literal(writeRefusal(mark));
  for (const { name, table, event } of TRIGGERS) {
    database.run(
      `CREATE TRIGGER ${name} BEFORE ${event} ON ${table}
       BEGIN SELECT RAISE(ABORT, ${refusal}); END`,
    );
  }
}

/** Lifts the fence inside a transaction. */
export function liftFence(database: Database): void {
  // A fence of an earlier release has triggers only on the tables of its time.
  for (const { name } of TRIGGERS) database.run(`DROP TRIGGER IF EXISTS ${name}`);
  database.run(`DROP TABLE ${FENCE_TABLE}`);
}
