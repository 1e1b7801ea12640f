import { SQL } from 'bun';
import type { Environment } from '../../domain/deployment.ts';
import { Failure } from '../../domain/failure.ts';
import { unresolvedHosts } from '../../domain/network-list.ts';
import { redactPassword } from '../address.ts';
import { FENCE_TABLE, fenceProblem } from '../fence.ts';
import {
  NewerSchema,
  newestVersion,
  pendingMigrations,
  refuseUnder,
  type SchemaVersion,
  type SharedSchema,
  schemaAt,
  sharedFromAfter,
} from '../migrations.ts';
import { checkEnvironment, type Opening, olderSchemaProblem } from '../opening.ts';
import { NoDatabase, UnusableDatabase } from '../unusable.ts';
import type { Connection, Session } from './connection.ts';
import { InUse, SharedSession } from './faults.ts';
import { readFence } from './fence.ts';
import { migrations } from './migrations.ts';
import type { Pool } from './pool.ts';
import { NoPrimary } from './primary.ts';
import { otherServers } from './server-name.ts';
import { inTransaction } from './writer.ts';

/** "PETS": the advisory lock that lets one of many starting instances migrate. */
const LOCK = 0x50455453n;
/** Bounds an opening without a migration. */
const OPENING_MS = 60_000;
/** Bounds a migration, which may rewrite every row, and the wait for one. */
const MIGRATING_MS = 3_600_000;
/** Bounds the wait of a migration for a locked table: everyone else waits behind it. */
const LOCK_MS = 60_000;

export const NEWEST = newestVersion(migrations);

/** The state of a database. */
interface Found extends SchemaVersion {
  readonly environment: Environment | undefined;
  readonly isFenced: boolean;
}

/**
 * Creates or migrates a database as needed, if `opening` allows it. Refuses before anything is
 * written. Throws `UnusableDatabase`.
 */
export async function prepareDatabase(
  run: Pool['run'],
  url: string,
  environment: Environment,
  { access = 'create', fenced = false, force, created, migrated }: Opening = {},
): Promise<void> {
  const shown = redactPassword(url);
  try {
    const found = await run(readState, OPENING_MS);
    // A copy must hold everything.
    if (fenced && found.version > NEWEST) throw new NewerSchema(found.version, NEWEST);
    if (found.environment === undefined && access !== 'create') throw new NoDatabase(shown);
    checkEnvironment(shown, found.environment, environment);
    const fence = found.isFenced && !fenced ? await run(readFence) : undefined;
    if (fence !== undefined) throw new UnusableDatabase(fenceProblem(shown, fence));
    // An up-to-date database needs no right to change the schema.
    if (found.version >= NEWEST && found.environment !== undefined) return;
    if (access === 'read') {
      throw new UnusableDatabase(olderSchemaProblem(shown, found.version, NEWEST));
    }
    if (found.isFenced) return;
    const migrating = (connection: Connection) =>
      inTransaction(connection, (session) => migrate(session, environment, { shown, force }));
    const before = await run(migrating, MIGRATING_MS);
    // Another instance may have created it meanwhile, for a different deployment.
    checkEnvironment(shown, before.environment, environment);
    if (before.environment === undefined) created?.();
    else if (before.version < NEWEST) migrated?.(before.version, NEWEST);
  } catch (error) {
    throw await refusal(error, shown, url);
  }
}

/** Checks the deployment of a database. Throws `UnusableDatabase`, also if it has none. */
export async function findDeployment(run: Pool['run'], url: string): Promise<Environment> {
  const shown = redactPassword(url);
  try {
    const { environment } = await run(readState);
    if (environment !== undefined) return environment;
    throw new NoDatabase(shown);
  } catch (error) {
    throw await refusal(error, shown, url);
  }
}

