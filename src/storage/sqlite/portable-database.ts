import { Database, SQLiteError, type SQLQueryBindings } from 'bun:sqlite';
import type { Environment } from '../../domain/deployment.ts';
import { fileName } from '../address.ts';
import { IN_BUCKET, type PhotoInBucket } from '../damage.ts';
import type { PortableOpening } from '../opening.ts';
import {
  CommitInDoubt,
  DISABLE_CHANNELS,
  DISABLE_WEBHOOKS,
  type PortableDatabase,
} from '../portable-database.ts';
import {
  type Cell,
  COPIED,
  columnList,
  keyOfRow,
  NOT_COPIED,
  pageStatement,
  type Row,
  type Table,
} from '../tables.ts';
import { NoDatabase } from '../unusable.ts';
import { clearTables, idsIn } from './clear.ts';
import { openConnection } from './connection.ts';
import { findDamage } from './damage.ts';
import { isBusy, refusal } from './faults.ts';
import { fence, findFence, liftFence } from './fence.ts';
import { requireFile } from './file.ts';
import { checkOwner, deploymentIn } from './schema.ts';

/** The wait of a hold for other writers before it returns false. */
const HOLD_MS = 1_000;

/** A portable database in SQLite; closing it closes the connection. */
export function createPortableSqlite(
  database: Database,
  name: string,
  environment: Environment,
): PortableDatabase {
  async function beginHold(): Promise<boolean> {
    database.run(`PRAGMA busy_timeout = ${HOLD_MS}`);
    try {
      database.run('BEGIN IMMEDIATE');
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
  }

  async function commit(): Promise<void> {
    try {
      database.run('COMMIT');
    } catch (error) {
      // After an I/O error the commit may be on disk nevertheless.
      const isInDoubt = error instanceof SQLiteError && /^SQLITE_IOERR/.test(error.code ?? '');
      throw isInDoubt ? new CommitInDoubt(error.message) : error;
    }
  }

  function rollBack(): void {
    try {
      if (database.inTransaction) database.run('ROLLBACK');
    } catch {
      // Closing the connection undoes it too.
    }
  }

  return {
    name,
    environment,
    async beginSnapshot() {
      database.run('BEGIN');
      // The first read fixes the snapshot.
      database.query('SELECT environment FROM deployment').get();
    },
    beginHold,
    commit,
    rollBack: async () => rollBack(),
    async disableWebhooks() {
      database.run(DISABLE_CHANNELS);
      return database.run(DISABLE_WEBHOOKS).changes;
    },
    findDamage: (proceed) => findDamage(database, proceed),
    photosInBucket: async (after) => database.query<PhotoInBucket, [string]>(IN_BUCKET).all(after),
    findFence: async () => findFence(database),
    fence: async (mark) => fence(database, mark),
    liftFence: async () => liftFence(database),
    async close() {
      rollBack();
      database.close();
    },
    ...rowsIn(database),
  };
}

/** The part that reads and writes rows. */
function rowsIn(
  database: Database,
): Pick<PortableDatabase, 'count' | 'page' | 'insert' | 'clear' | 'lastId' | 'setLastId'> {
  const { lastId, setLastId } = idsIn(database);

  async function page(table: Table, after: Row | undefined, limit: number): Promise<Row[]> {
    const { sqlite } = pageStatement(table, after === undefined);
    const key = after === undefined ? [] : keyOfRow(table, after);
    // Every column is an integer or a text, and integers come back as `bigint`.
    return database.query<unknown, SQLQueryBindings[]>(sqlite).values(...key, limit) as Cell[][];
  }

  async function insert(table: Table, rows: readonly Row[]): Promise<void> {
    const targets = Object.keys(table.columns).map(() => '?');
    const statement = database.query<null, Cell[]>(
      `INSERT INTO ${table.name} (${columnList(table)}) VALUES (${targets.join(', ')})`,
    );
    for (const row of rows) statement.run(...row);
  }

  return {
    count: async (table) =>
      Number(
        database.query<{ n: bigint }, []>(`SELECT count(*) AS n FROM ${table.name}`).get()?.n ?? 0n,
      ),
    page,
    insert,
    clear: async () => clearTables(database, [...COPIED, ...NOT_COPIED]),
    lastId: async ({ name }) => lastId(name),
    setLastId: async ({ name }, id) => setLastId(name, id),
  };
}

/** For reading the deployment while other processes write. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * Opens the database in a file, fenced or not. With `target`, the deployment of a copy, creates or migrates it as
 * needed; no other process may have it open then. Throws `UnusableDatabase`.
 */
export function openPortableSqlite(
  path: string,
  opening: PortableOpening,
  target?: Environment,
): PortableDatabase {
  const environment = target ?? findDeployment(path);
  const exclusive = target !== undefined;
  const database = openConnection(path, environment, { ...opening, fenced: true, exclusive });
  return createPortableSqlite(database, fileName(path), environment);
}

function findDeployment(path: string): Environment {
  let database: Database | undefined;
  try {
    requireFile(path);
    database = new Database(path, { readwrite: true, create: false, strict: true });
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    checkOwner(database, path);
    const environment = deploymentIn(database);
    if (environment === undefined) throw new NoDatabase(fileName(path));
    return environment;
  } catch (error) {
    throw refusal(error, path);
  } finally {
    database?.close();
  }
}
