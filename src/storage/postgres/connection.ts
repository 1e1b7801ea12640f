import { SQL } from 'bun';
import { unavailable } from '../../domain/failure.ts';
import { isLost, isReadOnly } from './faults.ts';

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
 * Connects. Throws what the server says, or `unavailable` for whatever else stands in the way, such
 * as a certificate. A client of `Bun.SQL` with one connection, reserved for as long as it lives: in a
 * pool of Bun's, a statement after the loss of the connection would run on another one, outside
 * of its transaction.
 */
export async function connect(url: string): Promise<Connection> {
  let alive = true;
  let client: SQL | undefined;

  function end(): void {
    alive = false;
    client?.close({ timeout: 0 }).catch(() => undefined);
  }

  const late = setTimeout(end, CONNECT_MS);
  try {
    client = new SQL(url, {
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
    const reserved = await client.reserve();
    await reserved.unsafe(COMMIT_TO_DISK);
    return { ...createSession(reserved, end), isAlive: () => alive, end };
  } catch (error) {
    end();
    throw error instanceof SQL.PostgresError ? error : unavailable(error);
  } finally {
    clearTimeout(late);
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
