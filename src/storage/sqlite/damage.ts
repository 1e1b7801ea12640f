import { Database } from 'bun:sqlite';
import { MISSING_FILES, missingFiles, missingParts } from '../damage.ts';
import { migrations } from './migrations.ts';
import { NEWEST, schemaVersion } from './schema.ts';

/** The most faults reported for each part. */
const FAULTS_MAX = 3;

/**
 * Finds damaged pages, indexes and references. A statement blocks the event loop, so the check is done in pieces:
 * `proceed` is awaited before each, and may throw to stop.
 */
export async function findFaults(
  database: Database,
  proceed: () => Promise<void> = async () => {},
): Promise<string[]> {
  const tables = database.query<{ name: string }, []>(
    "SELECT name FROM sqlite_schema WHERE type = 'table'",
  );
  // The check of the schema is also one of the free pages. That of everything skips them where a virtual table is
  // the last of the schema, as after VACUUM.
  const checks = ['sqlite_schema', ...tables.all().map(({ name }) => name)].map(
    (name) => `'${name}'`,
  );
  for (const name of checks) {
    await proceed();
    const faults = [
      ...faultsOf(database, `integrity_check(${name})`),
      ...referencesLost(database, `foreign_key_check(${name})`),
    ];
    if (faults.length > 0) return faults;
  }
  await proceed();
  // Pages that belong to no table.
  return faultsOf(database, `quick_check(${FAULTS_MAX})`);
}

/** Finds the same, and what is missing although all pages are whole: files of photos, indexes and triggers. */
export async function findDamage(
  database: Database,
  proceed?: () => Promise<void>,
): Promise<string[]> {
  const faults = await findFaults(database, proceed);
  if (faults.length > 0 || Number(schemaVersion(database).version) !== NEWEST) return faults;
  using made = new Database(':memory:');
  for (const { sql } of migrations) made.run(sql);
  return [
    ...missingParts(partsIn(made), partsIn(database)),
    ...missingFiles(database.query<{ petId: bigint }, []>(MISSING_FILES).all()),
  ];
}

function partsIn(database: Database): string[] {
  const parts = database.query<{ name: string }, []>(
    "SELECT name FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql IS NOT NULL",
  );
  return parts.all().map(({ name }) => name);
}

/** Returns the faults that an SQLite check finds; its only column is named after the check. */
function faultsOf(database: Database, check: string): string[] {
  const lines = database
    .query<Record<string, string>, []>(`PRAGMA ${check}`)
    .all()
    // SQLite may put a heading between asterisks before the first fault.
    .flatMap((row) => Object.values(row).flatMap((text) => text.split('\n')))
    .filter((fault) => fault !== 'ok' && !fault.startsWith('***'));
  return [...new Set(lines)].slice(0, FAULTS_MAX);
}

function referencesLost(database: Database, check: string): string[] {
  const lost = database.query(`PRAGMA ${check}`).all();
  return lost.length === 0 ? [] : [`${lost.length} rows refer to rows that are not there`];
}
