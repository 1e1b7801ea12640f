import type { Storage } from '../../domain/storage.ts';
import { createBatcher } from './batch.ts';
import type { Connection, Session } from './connection.ts';
import { LostRace } from './faults.ts';
import type { Pool } from './pool.ts';
import { differBy } from './snapshot.ts';

/**
 * Bounds the wait for the version, in milliseconds. Without a version the rows are read, which must
 * also fit into the 2 s within which the service promises a 503.
 */
const PATIENCE_MS = 150;

/**
 * Whether a snapshot covers everything visible: a real PostgreSQL whose tables are on this server, in
 * a storage format that follows snapshots. Compatible databases have the function too, but number
 * their changes differently.
 */
const HAS_VERSION = `SELECT version() ~ '^PostgreSQL [0-9.]+ ' AND version() !~* 'greenplum'
  AND to_regprocedure('pg_current_snapshot()') IS NOT NULL
  AND NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')
  AND NOT EXISTS (
    SELECT FROM pg_class LEFT JOIN pg_am ON pg_am.oid = relam
    WHERE relkind = 'f' OR relkind = 'r' AND amname <> 'heap'
  ) AS has_version`;

/**
 * The snapshot as text, and a name that the server process gets on the first query: a pooler in
 * between may switch to a process of another server. NULL on a read-only server: the snapshot of a
 * standby does not list everything in progress. The parameter makes it a prepared statement, which
 * the server plans only once.
 */
const MOMENT_QUERY = `SELECT
  coalesce(
    nullif(current_setting($1, true), ''),
    set_config($1, gen_random_uuid()::text, false)
  ) AS process,
  CASE WHEN current_setting('transaction_read_only') = 'off'
    THEN pg_current_snapshot()::text END AS snapshot`;

/** An id that no transaction has. */
const NO_NUMBER = 0n;
const PROCESS = 'petstore.process';

/** The result of the query. */
interface Moment {
  readonly process: string;
  readonly snapshot: string;
}

/** The version of the records in PostgreSQL. */
export interface RecordsVersion {
  read: Storage['recordsVersion'];
  /**
   * Runs a write that no cached response shows, on the connection of the version. The work returns its
   * transaction id, if it had one: the end of this transaction does not count as a change.
   */
  writeBeside(work: (session: Session) => Promise<bigint | undefined>): Promise<void>;
  /** Uses a new connection from now on: the address may lead to another server by now. */
  renew(): void;
}

/** Returns false for a server that does not understand the query. */
async function servesVersions(connection: Connection): Promise<boolean> {
  const found = await connection.query<{ has_version: boolean }>(HAS_VERSION).catch(() => []);
  return found[0]?.has_version === true;
}

/**
 * Numbers successive snapshots on the only connection of `pool`. One query is under way at a time
 * while the next batch waits: a query serves only callers that came before it was sent.
 * docs/decisions/0014-response-cache-on-postgres.md says why a snapshot is a version.
 */
export function createRecordsVersion(pool: Pool): RecordsVersion {
  let version = 0;
  let last: Moment | undefined;
  let trusted: Connection | undefined;
  let hasVersion = false;
  let isRenewed = false;

  async function ask(connection: Connection): Promise<number | undefined> {
    if (connection !== trusted) {
      // The last snapshot may be of another server, or of this one before a crash.
      last = undefined;
      isRenewed = false;
      hasVersion = await servesVersions(connection);
      trusted = connection;
    } else if (isRenewed) {
      connection.end();
      throw new LostRace();
    }
    if (!hasVersion) return undefined;
    const now = await momentOf(connection);
    if (now === undefined) return undefined;
    if (now.snapshot !== last?.snapshot || now.process !== last.process) version++;
    last = now;
    return version;
  }

  /** Undefined if there is no version: then the rows are read, and report any problem. */
  const readOnce = () => pool.run(ask, PATIENCE_MS).catch(() => undefined);
  const read = createBatcher<void, number | undefined>(async (callers) => {
    const found = await readOnce();
    return callers.map(() => found);
  }, 1);

  async function writeBeside(work: (session: Session) => Promise<bigint | undefined>) {
    await pool.run(async (connection) => {
      const isKnown = (await ask(connection)) !== undefined;
      const before = last;
      const xid = (await work(connection)) ?? NO_NUMBER;
      if (!isKnown || before === undefined) return;
      const now = await momentOf(connection);
      // Nobody queried in between: there is only one connection.
      if (now === undefined || now.process !== before.process) return;
      if (differBy(before.snapshot, now.snapshot, xid)) last = now;
    });
  }

  return {
    read,
    writeBeside,
    renew() {
      isRenewed = true;
    },
  };
}

/** Returns the current moment, or undefined if it is unknown. */
async function momentOf(session: Session): Promise<Moment | undefined> {
  const [row] = await session.query<Moment | { snapshot: null }>(MOMENT_QUERY, PROCESS);
  return row === undefined || row.snapshot === null ? undefined : row;
}
