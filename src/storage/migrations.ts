/** A step of the schema: numbered from 1 without gaps, applied once, never changed after release. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** A database of a later release than this one. */
export class NewerSchema extends Error {
  constructor(found: number, known: number) {
    super(
      `The database has schema version ${found}, but this release knows only ${known}: ` +
        'start it with the release that made it, or a later one.',
    );
  }
}

/** The steps that a database at `version` still needs. Throws `NewerSchema`. */
export function pendingMigrations(
  migrations: readonly Migration[],
  version: number,
): readonly Migration[] {
  const known = migrations.at(-1)?.version ?? 0;
  if (version > known) throw new NewerSchema(version, known);
  return migrations.filter((migration) => migration.version > version);
}
