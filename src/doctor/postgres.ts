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
import { createConnect, NoPrimary, nameOf, reasonOf } from '../storage/postgres/primary.ts';
import { missingRights } from '../storage/postgres/rights.ts';
import { NEWEST } from '../storage/postgres/schema.ts';
import { clockDifference } from './clock.ts';
import { contentFindings, FOREIGN, fenceFindings, noDatabaseFinding } from './database.ts';
import { type Finding, findingsOf } from './finding.ts';

const { good, advice, bad, unless } = findingsOf('database');
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
      good(`${shown} accepts the connection.`),
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
  /** How often a page was not as its checksum says, since the server counts; null if it keeps no checksums. */
  readonly damaged: bigint | null;
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
       (SELECT checksum_failures FROM pg_stat_database
        WHERE datname = current_database()) AS damaged,
       CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint) AS now`,
  );
  const roundTrip = performance.now() - begun;
  if (facts === undefined) return [];
  return serverFindings(facts, asked + roundTrip / 2, roundTrip);
}

/** Returns the findings for a server that responded at `now`, in milliseconds since the epoch. */
export function serverFindings(
  { version, standby, commit, fsync, damaged, now: theirs }: ServerFacts,
  now: number,
  roundTripMs: number,
): readonly Finding[] {
  const found = [
    version >= OLDEST_VERSION
      ? good(`It is PostgreSQL ${version}.`)
      : bad(
          `It is PostgreSQL ${version}, and ${OLDEST_VERSION} is the oldest that is tested.`,
          'Upgrade the server.',
        ),
  ];
  if (standby) {
    const todo = 'Name the primary in PETSTORE_DATABASE, or all hosts, separated by commas.';
    found.push(bad('The server is a standby, which takes no writes.', todo));
  }
  const lost = `It acknowledges what is not on its disk yet (fsync ${fsync}, synchronous_commit ${commit}).`;
  const power = 'Set both to on: a power cut would take back answers that clients have.';
  const isDurable = fsync === 'on' && commit !== 'off';
  found.push(isDurable ? good('What it acknowledges is on its disk.') : advice(lost, power));
  found.push(checksumFinding(damaged));
  const time = `A round trip took ${roundTripMs.toFixed(1)} ms.`;
  const nearer = 'Run the service nearer to its database, or see what loads it.';
  found.push(unless(roundTripMs > ROUND_TRIP_MS, time, nearer));
  return [...found, clockDifference('the database server', Number(theirs / 1_000n) - now)];
}

/** The server looks at a page's checksum whenever it reads the page, so each backup looks at all of them. */
function checksumFinding(damaged: bigint | null): Finding {
  if (damaged === null) {
    const todo = 'Stop the server, run `pg_checksums --enable`, and start it again.';
    return advice(
      'The server keeps no checksums, so nobody sees when its disk changes data.',
      todo,
    );
  }
  if (damaged === 0n) return good('No page was read that its checksum says is damaged.');
  const found = `The disk of the server changed data: ${damaged} damaged pages were read.`;
  return bad(
    found,
    'Restore the newest whole backup on another disk. `SELECT pg_stat_reset()` counts again from 0.',
  );
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
  if (!tables.some(({ name }) => name === 'schema_versions')) return [FOREIGN];
  const missing = await missingRights(session);
  if (missing.length > 0) {
    const found = `This user lacks rights that requests need: ${missing.join(', ')}.`;
    return [bad(found, 'Grant them: GRANT ALL ON ALL TABLES IN SCHEMA … TO this user.')];
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
    ...(version === NEWEST ? damageFindings(await findDamage(session)) : []),
    ...fenceFindings(shown, names.includes(FENCE_TABLE) ? await readFence(session) : undefined),
  ];
}

function damageFindings(damage: readonly string[]): readonly Finding[] {
  if (damage.length === 0) return [good('Its indexes and photos are whole.')];
  const todo =
    'Restore a backup into another database and compare; `petstore migrate` makes no index again.';
  return [bad(`It is damaged: ${damage.join('; ')}.`, todo)];
}

async function emptySchema(session: Session, shown: string): Promise<Finding> {
  const [right] = await session.query<{ granted: boolean | null }>(
    "SELECT has_schema_privilege(current_schema(), 'CREATE') AS granted",
  );
  if (right?.granted === true) return noDatabaseFinding(shown);
  const todo = 'Grant it CREATE on the schema, or run `petstore migrate` as a user that may.';
  return bad('It is empty, and this user may not create tables in it.', todo);
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
    const todo =
      'Set pool_mode = session for this database in PgBouncer, or name the PostgreSQL server itself.';
    const found = `${shown} leads to a pooler in transaction mode; the service needs sessions of its own.`;
    return bad(found, todo);
  }
  if (cause instanceof NoPrimary) {
    const found = `${shown}: no host takes writes: ${redactPassword(cause.message)}.`;
    return bad(found, 'Promote one of them, or correct the hosts in PETSTORE_DATABASE.');
  }
  const isOfServer = cause instanceof SQL.PostgresError;
  const state = isOfServer ? cause.errno : undefined;
  const [, refused, remedy = ''] = REFUSALS.find(([pattern]) => pattern.test(state ?? '')) ?? [];
  if (refused !== undefined) return bad(`The server of ${shown} ${refused} (${state}).`, remedy);
  const reason = cause instanceof Error ? redactPassword(cause.message) : String(cause);
  // If no server responded, its certificate may not be trusted.
  const todo = isOfServer
    ? 'Check that the server runs, listens on this address and port, and that no firewall is between.'
    : 'Check the address; sslrootcert=FILE in it names who may sign the certificate.';
  return bad(`${shown} cannot be reached: ${reason.replace(/\.$/, '')}.`, todo);
}

/** Inspects the hosts of an address one by one; the address itself is reported if it has one. Never throws. */
async function hostFindings(hosts: readonly string[]): Promise<readonly Finding[]> {
  const inspect = async (host: string) => {
    const name = nameOf(host);
    try {
      const connection = await openConnection(host);
      connection.end();
      return good(
        `${name} ${connection.isReadOnly ? 'is read-only, as a standby is' : 'takes writes'}.`,
      );
    } catch (error) {
      const todo = 'Repair it, or remove it from PETSTORE_DATABASE: no failover can lead there.';
      return advice(`${name} ${reasonOf(error)}.`, todo);
    }
  };
  return hosts.length === 1 ? [] : await Promise.all(hosts.map(inspect));
}
