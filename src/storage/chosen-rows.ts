import { onPostgres, type Sql, type Statement, sql } from './statements.ts';

/** Leaves rows to another process that has locked them. */
export const skipLocked = onPostgres('FOR UPDATE SKIP LOCKED');

/**
 * The condition that a row is one of these, which are chosen once. PostgreSQL may run a query behind `IN` again for each
 * row that it looks at: one with a limit then chooses others, since the first ones are gone.
 */
export function isChosen(rows: Sql): Statement {
  return sql`IN (WITH chosen AS MATERIALIZED (${rows}) SELECT * FROM chosen)`;
}
