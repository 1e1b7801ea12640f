import { SQL } from 'bun';
import { unavailable } from '../../domain/failure.ts';
import type { Value } from '../fields.ts';
import { InUse, isLost, isReadOnly } from './faults.ts';

/** Names a server process in `pg_stat_activity`; no other process has the name, not even of another server. */
export const PROCESS_NAME = `pid || ' ' || extract(epoch FROM backend_start)`;

/** The name of the process that runs the statement; null if the engine does not tell. */
export const OWN_PROCESS = `(SELECT ${PROCESS_NAME} FROM pg_stat_activity WHERE pid = pg_backend_pid())`;

/** The names of all processes of the server. */
export const RUNNING_PROCESSES = `SELECT ${PROCESS_NAME} AS process FROM pg_stat_activity
  WHERE backend_start IS NOT NULL`;

/** Runs statements in order on one connection. */
export interface Session {
  /** Returns the rows: `bigint` for every int8. */
  query<Row>(text: string, ...values: Value[]): Promise<Row[]>;
  /** Returns the number of rows written. */
  run(text: string, ...values: Value[]): Promise<number>;
}

/** A connection to a server. It never reconnects: a lost one is replaced. */
export interface Connection extends Session {
  /** Whether the server took no writes when this was opened: it is a standby, or a demoted primary. */
  readonly isReadOnly: boolean;
  /** Names the server process, as `RUNNING_PROCESSES` does; null if the engine does not tell. */
  readonly process: string | null;
  /** Runs a statement that commits. */
  commit<T>(send: () => Promise<T>): Promise<T>;
  /** The server has been sent a commit and has not responded. */
  isCommitting(): boolean;
  isAlive(): boolean;
  /** Whether it has prepared too many statements, and should be replaced. */
  isWornOut(): boolean;
  /** Closes it at once; a statement under way fails. */
  end(): void;
  /** Closes it because the server takes no writes any more; another one may be the primary. */
  closeDemoted(): void;
}

const CONNECT_MS = 1_200;
/** The server's own bound on a statement. Below the bound of the pool (pool.ts). */
const STATEMENT_MS = 1_200;
const LOCK_MS = 1_000;
/** After this the server ends a transaction that an instance left open, for example when it was halted. */
const IDLE_IN_TRANSACTION_MS = 10_000;

/** Set by a statement: poolers refuse such parameters of a connection. */
const SESSION_SETTINGS = {
  statement_timeout: STATEMENT_MS,
  lock_timeout: LOCK_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  // A database may have a different default.
  default_transaction_isolation: 'read committed',
};

/**
 * Prepares a session. Acknowledged writes must be on disk, even if the default of the database is
 * otherwise.
 */
const PREPARE_SESSION = `SELECT
  ${Object.entries(SESSION_SETTINGS)
    .map(([name, value]) => `set_config('${name}', '${value}', false)`)
    .join(', ')},
  CASE current_setting('synchronous_commit', true)
    WHEN 'off' THEN set_config('synchronous_commit', 'on', false) END,
  current_setting('transaction_read_only') <> 'off' AS is_read_only,
  ${OWN_PROCESS} AS process`;

/**
 * Every connection of the service holds this advisory lock: shared, or exclusive for work that must
 * not be observed. Engines without advisory locks grant it always.
 */
const IN_USE_LOCK = 0x50455455n;
/** The wait for connections that were just closed elsewhere. */
const IN_USE_MS = 1_000;
const IN_USE_PAUSE_MS = 50;

export type LockMode = 'shared' | 'exclusive';

/** Takes the lock on the use of the database. */
export async function lockDatabase(connection: Connection, mode: LockMode): Promise<void> {
  const waitMs = IN_USE_MS + CONNECT_MS;
  try {
    await within(waitMs, connection.end, () => takeLock(connection, mode));
  } catch (error) {
    throw problemOf(error);
  }
}

/** Waits for work on a connection that nobody else has yet. Ends the connection if the work fails. */
export async function orEnd<T>(connection: Connection, work: Promise<T>): Promise<T> {
  return await work.catch((error) => {
    connection.end();
    throw error;
  });
}

