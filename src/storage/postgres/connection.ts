import { SQL } from 'bun';
import { unavailable } from '../../domain/failure.ts';
import { InUse, isLost, isReadOnly } from './faults.ts';

/** What a parameter may be. Text goes as it is, integers to the last digit. */
export type Value = string | number | bigint | null;

/** What runs statements, one after the other, on one connection. */
export interface Session {
  /** Gives the rows: `bigint` for every int8. */
  query<Row>(text: string, ...values: Value[]): Promise<Row[]>;
  /** Gives how many rows were written. */
  run(text: string, ...values: Value[]): Promise<number>;
}

/** A connection to the server. It never connects again by itself: a lost one is replaced. */
export interface Connection extends Session {
  isAlive(): boolean;
  /** Closes it at once; what is under way on it fails. */
  end(): void;
}

/** How long the server may take to let us in. */
const CONNECT_MS = 1_200;
/** After this the server itself gives up, before our own patience (pool.ts) ends. */
const STATEMENT_MS = 1_200;
const LOCK_MS = 1_000;
/** After this it ends a transaction that an instance left open, for example as it was halted. */
const IDLE_IN_TRANSACTION_MS = 10_000;

const SESSION_SETTINGS = {
  application_name: 'petstore',
  statement_timeout: STATEMENT_MS,
  lock_timeout: LOCK_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  // A database may have another one as its own default.
  default_transaction_isolation: 'read committed',
};

/** What was acknowledged must be on disk, also where a database leaves that for later by default. */
const COMMIT_TO_DISK = `SELECT set_config('synchronous_commit', 'on', false)
  WHERE current_setting('synchronous_commit', true) = 'off'`;

/**
 * Every connection of ours holds this advisory lock: shared, or alone for work that nobody may
 * look on at. Engines without such locks take them for granted.
 */
const IN_USE_LOCK = 0x50455455n;
/** How long to wait for connections that have just been ended elsewhere. */
const IN_USE_MS = 1_000;
const IN_USE_PAUSE_MS = 50;

/** With whom a connection shares its database. */
export type Use = 'with others' | 'alone';

/**
 * Connects. Throws what the server says, or `unavailable` for whatever else stands in the way, such
 * as a certificate. A client of `Bun.SQL` with one connection, reserved for as long as it lives: in a
 * pool of Bun's, a statement after the loss of the connection would run on another one, outside
 * of its transaction.
 */
export async function connect(url: string, use: Use = 'with others'): Promise<Connection> {
  let alive = true;
  let client: SQL | undefined;

  function end(): void {
    alive = false;
    client?.close({ timeout: 0 }).catch(() => undefined);
  }

  try {
    const opened = new SQL(url, {
      max: 1,
      bigint: true,
      idleTimeout: 0,
      maxLifetime: 0,
      connectionTimeout: CONNECT_MS / 1_000,
      connection: SESSION_SETTINGS,
      onclose: () => {
        alive = false;
      },
    });
    client = opened;
    const session = await within(CONNECT_MS, end, () => letIn(opened, end));
    await within(IN_USE_MS + CONNECT_MS, end, () => takePlace(session, use));
    return { ...session, isAlive: () => alive, end };
  } catch (error) {
    end();
    throw error instanceof SQL.PostgresError ? error : unavailable(error);
  }
}

async function letIn(client: SQL, end: () => void): Promise<Session> {
  const reserved = await client.reserve();
  await reserved.unsafe(COMMIT_TO_DISK);
  return createSession(reserved, end);
}

/** Does work, and ends what it waits for when time is up. */
export async function within<T>(ms: number, end: () => void, work: () => Promise<T>): Promise<T> {
  const late = setTimeout(end, ms);
  try {
    return await work();
  } finally {
    clearTimeout(late);
  }
}

/** Takes the lock that says who uses the database. Throws `InUse`. */
async function takePlace(session: Session, use: Use): Promise<void> {
  const lock = use === 'alone' ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared';
  const end = performance.now() + IN_USE_MS;
  for (;;) {
    const [row] = await session.query<{ taken: boolean }>(
      `SELECT ${lock}(${IN_USE_LOCK}) AS taken`,
    );
    if (row?.taken) return;
    if (performance.now() > end) {
      throw new InUse(
        use === 'alone' ? 'a server or another command has it open' : 'a shop is being put into it',
      );
    }
    await Bun.sleep(IN_USE_PAUSE_MS);
  }
}

function createSession(client: Bun.ReservedSQL, end: () => void): Session {
  async function send(text: string, values: Value[]) {
    try {
      return await client.unsafe(text, values);
    } catch (error) {
      if (isLost(error) || isReadOnly(error)) end();
      throw error;
    }
  }

  return {
    // The caller knows what its statement selects.
    query: async <Row>(text: string, ...values: Value[]) =>
      [...(await send(text, values))] as Row[],
    run: async (text, ...values) => (await send(text, values)).count ?? 0,
  };
}