/** Returns the state before. */
async function migrate(
  session: Session,
  environment: Environment,
  { shown, force }: { readonly shown: string; readonly force: boolean | undefined },
): Promise<Found> {
  await session.run(`SET LOCAL statement_timeout = ${MIGRATING_MS}`);
  await session.run(`SET LOCAL lock_timeout = ${MIGRATING_MS}`);
  await session.query(`SELECT pg_advisory_xact_lock(${LOCK})`);
  await session.run(`SET LOCAL lock_timeout = ${LOCK_MS}`);
  const found = await readState(session);
  if (found.version === 0) {
    await session.run(
      'CREATE TABLE schema_versions (version integer PRIMARY KEY, name text NOT NULL)',
    );
  }
  const pending = pendingMigrations(migrations, found);
  if (found.version > 0 && force !== true) {
    refuseUnder(shown, await otherServers(session), pending);
  }
  for (const { version, name, sql } of pending) {
    // Without parameters, a text may contain many statements.
    await session.run(sql);
    const text = 'INSERT INTO schema_versions (version, name) VALUES ($1, $2)';
    await session.run(text, version, name);
  }
  if (found.environment === undefined) {
    await session.run('INSERT INTO deployment (environment) VALUES ($1)', environment);
  }
  if (pending.length > 0) {
    const text = 'UPDATE deployment SET shared_version = $1, shared_from = $2';
    await session.run(text, NEWEST, sharedFromAfter(pending) ?? found.sharedFrom);
  }
  return found;
}

/** Returns whether a later release has migrated the database beyond what this one may use. */
export async function isTooNew(session: Session): Promise<boolean> {
  return (await readSchema(session)).sharedFrom > NEWEST;
}

async function readSchema(session: Session): Promise<SchemaVersion> {
  const [row] = await session.query<{ version: number | null }>(
    'SELECT max(version) AS version FROM schema_versions',
  );
  const version = row?.version ?? 0;
  if (version === 0) return schemaAt(version, undefined);
  const said = 'SELECT shared_version, shared_from FROM deployment';
  return schemaAt(version, (await session.query<SharedSchema>(said))[0]);
}

/** Reads the state of a database. Throws if it belongs to another program. */
async function readState(session: Session): Promise<Found> {
  const tables = await session.query<{ name: string }>(
    `SELECT CAST(table_name AS text) AS name FROM information_schema.tables
     WHERE table_schema = current_schema()`,
  );
  const has = (table: string) => tables.some(({ name }) => name === table);
  if (tables.length === 0)
    return { version: 0, sharedFrom: 0, environment: undefined, isFenced: false };
  if (!has('schema_versions')) {
    throw new UnusableDatabase('is a database of another program; choose another one.');
  }
  const schema = await readSchema(session);
  pendingMigrations(migrations, schema);
  const [deployment] = await session.query<{ environment: Environment }>(
    'SELECT environment FROM deployment',
  );
  return { ...schema, environment: deployment?.environment, isFenced: has(FENCE_TABLE) };
}

/** Returns the message for a database that cannot be opened. */
async function refusal(error: unknown, shown: string, url: string): Promise<unknown> {
  if (error instanceof NewerSchema) return new UnusableDatabase(`${shown}: ${error.message}`);
  if (error instanceof UnusableDatabase) {
    return error.message.includes(shown)
      ? error
      : new UnusableDatabase(`${shown} ${error.message}`);
  }
  const cause = error instanceof Failure ? error.details.cause : error;
  if (!(cause instanceof Error)) return error;
  const state = cause instanceof SQL.PostgresError ? cause.errno : undefined;
  if (state === '42501') {
    return new UnusableDatabase(
      `${shown}: this user may not create tables (${cause.message}); ` +
        'give it CREATE on the schema, or migrate as another user.',
    );
  }
  if (!(error instanceof Failure)) return error;
  if (cause instanceof InUse) {
    return new UnusableDatabase(
      `${shown} is in use: ${cause.message}. Try again when that is done.`,
    );
  }
  if (cause instanceof SharedSession) {
    return new UnusableDatabase(`${shown} cannot be used: ${cause.message}.`);
  }
  if (cause instanceof NoPrimary) {
    return new UnusableDatabase(
      `${shown}: no host takes writes: ${redactPassword(cause.message)}.`,
    );
  }
  const [unresolved] = await unresolvedHosts(url);
  if (unresolved !== undefined) {
    return new UnusableDatabase(
      `${shown} cannot be reached: "${unresolved}" does not resolve. Correct it, or the DNS of this machine.`,
    );
  }
  // If no server responded, its certificate may not be trusted.
  const advice =
    cause instanceof SQL.PostgresError
      ? 'check that the server runs, that the database exists and that the user may connect.'
      : 'check the address; sslrootcert=FILE in it names who may sign the certificate.';
  return new UnusableDatabase(
    `${shown} cannot be reached (${redactPassword(cause.message)}): ${advice}`,
  );
}
