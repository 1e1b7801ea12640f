import type { Environment } from '../domain/deployment.ts';
import { describeServer, type ServerName } from './migrations.ts';
import { UnusableDatabase } from './unusable.ts';

/**
 * Connections of an instance to PostgreSQL, besides one that numbers changes and one that tracks them:
 * ten instances stay under the 100 that PostgreSQL allows.
 */
export const CONNECTIONS = 7;

/**
 * How far an opening may change a database:
 * - `create` makes one where there is none, and migrates one of an earlier release;
 * - `change` migrates, but refuses to create;
 * - `read` does neither: it refuses a database that is missing or of an earlier release.
 */
export type Access = 'create' | 'change' | 'read';

export interface Opening {
  /** `create` by default. */
  readonly access?: Access;
  /** The server that opens it, so that a migration by another process can name it. */
  readonly server?: ServerName | undefined;
  /** Migrates a database although servers use it that cannot share the new schema. */
  readonly force?: boolean;
  /** Opens a fenced database too, without migrating it: its triggers would refuse that. */
  readonly fenced?: boolean;
  /**
   * Called when the disk is full. If it is set, a database of this release is opened nevertheless:
   * reads work, and writes do as soon as there is space. On SQLite no other process can open it then.
   */
  readonly diskFull?: (() => void) | undefined;
  /** Called with the other servers that use the database; undefined for one that does not say who it is. */
  readonly alsoServed?: ((servers: readonly (ServerName | undefined)[]) => void) | undefined;
  /** Bounds each wait of a change tracker, in milliseconds. PostgreSQL only. */
  readonly trackerTimeoutMs?: number | undefined;
  /** Called when a new, empty database was created. */
  readonly created?: (() => void) | undefined;
  /** Called when a server ended without closing the database, and the write-ahead log is gone. SQLite only. */
  readonly lostLog?: (() => void) | undefined;
  /** Called when the database of an earlier release was migrated, with its schema version before and now. */
  readonly migrated?: ((from: number, to: number) => void) | undefined;
}

/** What the operator should know about an opening. */
export type OpeningNotices = Pick<Opening, 'created' | 'migrated' | 'lostLog'>;

/** What to tell the operator about a lost log. */
export const LOST_LOG =
  'the server before was killed, and its write-ahead log (the file that ends with -wal) is gone: unless another ' +
  'program has opened the database since, the last changes that it confirmed are lost; compare with the newest backup';

/** How a database is opened that is copied, or copied into. */
export type PortableOpening = OpeningNotices & Pick<Opening, 'access'>;

/** Throws `UnusableDatabase` for a database of the other deployment; an empty one has none. */
export function checkEnvironment(
  shown: string,
  found: Environment | undefined,
  configured: Environment,
): void {
  if (found === undefined || found === configured) return;
  throw new UnusableDatabase(
    `${shown} belongs to the ${found} deployment: ` +
      `say --environment ${found}, or choose another database for ${configured}.`,
  );
}

/** The message for a database that must be migrated before it can be read. */
export function olderSchemaProblem(shown: string, found: number, known: number): string {
  return (
    `${shown} has schema version ${found}, of an earlier release; this one reads version ${known}. ` +
    'Nothing was changed. Use the earlier release, also for a backup to go back with; ' +
    '`petstore migrate` brings the database up to date, and then only this release can use it.'
  );
}

/** Returns the notices of an opening that a server logs; `countsAlone` if its limits are in memory. */
export function servingNotices(
  warn: (message: string, facts?: object) => void,
  countsAlone: boolean,
): OpeningNotices & Pick<Opening, 'diskFull' | 'alsoServed'> {
  const notices: OpeningNotices = {
    created: () => warn('a new, empty database was made'),
    migrated: (from, to) => warn('the database was migrated', { from, to }),
    lostLog: () => warn(LOST_LOG),
  };
  const diskFull = () =>
    warn(
      'the disk is full: reads are served, and writes get 503 until there is space; commands cannot ' +
        'open the database until the service is restarted with space on the disk',
    );
  const alsoServed = (servers: readonly (ServerName | undefined)[]) => {
    const counting = countsAlone
      ? ', and each counts limits by itself, so a key may send twice what its plan allows: stop one of them, or give ' +
        'both the same PETSTORE_LIMITS=redis://HOST:PORT'
      : '';
    warn(
      `another server uses this database (${servers.map(describeServer).join('; ')})${counting}`,
    );
  };
  return { ...notices, diskFull, alsoServed };
}

/** Tells an opening of the servers that were found, but for the one that opens. */
export function tellOfOthers(
  { alsoServed, server }: Opening,
  found: readonly (ServerName | undefined)[],
): void {
  const own = found.findIndex(
    (each) => each?.process === server?.process && each?.port === server?.port,
  );
  const others = found.filter((_, n) => server === undefined || n !== own);
  if (others.length > 0) alsoServed?.(others);
}
