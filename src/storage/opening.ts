import type { Environment } from '../domain/deployment.ts';

/**
 * What an opening may do to a database:
 * - `create` makes one where there is none, and migrates one of an earlier release;
 * - `change` migrates, but refuses to create;
 * - `read` does neither: it refuses a database that is missing or of an earlier release.
 */
export type Access = 'create' | 'change' | 'read';

/** What an opening asks for. */
export interface Opening {
  /** Without it, `create`. */
  readonly access?: Access;
  /** Opens a sealed database too. It is not migrated: its triggers would refuse that. */
  readonly sealed?: boolean;
  /**
   * Is told when the disk is full. With it a database of this release is opened all the same: reads
   * are answered, and writes as soon as there is space. On SQLite nobody else can open the file then.
   */
  readonly diskFull?: (() => void) | undefined;
  /**
   * For a server that counts requests by itself: it takes a place among those of the database, and
   * is told when another one has a place. On SQLite alone; PostgreSQL is made for many.
   */
  readonly alsoServed?: (() => void) | undefined;
  /** Is told when a new, empty database was made. */
  readonly created?: (() => void) | undefined;
}

/** Says that a database is used for a deployment that it does not belong to, and what to do. */
export function deploymentProblem(
  shown: string,
  found: Environment,
  configured: Environment,
): string {
  return (
    `${shown} belongs to the ${found} deployment: ` +
    `say --environment ${found}, or choose another database for ${configured}.`
  );
}

/** Says that a database which is only to be read must be migrated first, and what to do. */
export function olderSchemaProblem(shown: string, found: number, known: number): string {
  return (
    `${shown} has schema version ${found}, of an earlier release; this one reads version ${known}. ` +
    'Nothing was changed. Use the earlier release, also for a backup to go back with; ' +
    '`petstore migrate` brings the database up to date, and then only this release can use it.'
  );
}

/** How the opening for a server tells what it notices; `countsAlone` for limits in memory. */
export function servingNotices(
  warn: (message: string) => void,
  countsAlone: boolean,
): Pick<Opening, 'diskFull' | 'alsoServed'> {
  const diskFull = () =>
    warn(
      'the disk is full: reads are served, and writes get 503 until there is space; commands cannot ' +
        'open the database until the service is restarted with space on the disk',
    );
  const alsoServed = () =>
    warn(
      'another server uses this database, and each counts limits by itself, so a key may send twice ' +
        'what its plan allows: stop one of them, or give both the same PETSTORE_LIMITS=redis://HOST:PORT',
    );
  return countsAlone ? { diskFull, alsoServed } : { diskFull };
}
