import { constants, Database, SQLiteError } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Environment } from '../../domain/deployment.ts';
import { advice, type Finding, failed, passed } from '../../domain/finding.ts';
import { KEY_MARK_LENGTH } from '../../domain/secret-key.ts';
import { fileName } from '../address.ts';
import { changeFindings, type LogFacts } from '../change-findings.ts';
import {
  deploymentFinding,
  fenceFindings,
  foreignDatabase,
  noDatabaseFinding,
  schemaFinding,
} from '../schema-findings.ts';
import { type SecretMarks, secretFindings } from '../secret-findings.ts';
import { WEBHOOK_FACTS, type WebhookFacts, webhookFindings } from '../webhook-findings.ts';
import { findFence } from './fence.ts';
import { inspectFiles } from './inspect-files.ts';
import { migrations } from './migrations.ts';
import { APPLICATION_ID } from './schema.ts';
import { countServers } from './serving-places.ts';

const BUSY_TIMEOUT_MS = 2_000;
/** Most faults reported one by one. */
const FAULTS_MAX = 3;

/** Inspects a database file and its disk. Never throws. */
export function inspectSqlite(
  path: string,
  environment: Environment,
  secretKeys: readonly string[],
): readonly Finding[] {
  if (path === ':memory:') {
    const todo = 'Name a file, as in sqlite:data/petstore.db, for anything that must be stored.';
    return [advice('database', 'It exists only in memory, and ends with the process.', todo)];
  }
  return [
    ...inspectDatabase(path, environment, secretKeys),
    ...inspectFiles(path),
    ...serverFindings(path),
  ];
}

/** The finding for servers that share the file but count limits separately. */
function serverFindings(path: string): readonly Finding[] {
  if (countServers(path) < 2) return [];
  return [
    failed(
      'limits',
      'At least two servers use this database, and each counts limits by itself: a key may send twice what its plan allows.',
      'Stop all but one, or give them the same PETSTORE_LIMITS=redis://HOST:PORT.',
    ),
  ];
}

function inspectDatabase(
  path: string,
  environment: Environment,
  secretKeys: readonly string[],
): readonly Finding[] {
  let database: Database | undefined;
  try {
    if (sizeOf(path) === undefined) return [noDatabaseFinding(fileName(path))];
    database = openToRead(path);
    return [
      passed('database', `${path} can be opened.`),
      ...inspectContent(database, path, environment, secretKeys),
    ];
  } catch (error) {
    return [unreadable(path, error)];
  } finally {
    database?.close();
  }
}

/** Returns the size of a file in bytes; undefined if it is missing. Throws for a folder. */
function sizeOf(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw new Error('it is a folder');
  return found?.size;
}

/**
 * Opens a file without creating any beside it. If there is no write-ahead log, because nobody uses the
 * database, SQLite must not create one: it would belong to the user who runs this command.
 */
function openToRead(path: string): Database {
  const isInUse = (sizeOf(`${path}-wal`) ?? 0) > 0;
  const readOnly = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI;
  const address = `${pathToFileURL(path).href}${isInUse ? '' : '?immutable=1'}`;
  const database = new Database(address, readOnly);
  database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  return database;
}

function inspectContent(
  database: Database,
  path: string,
  environment: Environment,
  secretKeys: readonly string[],
): readonly Finding[] {
  const pragma = (name: string) =>
    database.query<Record<string, number>, []>(`PRAGMA ${name}`).get()?.[name] ?? 0;
  const tables = database.query<{ n: number }, []>('SELECT count(*) AS n FROM sqlite_schema').get();
  if ((tables?.n ?? 0) === 0) return [noDatabaseFinding(fileName(path))];
  if (pragma('application_id') !== APPLICATION_ID) return [foreignDatabase()];
  const deployed = database
    .query<{ environment: Environment }, []>('SELECT environment FROM deployment')
    .get();
  const deployment = deploymentFinding(deployed?.environment, environment);
  return [
    integrity(database),
    schemaFinding(pragma('user_version'), migrations),
    ...inspectChanges(database),
    ...inspectWebhooks(database, secretKeys),
    ...(deployment === undefined ? [] : [deployment]),
    ...fenceFindings(`sqlite:${path}`, findFence(database)),
  ];
}

function hasTable(database: Database, name: string): boolean {
  return database.query('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== null;
}

/** An older database has no webhooks yet. */
function inspectWebhooks(database: Database, keys: readonly string[]): readonly Finding[] {
  if (!hasTable(database, 'webhooks')) return [];
  const marks = database.query<SecretMarks, [number, number]>(
    'SELECT substr(secret, 1, ?) AS secret, substr(old_secret, 1, ?) AS oldSecret FROM webhooks',
  );
  const facts = database.query<WebhookFacts, []>(WEBHOOK_FACTS).all();
  return [
    ...webhookFindings(facts, Date.now()),
    ...secretFindings(marks.all(KEY_MARK_LENGTH, KEY_MARK_LENGTH), keys),
  ];
}

/** An older database has no log yet. */
function inspectChanges(database: Database): readonly Finding[] {
  if (!hasTable(database, 'changes')) return [];
  const log = database.query<Record<keyof LogFacts, number | null>, []>(
    `SELECT count(*) AS count, (SELECT at FROM changes ORDER BY id LIMIT 1) AS oldestAt
     FROM changes`,
  );
  const { count = 0, oldestAt = null } = log.get() ?? {};
  return changeFindings({
    count: BigInt(count ?? 0),
    oldestAt: oldestAt === null ? null : BigInt(oldestAt),
  });
}

/** Checks all pages, but not every row against its indexes, which takes far longer. */
function integrity(database: Database): Finding {
  const faults = database
    .query<{ quick_check: string }, []>(`PRAGMA quick_check(${FAULTS_MAX})`)
    .all()
    // SQLite may put a heading between asterisks before the first fault.
    .flatMap(({ quick_check }) => quick_check.split('\n'))
    .filter((line) => !line.startsWith('***'));
  if (faults.join() === 'ok') return passed('database', 'Its pages are whole (quick_check).');
  return failed('database', `It is damaged: ${faults.join('; ')}.`, DAMAGED_TODO);
}

const DAMAGED_TODO = 'Stop the service, keep the file, and put a backup in its place.';

function unreadable(path: string, error: unknown): Finding {
  const code = error instanceof SQLiteError ? (error.code ?? '') : '';
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')) {
    return failed('database', `${path} is not a database, or is damaged.`, DAMAGED_TODO);
  }
  if (code.startsWith('SQLITE_BUSY')) {
    const todo = 'Look again when that is done.';
    return advice('database', `${path} is locked by another program, such as an import.`, todo);
  }
  const reason = error instanceof Error ? error.message : String(error);
  return failed(
    'database',
    `${path} cannot be read: ${reason}${code === '' ? '' : ` (${code})`}.`,
    'Check that it is a file and that whoever runs the service may read it.',
  );
}
