import { SQL } from 'bun';
import type { Environment } from '../domain/deployment.ts';
import { Failure } from '../domain/failure.ts';
import { addressesOfHosts } from '../domain/network-list.ts';
import { redactPassword } from '../storage/address.ts';
import { FENCE_TABLE } from '../storage/fence.ts';
import { readLag } from '../storage/postgres/change-log.ts';
import { type Connection, openConnection, type Session } from '../storage/postgres/connection.ts';
import { findDamage } from '../storage/postgres/damage.ts';
import { SharedSession } from '../storage/postgres/faults.ts';
import { readFence } from '../storage/postgres/fence.ts';
import { migrations } from '../storage/postgres/migrations.ts';
import {
  findTrigramIndex,
  servesPart,
  type TrigramIndex,
} from '../storage/postgres/name-search.ts';
import { createConnect, NoPrimary, nameOf, reasonOf } from '../storage/postgres/primary.ts';
import { missingRights } from '../storage/postgres/rights.ts';
import { NEWEST } from '../storage/postgres/schema.ts';
import { clockDifference } from './clock.ts';
import { advice, type Finding, failed, passed } from './finding.ts';
import { contentFindings, fenceFindings, foreignDatabase, noDatabaseFinding } from './schema.ts';

const OLDEST_VERSION = 15;
/** Every storage call takes at least one round trip. */
const ROUND_TRIP_MS = 20;

/** Inspects a database. Never throws. */
export async function inspectPostgres(
  url: string,
  environment: Environment,
  secretKeys: readonly string[],
): Promise<readonly Finding[]> {
  const shown = redactPassword(url);
  let connection: Connection | undefined;
  try {
    connection = await createConnect(url)();
    return [
      passed('database', `${shown} accepts the connection.`),
      ...(await hostFindings(addressesOfHosts(url))),
      ...(await inspectServer(connection)),
      ...(await inspectSchema(connection, shown, environment, secretKeys)),
    ];
  } catch (error) {
    return [unusable(shown, error)];
  } finally {
    connection?.end();
  }
}

/** Facts that a server reports. */
export interface ServerFacts {
  readonly version: number;
  readonly standby: boolean;
  readonly commit: string;
  readonly fsync: string;
  /** Microseconds since the Unix epoch. */
  readonly now: bigint;
}

async function inspectServer(session: Session): Promise<readonly Finding[]> {
  // The first statement makes the server read its catalogue.
  await session.query('SELECT 1');
  const asked = Date.now();
  const begun = performance.now();
  const [facts] = await session.query<ServerFacts>(
    `SELECT CAST(current_setting('server_version_num') AS integer) / 10000 AS version,
       pg_is_in_recovery() AS standby, current_setting('synchronous_commit') AS commit,
       current_setting('fsync') AS fsync,
       CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint) AS now`,
  );
  const roundTrip = performance.now() - begun;
  if (facts === undefined) return [];
  return serverFindings(facts, asked + roundTrip / 2, roundTrip);
}

/** Returns the findings for a server that responded at `now`, in milliseconds since the epoch. */
export function serverFindings(
  facts: ServerFacts,
  now: number,
  roundTripMs: number,
): readonly Finding[] {
  return [
    versionFinding(facts.version),
    ...(facts.standby ? [STANDBY] : []),
    durability(facts),
    roundTripFinding(roundTripMs),
    clockDifference('the database server', Number(facts.now / 1_000n) - now),
  ];
}

const STANDBY = failed(
  'database',
  'The server is a standby, which takes no writes.',
  'Name the primary in PETSTORE_DATABASE, or all hosts, separated by commas.',
);

function versionFinding(version: number): Finding {
  if (version >= OLDEST_VERSION) return passed('database', `It is PostgreSQL ${version}.`);
  return failed(
    'database',
    `It is PostgreSQL ${version}, and ${OLDEST_VERSION} is the oldest that is tested.`,
    'Upgrade the server.',
  );
}

function durability({ commit, fsync }: ServerFacts): Finding {
  if (fsync === 'on' && commit !== 'off') {
    return passed('database', 'What it acknowledges is on its disk.');
  }
  return advice(
    'database',
    `It acknowledges what is not on its disk yet (fsync ${fsync}, synchronous_commit ${commit}).`,
    'Set both to on: a power cut would take back answers that clients have.',
  );
}

function roundTripFinding(milliseconds: number): Finding {
  const found = `A round trip took ${milliseconds.toFixed(1)} ms.`;
  if (milliseconds <= ROUND_TRIP_MS) return passed('database', found);
  return advice('database', found, 'Run the service nearer to its database, or see what loads it.');
}

