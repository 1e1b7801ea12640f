import type { Session } from './connection.ts';
import { ALL_TABLES } from './fence.ts';

const RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

/** Returns the rights that this user lacks on the tables of the service that exist: `INSERT on pets`. */
export async function missingRights(session: Session): Promise<readonly string[]> {
  const rows = await session.query<{ missing: string }>(
    `SELECT kind || ' on ' || name AS missing
     FROM unnest(CAST($1 AS text[])) AS name CROSS JOIN unnest(CAST($2 AS text[])) AS kind
     WHERE NOT has_table_privilege(to_regclass(name), kind) ORDER BY 1`,
    `{${['deployment', ...ALL_TABLES].join()}}`,
    `{${RIGHTS.join()}}`,
  );
  return rows.map(({ missing }) => missing);
}
