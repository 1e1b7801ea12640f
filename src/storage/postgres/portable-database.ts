import { SQL } from 'bun';
import type { Environment } from '../../domain/deployment.ts';
import { redactPassword } from '../address.ts';
import { IN_BUCKET, type PhotoInBucket } from '../damage.ts';
import type { PortableOpening } from '../opening.ts';
import {
  CommitInDoubt,
  DISABLE_CHANNELS,
  DISABLE_WEBHOOKS,
  type PortableDatabase,
} from '../portable-database.ts';
import { CHANGE_COLUMNS } from '../records/change.ts';
import { given } from '../statements.ts';
import {
  type Cell,
  columnList,
  isLog,
  keyOfRow,
  pageStatement,
  type Row,
  type Table,
} from '../tables.ts';
import { type Connection, within } from './connection.ts';
import { findDamage } from './damage.ts';
import { failureOf, isLockTimeout, isLost, isLostRace } from './faults.ts';
import { ALL_TABLES, fence, findFence, liftFence } from './fence.ts';
import { createConnect } from './primary.ts';
import { findDeployment, prepareDatabase } from './schema.ts';

/** Bounds a statement. A server that takes longer counts as lost. */
const STATEMENT_MS = 60_000;
/** The client gives up later than the server should. */
const TIMEOUT_MS = STATEMENT_MS + 5_000;
/** A hold or snapshot is idle while the other side is written and read back. */
const IDLE_MS = 3_600_000;
/** Short, because new writers wait behind a hold that waits for writers. */
const HOLD_MS = 900;
const SETTINGS = [
  `statement_timeout = ${STATEMENT_MS}`,
  `idle_in_transaction_session_timeout = ${IDLE_MS}`,
  `lock_timeout = ${HOLD_MS}`,
];
/** The changes without an id are copied as rows of `changes`. */
const TABLE_LIST = ALL_TABLES.join(', ');
/** Excludes writers but not readers, and is the lock that CREATE TRIGGER needs. */
const LOCK = `LOCK TABLE ${TABLE_LIST} IN SHARE ROW EXCLUSIVE MODE`;

/** The greatest id that a change has ever had. */
const LAST_CHANGE = `SELECT greatest(last_id, (SELECT max(id) FROM changes)) AS last FROM change_numbering`;

/** The change log, with the ids that changes without one would get now. */
const ALL_CHANGES = `(
  SELECT id, ${CHANGE_COLUMNS} FROM changes
  UNION ALL
  SELECT last + row_number() OVER (ORDER BY entry), ${CHANGE_COLUMNS}
  FROM unnumbered_changes CROSS JOIN (${LAST_CHANGE}) AS numbered
) AS all_changes`;

/** A portable database in PostgreSQL, on its own connection, which it closes. */
async function createPortablePostgres(
  plain: Connection,
  name: string,
  environment: Environment,
): Promise<PortableDatabase> {
  const connection = withTimeout(plain);
  for (const setting of SETTINGS) await connection.run(`SET ${setting}`);

  async function rollBack(): Promise<void> {
    try {
      if (connection.isAlive()) await connection.run('ROLLBACK');
    } catch {
      connection.end();
    }
  }

  async function beginHold(): Promise<boolean> {
    await connection.run('BEGIN');
    try {
      await connection.run(LOCK);
      return true;
    } catch (error) {
      await rollBack();
      if (isLockTimeout(error) || isLostRace(error)) return false;
      throw error;
    }
  }

  async function commit(): Promise<void> {
    try {
      await connection.run('COMMIT');
    } catch (error) {
      throw isLost(error) ? new CommitInDoubt('the connection was lost') : error;
    }
  }

  return {
    name,
    environment,
    beginSnapshot: async () =>
      void (await connection.run('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')),
    beginHold,
    commit,
    rollBack,
    async disableWebhooks() {
      await connection.run(DISABLE_CHANNELS);
      return await connection.run(DISABLE_WEBHOOKS);
    },
    findDamage: () => findDamage(connection),
    photosInBucket: (after) => connection.query<PhotoInBucket>(IN_BUCKET, after),
    findFence: () => findFence(connection),
    fence: (mark) => fence(connection, mark),
    liftFence: () => liftFence(connection),
    async close() {
      await rollBack();
      connection.end();
    },
    ...rowsIn(connection),
  };
}

/** Ends a connection if a statement takes too long, so that nobody waits forever. */
function withTimeout(connection: Connection): Connection {
  const { query, run, end } = connection;
  return {
    ...connection,
    query: (text, ...values) => within(TIMEOUT_MS, end, () => query(text, ...values)),
    run: (text, ...values) => within(TIMEOUT_MS, end, () => run(text, ...values)),
  };
}

