import { createBatcher } from '../../domain/batch.ts';
import type { ChangeTracker } from '../../domain/change-log.ts';
import { LostRace } from '../statements.ts';
import { type Connection, OWN_PROCESS, PROCESS_NAME, type Session } from './connection.ts';
import type { Pool } from './pool.ts';

/**
 * Bounds the wait for the changes, in milliseconds. If it ends without them, the rows are read, which must still fit into
 * the 2 s within which the service promises a 503.
 */
export const TIMEOUT_MS = 150;

const PROCESS = 'petstore.process';

/**
 * In one snapshot: how many changes were committed so far, those that have no id yet too. Also the name of the server
 * process, kept in a setting of its session ($1): a pooler in between may switch to a process of another server.
 *
 * A change and its row in the log become visible together, before the change is acknowledged. So what
 * was acknowledged before this query is counted, and rows that are read later are at least as new. Ids have no gaps,
 * so a change that gets one counts as before.
 */
const QUERY = `SELECT coalesce(
    nullif(current_setting($1, true), ''),
    set_config($1, coalesce(${OWN_PROCESS}, gen_random_uuid()::text), false)
  ) AS process,
  current_setting('transaction_read_only') <> 'off' AS is_read_only,
  coalesce((SELECT max(id) FROM changes), last_id)
    + (SELECT count(*) FROM unnumbered_changes) AS committed
  FROM change_numbering`;

interface Moment {
  readonly process: string;
  readonly is_read_only: boolean;
  readonly committed: bigint;
}

/** Whether a process runs on the server of this connection. */
const IS_SAME_SERVER = `SELECT EXISTS (
    SELECT FROM pg_stat_activity WHERE ${PROCESS_NAME} = $1
  ) AS is_same`;

/** A tracker that watches for another server at the address. */
export interface PostgresChangeTracker extends ChangeTracker {
  /**
   * To be called with a new connection before anything is read there. Unless it leads to the server of
   * the tracker, the tracker connects again: what it knows would be of another server.
   */
  meet(connection: Session): Promise<void>;
}

/**
 * Counts changes on the only connection of `pool`, and calls back when there are others than at the last call. One
 * query is under way at a time while the next batch waits: a query serves only callers that came before it was sent.
 */
export function createChangeTracker(
  pool: Pool,
  changed: () => void,
  timeoutMs = TIMEOUT_MS,
): PostgresChangeTracker {
  let last: Moment | undefined;
  let trusted: Connection | undefined;
  let isRenewed = false;

  async function ask(connection: Connection): Promise<boolean> {
    if (connection !== trusted) {
      trusted = connection;
      isRenewed = false;
      // A plan from when the tables were small would read every row that others keep from removal.
      // Without it, a plan counts as expensive enough to be compiled, which takes a second.
      await connection.run(
        'SET enable_seqscan = off; SET jit = off; SET plan_cache_mode = force_generic_plan',
      );
    } else if (isRenewed) {
      connection.end();
      throw new LostRace();
    }
    const [moment] = await connection.query<Moment>(QUERY, PROCESS);
    // A standby may lag behind its primary, where changes are acknowledged.
    if (moment === undefined || moment.is_read_only) {
      if (!connection.isReadOnly) connection.closeDemoted();
      return false;
    }
    const { process, committed } = moment;
    if (process !== last?.process || committed !== last.committed) changed();
    last = moment;
    return true;
  }

  const catchUp = createBatcher<void, boolean>(async (callers) => {
    // Reading the rows reports any problem.
    const isKnown = await pool.run(ask, timeoutMs).catch(() => false);
    return callers.map(() => isKnown);
  }, 1);

  return {
    catchUp,
    async meet(connection) {
      const isSame = last !== undefined && (await isSameServer(connection, last.process));
      if (!isSame) isRenewed = true;
    },
  };
}

async function isSameServer(session: Session, process: string): Promise<boolean> {
  const found = await session.query<{ is_same: boolean }>(IS_SAME_SERVER, process).catch(() => []);
  return found[0]?.is_same === true;
}
