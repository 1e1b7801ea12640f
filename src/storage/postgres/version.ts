import type { Storage } from '../../domain/storage.ts';
import { createBatcher } from './batch.ts';
import type { Connection, Session } from './connection.ts';
import { LostRace } from './faults.ts';
import type { Pool } from './pool.ts';
import { differBy } from './snapshot.ts';

/**
 * How long the version is waited for, in milliseconds. Where it does not come the rows are read, for
 * which there must be time left of the 2 s within which the service promises a 503.
 */
const PATIENCE_MS = 150;

/**
 * Whether a snapshot says here all that can be seen: a PostgreSQL whose tables lie on this server, in
 * the form that keeps to snapshots. Others speak its protocol and have the function too, but number
 * their changes in another way.
 */
const IS_TOLD = `SELECT version() ~ '^PostgreSQL [0-9.]+ ' AND version() !~* 'greenplum'
  AND to_regprocedure('pg_current_snapshot()') IS NOT NULL
  AND NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')
  AND NOT EXISTS (
    SELECT FROM pg_class LEFT JOIN pg_am ON pg_am.oid = relam
    WHERE relkind = 'f' OR relkind = 'r' AND amname <> 'heap'
  ) AS told`;

/**
 * The snapshot as text, and a name that the process of the server gets when it is first asked: a
 * pooler in between may put another one, of another server, in its place. NULL where nothing can be
 * written: the snapshot of a standby does not list all that is in progress. With a parameter it is
 * prepared once; without, the server would plan it each time.
 */
const QUESTION = `SELECT
  coalesce(
    nullif(current_setting($1, true), ''),
    set_config($1, gen_random_uuid()::text, false)
  ) AS process,
  CASE WHEN current_setting('transaction_read_only') = 'off'
    THEN pg_current_snapshot()::text END AS snapshot`;

/** What no transaction has. */
const NO_NUMBER = 0n;
const PROCESS = 'petstore.process';

/** What the question gives. */
interface Moment {
  readonly process: string;
  readonly snapshot: string;
}

/** The version of the records in PostgreSQL. */
export interface RecordsVersion {
  read: Storage['recordsVersion'];
  /**
   * Does a write, on the connection that asks, of what no kept answer shows. It gives the number of
   * its transaction, if it had one: that this one has ended is no change.
   */
  writeBeside(work: (session: Session) => Promise<bigint | undefined>): Promise<void>;
  /** Asks on another connection from now on: the address may lead to another server by now. */
  renew(): void;
}

/** Whether a server tells it. One that does not know what it is asked does not. */
async function tells(connection: Connection): Promise<boolean> {
  const found = await connection.query<{ told: boolean }>(IS_TOLD).catch(() => []);
  return found[0]?.told === true;
}

/**
 * Numbers the snapshots that come one after the other on a connection of its own, the only one of
 * `pool`. One question at a time is under way, and one gathers: a question is for those who came
 * before it was sent, never for those who come while it is on its way.
 * docs/decisions/0014-response-cache-on-postgres.md says why a snapshot is a version.
 */
export function createRecordsVersion(pool: Pool): RecordsVersion {
  let version = 0;
  let last: Moment | undefined;
  let trusted: Connection | undefined;
  let isTold = false;
  let isRenewed = false;

  async function ask(connection: Connection): Promise<number | undefined> {
    if (connection !== trusted) {
      // Whatever was kept may be of another server, or of this one before it crashed.
      last = undefined;
      isRenewed = false;
      isTold = await tells(connection);
      trusted = connection;
    } else if (isRenewed) {
      connection.end();
      throw new LostRace();
    }
    if (!isTold) return undefined;
    const now = await momentOf(connection);
    if (now === undefined) return undefined;
    if (now.snapshot !== last?.snapshot || now.process !== last.process) version++;
    last = now;
    return version;
  }

  /** Undefined where it cannot be told: the rows are read then, and say whether they can be. */
  const response = () => pool.run(ask, PATIENCE_MS).catch(() => undefined);
  const read = createBatcher<void, number | undefined>(async (askers) => {
    const found = await response();
    return askers.map(() => found);
  }, 1);

  async function writeBeside(work: (session: Session) => Promise<bigint | undefined>) {
    await pool.run(async (connection) => {
      const isKnown = (await ask(connection)) !== undefined;
      const before = last;
      const xid = (await work(connection)) ?? NO_NUMBER;
      if (!isKnown || before === undefined) return;
      const now = await momentOf(connection);
      // Nobody has asked in between: there is one connection.
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

/** How it is now; undefined where it cannot be told. */
async function momentOf(session: Session): Promise<Moment | undefined> {
  const [row] = await session.query<Moment | { snapshot: null }>(QUESTION, PROCESS);
  return row === undefined || row.snapshot === null ? undefined : row;
}