/** Reads and writes the rows of a portable database. */
function rowsIn(
  session: Connection,
): Pick<PortableDatabase, 'count' | 'page' | 'insert' | 'clear' | 'lastId' | 'setLastId'> {
  async function page(table: Table, after: Row | undefined, limit: number): Promise<Row[]> {
    const { postgres } = pageStatement(readable(table), after === undefined);
    const key = after === undefined ? [] : keyOfRow(table, after);
    const rows = await session.query<Record<string, Cell>>(postgres, ...key, limit);
    const columns = Object.keys(table.columns);
    return rows.map((row) => columns.map((column) => row[column] ?? null));
  }

  async function insert(table: Table, rows: readonly Row[]): Promise<void> {
    const columns = Object.entries(table.columns);
    const typed = columns.map(
      ([name, type]) => `${name} ${type === 'integer' ? 'bigint' : 'text'}`,
    );
    const read = columns.map(([name, type]) =>
      type === 'bytes' ? `decode(${name}, 'base64')` : name,
    );
    const cells = rows.map((row) =>
      Object.fromEntries(columns.map(([name], i) => [name, inJson(row[i] ?? null)])),
    );
    const overriding = table.givesIds ? 'OVERRIDING SYSTEM VALUE' : '';
    try {
      await session.run(
        `INSERT INTO ${table.name} (${columnList(table)}) ${overriding}
         SELECT ${read.join(', ')} FROM ${given(typed.join(', ')).postgres}`,
        JSON.stringify(cells),
      );
    } catch (error) {
      throw isUnspeakable(error)
        ? new Error(`a text in the table ${table.name} holds a NUL, which PostgreSQL cannot store`)
        : error;
    }
  }

  return {
    count: async (table) => {
      const [row] = await session.query<{ n: bigint }>(
        `SELECT count(*) AS n FROM ${readable(table).name}`,
      );
      return Number(row?.n ?? 0n);
    },
    page,
    insert,
    async clear() {
      await session.run(`UPDATE change_numbering SET last_id = (${LAST_CHANGE})`);
      await session.run(`TRUNCATE ${TABLE_LIST}`);
    },
    lastId: (table) => (isLog(table) ? lastChange(session) : lastId(session, table)),
    setLastId: async (table, id) =>
      void (isLog(table)
        ? await session.run('UPDATE change_numbering SET last_id = $1', id)
        : await setLastId(session, table, id)),
  };
}

/** JSON has neither integers of 64 bits nor bytes. */
function inJson(cell: Cell): string | null {
  if (cell === null || typeof cell === 'string') return cell;
  return typeof cell === 'bigint' ? String(cell) : Buffer.from(cell).toString('base64');
}

/** The table as it is read. */
const readable = (table: Table): Table => (isLog(table) ? { ...table, name: ALL_CHANGES } : table);

async function lastChange(session: Connection): Promise<bigint> {
  const [row] = await session.query<{ last: bigint }>(
    `SELECT last + (SELECT count(*) FROM unnumbered_changes) AS last FROM (${LAST_CHANGE}) AS numbered`,
  );
  return row?.last ?? 0n;
}

async function lastId(session: Connection, table: Table): Promise<bigint> {
  const [sequence] = await session.query<{ name: string }>(
    `SELECT pg_get_serial_sequence('${table.name}', 'id') AS name`,
  );
  const [row] = await session.query<{ last: bigint }>(
    `SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS last
     FROM ${sequence?.name}`,
  );
  return row?.last ?? 0n;
}

/** Lets the id be assigned again: a sequence cannot restart beyond its greatest id. */
async function setLastId(session: Connection, table: Table, id: bigint): Promise<void> {
  // Unlike setval alone, this is rolled back with the transaction, as is what it then gives.
  await session.run(`ALTER TABLE ${table.name} ALTER COLUMN id RESTART WITH ${id}`);
  await session.run(`SELECT nextval(pg_get_serial_sequence('${table.name}', 'id'))`);
}

/** untranslatable_character: a NUL in JSON. */
function isUnspeakable(error: unknown): boolean {
  return error instanceof SQL.PostgresError && error.errno === '22P05';
}

/**
 * Opens a database for a transfer, fenced or not. With `target`, the deployment of a copy, creates or migrates it as
 * needed; nobody else may have it open then. Throws `UnusableDatabase`.
 */
export async function openPortablePostgres(
  url: string,
  opening: PortableOpening,
  target?: Environment,
): Promise<PortableDatabase> {
  const connect = createConnect(url);
  let connection: Connection | undefined;

  async function run<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      connection ??= await connect(target === undefined ? 'shared' : 'exclusive');
      return await work(connection);
    } catch (error) {
      throw failureOf(error);
    }
  }

  try {
    const environment = target ?? (await findDeployment(run, url));
    await prepareDatabase(run, url, environment, { ...opening, fenced: true });
    return await run((own) => createPortablePostgres(own, redactPassword(url), environment));
  } catch (error) {
    connection?.end();
    throw error;
  }
}
