import { UnusableDatabase } from './unusable.ts';

/** A step of the schema: numbered from 1 without gaps, applied once, never changed after release. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /**
   * Servers of the previous release may keep serving: the step only adds what they need not know. Their writes must not
   * omit anything that the new release relies on.
   */
  readonly shared?: true;
}

/** The schema of a database. */
export interface SchemaVersion {
  /** 0 for an empty database. */
  readonly version: number;
  /** Releases that know at least this version may use it. */
  readonly sharedFrom: number;
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

/** The newest version that a release with these migrations knows. */
export function newestVersion(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0;
}

/**
 * The steps that a database still needs: none if it is newer, but shared with this release. Throws
 * `NewerSchema`.
 */
export function pendingMigrations(
  migrations: readonly Migration[],
  { version, sharedFrom }: SchemaVersion,
): readonly Migration[] {
  const known = newestVersion(migrations);
  if (version > known && sharedFrom > known) throw new NewerSchema(version, known);
  return migrations.filter((migration) => migration.version > version);
}

/** The columns of a database that say who may share it. */
export interface SharedSchema {
  readonly shared_version: bigint | number;
  readonly shared_from: bigint | number;
}

/** The schema at `version`. Only a release that migrated it can say that earlier ones may share it. */
export function schemaAt(version: number, shared: SharedSchema | null | undefined): SchemaVersion {
  const isSaid = shared != null && Number(shared.shared_version) === version;
  return { version, sharedFrom: isSaid ? Number(shared.shared_from) : version };
}

/** The version that releases must know once these steps are applied; undefined if that stays. */
export function sharedFromAfter(applied: readonly Migration[]): number | undefined {
  return applied.findLast(({ shared }) => shared !== true)?.version;
}

/** A server that uses a database. */
export interface ServerName {
  readonly process: number;
  readonly host: string;
  /** 0 if the system chose it. */
  readonly port: number;
}

/** Describes a server to an operator; undefined for one that does not say who it is. */
export function describeServer(server: ServerName | undefined): string {
  if (server === undefined) return 'a server that does not say who it is';
  const { process, host, port } = server;
  return `process ${process} on ${host}${port === 0 ? '' : `, port ${port}`}`;
}

/**
 * Refuses to migrate a database under servers that cannot share it afterwards. Throws
 * `UnusableDatabase`.
 */
export function refuseUnder(
  shown: string,
  servers: readonly (ServerName | undefined)[],
  pending: readonly Migration[],
): void {
  const last = sharedFromAfter(pending);
  if (last === undefined || servers.length === 0) return;
  throw new UnusableDatabase(
    `${shown} is in use by ${servers.map(describeServer).join('; ')}, of a release that cannot ` +
      `use schema version ${last}. Nothing was changed. Stop it first; or migrate with ` +
      '`petstore migrate --force`: it then refuses all requests until it is replaced.',
  );
}