/**
 * Connects, and calls `demoted` after `closeDemoted`. Throws the server's error, or `unavailable` for any other problem,
 * such as a certificate. Uses a `Bun.SQL` client with one reserved connection: in Bun's own pool, a statement after a
 * lost connection would run on another one, outside its transaction.
 */
export async function openConnection(url: string, demoted?: () => void): Promise<Connection> {
  let alive = true;
  let client: SQL | undefined;

  function end(): void {
    alive = false;
    client?.close({ timeout: 0 }).catch(() => undefined);
  }

  function closeDemoted(): void {
    end();
    demoted?.();
  }

  try {
    const opened = new SQL(url, {
      max: 1,
      bigint: true,
      idleTimeout: 0,
      maxLifetime: 0,
      connectionTimeout: CONNECT_MS / 1_000,
      connection: { application_name: 'petstore' },
      onclose: () => {
        alive = false;
      },
    });
    client = opened;
    const session = await within(CONNECT_MS, end, () => initSession(opened, { end, closeDemoted }));
    return { ...session, ...createCommits(), isAlive: () => alive, end, closeDemoted };
  } catch (error) {
    end();
    throw problemOf(error);
  }
}

type Closing = Pick<Connection, 'end' | 'closeDemoted'>;

function problemOf(error: unknown): unknown {
  return error instanceof SQL.PostgresError ? error : unavailable(error);
}

async function initSession(
  client: SQL,
  closing: Closing,
): Promise<Pick<Connection, keyof Session | 'isWornOut' | 'isReadOnly' | 'process'>> {
  const session = createSession(await client.reserve(), closing);
  const [state] = await session.query<{ is_read_only: boolean; process: string | null }>(
    PREPARE_SESSION,
  );
  return { ...session, isReadOnly: state?.is_read_only === true, process: state?.process ?? null };
}

/** Runs work, and calls `end` when time is up. */
export async function within<T>(ms: number, end: () => void, work: () => Promise<T>): Promise<T> {
  const late = setTimeout(end, ms);
  try {
    return await work();
  } finally {
    clearTimeout(late);
  }
}

/** Takes the lock on the use of the database. Throws `InUse`. */
async function takeLock(session: Session, mode: LockMode): Promise<void> {
  const lock = mode === 'exclusive' ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared';
  const end = performance.now() + IN_USE_MS;
  for (;;) {
    const [row] = await session.query<{ taken: boolean }>(
      `SELECT ${lock}(${IN_USE_LOCK}) AS taken`,
    );
    if (row?.taken) return;
    if (performance.now() > end) {
      throw new InUse(
        mode === 'exclusive'
          ? 'a server or another command has it open'
          : 'a restore or move is writing to it',
      );
    }
    await Bun.sleep(IN_USE_PAUSE_MS);
  }
}

function createCommits(): Pick<Connection, 'commit' | 'isCommitting'> {
  let isCommitting = false;
  return {
    async commit(send) {
      isCommitting = true;
      try {
        return await send();
      } finally {
        isCommitting = false;
      }
    },
    isCommitting: () => isCommitting,
  };
}

/**
 * PostgreSQL stores no NUL and refuses a statement with one. It is replaced by another control character, which no record
 * contains either: so such a text is not found, as on SQLite.
 */
function withoutNul(value: Value): Value {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\x01') : value;
}

/**
 * The most different statements that one connection sends. Server and client keep each prepared until the connection
 * ends, and filters can compose thousands.
 */
const TEXTS_MAX = 500;

function createSession(
  client: Bun.ReservedSQL,
  { end, closeDemoted }: Closing,
): Pick<Connection, keyof Session | 'isWornOut'> {
  const texts = new Set<string>();

  async function send(text: string, values: Value[]) {
    texts.add(text);
    try {
      return await client.unsafe(text, values.map(withoutNul));
    } catch (error) {
      if (isLost(error)) end();
      if (isReadOnly(error)) closeDemoted();
      throw error;
    }
  }

  return {
    // The caller knows what its statement selects.
    query: async <Row>(text: string, ...values: Value[]) =>
      [...(await send(text, values))] as Row[],
    run: async (text, ...values) => (await send(text, values)).count ?? 0,
    isWornOut: () => texts.size > TEXTS_MAX,
  };
}
