import { MISSING_FILES, missingFiles, missingParts } from '../damage.ts';
import type { Session } from './connection.ts';
import { migrations } from './migrations.ts';

const MADE =
  /^CREATE (?:UNIQUE )?INDEX (\w+)\s+ON (\w+)|^DROP (?:INDEX|TABLE) (?:IF EXISTS )?(\w+)/gm;

/** The names of the indexes that exist after all migrations. */
function indexesOfSchema(): Iterable<string> {
  const tables = new Map<string, string>();
  for (const { sql } of migrations) {
    for (const [, made = '', table = '', dropped = ''] of sql.matchAll(MADE)) {
      for (const [name, of] of tables) if (dropped === name || dropped === of) tables.delete(name);
      if (made !== '') tables.set(made, table);
    }
  }
  return tables.keys();
}

/** Finds what is missing: files of photos, and indexes that were dropped or are invalid. */
export async function findDamage(session: Session): Promise<string[]> {
  const found = await session.query<{ name: string }>(
    `SELECT CAST(relname AS text) AS name FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
     WHERE indisvalid AND relnamespace = CAST(current_schema() AS regnamespace)`,
  );
  return [
    ...missingParts(
      indexesOfSchema(),
      found.map(({ name }) => name),
    ),
    ...missingFiles(await session.query<{ petId: bigint }>(MISSING_FILES)),
  ];
}
