import { createBatcher } from '../../domain/batch.ts';
import type { Change, ChangeTracker } from '../../domain/change-log.ts';
import { CHANGE_COLUMNS, changeOf, type RecordRow } from '../records/change.ts';
import { LostRace } from '../statements.ts';
import { type Connection, OWN_PROCESS, PROCESS_NAME, type Session } from './connection.ts';
import type { Pool } from './pool.ts';

/**
 * Bounds the wait for the changes, in milliseconds. Without them the rows are read, which must also
 * fit into the 2 s within which the service promises a 503.
 */
export const TIMEOUT_MS = 150;

/** More changes than this at once are not reported one by one. */
const REPORTED_MAX = 1_000;

const PROCESS = 'petstore.process';

/**
 * Everything in one snapshot: the changes after an id ($2), those that have no id yet, and the
 * greatest id. Also the name of the server process, kept in a setting of its session ($1): a pooler in
 * between may switch to a process of another server.
 *
 * A change and its row in the log become visible together, before the change is acknowledged. So what
 * was acknowledged before this query is in it, and rows that are read later are at least as new.
 */
const QUERY = `SELECT moment.*, change.* FROM (
    SELECT coalesce(
      nullif(current_setting($1, true), ''),
      set_config($1, coalesce(${OWN_PROCESS}, gen_random_uuid()::text), false)
    ) AS process,
    current_setting('transaction_read_only') <> 'off' AS is_read_only,
    coalesce((SELECT max(id) FROM changes), last_id) AS newest,
    first_entry
    FROM change_numbering
  ) AS moment LEFT JOIN LATERAL (
    (SELECT id, derived_entry AS entry, ${CHANGE_COLUMNS} FROM changes
     WHERE id > $2 ORDER BY id LIMIT ${REPORTED_MAX})
    UNION ALL
    (SELECT NULL, entry, ${CHANGE_COLUMNS} FROM unnumbered_changes
     WHERE entry >= first_entry ORDER BY entry LIMIT ${REPORTED_MAX})
  ) AS change ON true
  ORDER BY id NULLS LAST, entry`;

/** One row for each change, or one without a change. */
type MomentRow = Moment & (TrackedRow | { type: null });

interface Moment {
  readonly process: string;
  readonly is_read_only: boolean;
  /** The greatest id. */
  readonly newest: bigint;
}

/** A change with its id, its entry among the unnumbered ones, or both. */
interface TrackedRow extends RecordRow {
  readonly id: bigint | null;
  readonly entry: bigint | null;
}

/** What has been reported. */
interface Position {
  readonly process: string;
  /** The greatest id. */
  readonly last: bigint;
  /** The entries without an id then. */
  readonly entries: ReadonlySet<bigint>;
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

/** Learns of every change. */
export interface ChangeObserver {
  /** A change has been committed. */
  changed(change: Change): void;
  /** Anything may have changed. */
  lost(): void;
}

/**
 * Reads changes on the only connection of `pool`. One query is under way at a time while the next
 * batch waits: a query serves only callers that came before it was sent.
 */
export function createChangeTracker(
  pool: Pool,
  observer: ChangeObserver,
  timeoutMs = TIMEOUT_MS,
): PostgresChangeTracker {
  let position: Position | undefined;
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
    const found = await connection.query<MomentRow>(QUERY, PROCESS, position?.last ?? null);
    const [moment] = found;
    // A standby may lag behind its primary, where changes are acknowledged.
    if (moment === undefined || moment.is_read_only) {
      if (!connection.isReadOnly) connection.closeDemoted();
      return false;
    }
    const rows = found.flatMap((row) => (row.type === null ? [] : row));
    position = report(moment, rows, position, observer);
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
      const isSame = position !== undefined && (await isSameServer(connection, position.process));
      if (!isSame) isRenewed = true;
    },
  };
}

async function isSameServer(session: Session, process: string): Promise<boolean> {
  const found = await session.query<{ is_same: boolean }>(IS_SAME_SERVER, process).catch(() => []);
  return found[0]?.is_same === true;
}

/** Reports what is new. Returns the new position, undefined if nothing may be taken as reported. */
function report(
  { process, newest }: Moment,
  rows: readonly TrackedRow[],
  before: Position | undefined,
  observer: ChangeObserver,
): Position | undefined {
  const numbered = rows.filter(({ id }) => id !== null);
  const waiting = rows.filter(({ id }) => id === null);
  const entries = new Set(waiting.flatMap(({ entry }) => entry ?? []));
  // Ids have no gaps, so a different number means that rows were removed, or that there are too many.
  const isComplete =
    process === before?.process &&
    BigInt(numbered.length) === newest - before.last &&
    waiting.length < REPORTED_MAX;
  if (!isComplete) {
    observer.lost();
    return waiting.length < REPORTED_MAX ? { process, last: newest, entries } : undefined;
  }
  for (const row of rows) {
    const isReported = row.entry !== null && before.entries.has(row.entry);
    if (!isReported) observer.changed(changeOf(row));
  }
  return { process, last: newest, entries };
}
