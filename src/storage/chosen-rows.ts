import { onPostgres, type Sql, type Statement, sql } from './statements.ts';

/** Leaves rows to another process that has locked them. */
export const skipLocked = onPostgres('FOR UPDATE SKIP LOCKED');

/**
 * The condition that a row is one of these, chosen once. PostgreSQL may run the query of an `IN` again for each row: with
 * a limit it would then choose other rows, since the first ones are gone.
 */
export function isChosen(rows: Sql): Statement {
  return sql`IN (WITH chosen AS MATERIALIZED (${rows}) SELECT * FROM chosen)`;
}