async function inspectSchema(
  session: Session,
  shown: string,
  environment: Environment,
  secretKeys: readonly string[],
): Promise<readonly Finding[]> {
  const tables = await session.query<{ name: string }>(
    // Includes tables that this user may not read, which information_schema leaves out.
    `SELECT CAST(tablename AS text) AS name FROM pg_tables
     WHERE schemaname = current_schema()`,
  );
  if (tables.length === 0) return [await emptySchema(session, shown)];
  if (!tables.some(({ name }) => name === 'schema_versions')) return [foreignDatabase()];
  const missing = await missingRights(session);
  if (missing.length > 0) {
    const found = `This user lacks rights that requests need: ${missing.join(', ')}.`;
    return [
      failed('database', found, 'Grant them: GRANT ALL ON ALL TABLES IN SCHEMA … TO this user.'),
    ];
  }
  const [row] = await session.query<{ version: number | null }>(
    'SELECT max(version) AS version FROM schema_versions',
  );
  const names = tables.map(({ name }) => name);
  const lag = names.includes('changes') ? { lag: await readLag(session) } : {};
  const version = row?.version ?? 0;
  const content = { read: session.query, tables: names, version, migrations, ...lag };
  return [
    ...(await contentFindings(content, environment, secretKeys)),
    nameFinding(await findTrigramIndex(session)),
    ...(version === NEWEST ? damageFindings(await findDamage(session)) : []),
    ...fenceFindings(shown, names.includes(FENCE_TABLE) ? await readFence(session) : undefined),
  ];
}

function damageFindings(damage: readonly string[]): readonly Finding[] {
  if (damage.length === 0) return [passed('database', 'Its indexes and photos are whole.')];
  const todo =
    'Restore a backup into another database and compare; `petstore migrate` makes no index again.';
  return [failed('database', `It is damaged: ${damage.join('; ')}.`, todo)];
}

/** Reports how searches by part of a name work. */
function nameFinding(index: TrigramIndex | undefined): Finding {
  if (index === undefined) {
    return passed(
      'database',
      'Searches for parts of names read every animal; an index of trigrams would be quicker: docs/OPERATING.md.',
    );
  }
  const parts = servesPart(index, 'äöü') ? 'parts of names' : 'ASCII letters and digits in names';
  return passed('database', `Searches for ${parts} use an index of trigrams.`);
}

async function emptySchema(session: Session, shown: string): Promise<Finding> {
  const [right] = await session.query<{ granted: boolean | null }>(
    "SELECT has_schema_privilege(current_schema(), 'CREATE') AS granted",
  );
  if (right?.granted === true) return noDatabaseFinding(shown);
  return failed(
    'database',
    'It is empty, and this user may not create tables in it.',
    'Grant it CREATE on the schema, or run `petstore migrate` as a user that may.',
  );
}

/** The server's problem and the advice, by SQLSTATE. */
const REFUSALS: readonly (readonly [state: RegExp, found: string, todo: string])[] = [
  [/^28/, 'refuses this user or password', 'Correct user and password in PETSTORE_DATABASE.'],
  [/^3D000/, 'has no such database', 'Create it with createdb, or name another.'],
  [/^53300/, 'has no connection left', 'Raise max_connections there, or run fewer instances.'],
  [/^57P03/, 'is starting or stopping', 'Try again in a moment.'],
  [/^42501/, 'denies this user what it needs', 'Grant it the tables of the service.'],
];

function unusable(shown: string, error: unknown): Finding {
  const cause = error instanceof Failure ? error.details.cause : error;
  if (cause instanceof SharedSession) {
    const found = `${shown} leads to a pooler in transaction mode; the service needs sessions of its own.`;
    const todo =
      'Set pool_mode = session for this database in PgBouncer, or name the PostgreSQL server itself.';
    return failed('database', found, todo);
  }
  if (cause instanceof NoPrimary) {
    return failed(
      'database',
      `${shown}: no host takes writes: ${redactPassword(cause.message)}.`,
      'Promote one of them, or correct the hosts in PETSTORE_DATABASE.',
    );
  }
  const isOfServer = cause instanceof SQL.PostgresError;
  const state = isOfServer ? cause.errno : undefined;
  const refusal = REFUSALS.find(([pattern]) => pattern.test(state ?? ''));
  if (refusal !== undefined) {
    const [, found, todo] = refusal;
    return failed('database', `The server of ${shown} ${found} (${state}).`, todo);
  }
  const reason = cause instanceof Error ? redactPassword(cause.message) : String(cause);
  return failed(
    'database',
    `${shown} cannot be reached: ${reason.replace(/\.$/, '')}.`,
    // If no server responded, its certificate may not be trusted.
    isOfServer
      ? 'Check that the server runs, listens on this address and port, and that no firewall is between.'
      : 'Check the address; sslrootcert=FILE in it names who may sign the certificate.',
  );
}

/** Inspects the hosts of an address one by one. Never throws. */
async function hostFindings(hosts: readonly string[]): Promise<readonly Finding[]> {
  // The address itself is reported if it has one host.
  return hosts.length === 1 ? [] : await Promise.all(hosts.map(hostFinding));
}

async function hostFinding(host: string): Promise<Finding> {
  const name = nameOf(host);
  try {
    const connection = await openConnection(host);
    connection.end();
    const state = connection.isReadOnly ? 'is read-only, as a standby is' : 'takes writes';
    return passed('database', `${name} ${state}.`);
  } catch (error) {
    const todo = 'Repair it, or remove it from PETSTORE_DATABASE: no failover can lead there.';
    return advice('database', `${name} ${reasonOf(error)}.`, todo);
  }
}
