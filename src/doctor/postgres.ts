import { SQL } from 'bun';
import { Failure } from '../domain/failure.ts';
import { addressesOfHosts } from '../domain/network-list.ts';
import { redactPassword } from '../storage/address.ts';
import { FENCE_TABLE } from '../storage/fence.ts';
import { readLag } from '../storage/postgres/change-numbering.ts';
import { type Connection, openConnection, type Session } from '../storage/postgres/connection.ts';
import { findDamage } from '../storage/postgres/damage.ts';
import { SharedSession } from '../storage/postgres/faults.ts';
import { readFence } from '../storage/postgres/fence.ts';
import { migrations } from '../storage/postgres/migrations.ts';
import { createConnect, NoPrimary, nameOf, reasonOf } from '../storage/postgres/primary.ts';
import { missingRights } from '../storage/postgres/rights.ts';
import { NEWEST } from '../storage/postgres/schema.ts';
import { clockDifference } from './clock.ts';
import { contentFindings, type Expected, FOREIGN, noDatabaseFinding } from './database.ts';
import { type Finding, findingsOf } from './finding.ts';

const { good, advice, bad, unless } = findingsOf('database');
const OLDEST_VERSION = 15;
/** Every storage call takes at least one round trip. */
const ROUND_TRIP_MS = 20;

/** Inspects a database. Never throws. */
export async function inspectPostgres(
  url: string,
  expected: Expected,
): Promise<readonly Finding[]> {
  const shown = redactPassword(url);
  let connection: Connection | undefined;
  try {
    connection = await createConnect(url)();
    return [
      good(`${shown} accepts the connection.`),
      ...(await hostFindings(addressesOfHosts(url))),
      ...(await inspectServer(connection)),
      ...(await Array.fromAsync(inspectSchema(connection, shown, expected))),
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

async function inspectServer(session: Session): Promise<Iterable<Finding>> {
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
  return facts === undefined ? [] : serverFindings(facts, asked + roundTrip / 2, roundTrip);
}

/** Returns the findings for a server that responded at `now`, in milliseconds since the epoch. */
export function* serverFindings(
  { version, standby, commit, fsync, damaged, now: theirs }: ServerFacts,
  now: number,
  roundTripMs: number,
): Generator<Finding> {
  yield version >= OLDEST_VERSION
    ? good(`It is PostgreSQL ${version}.`)
    : bad(`It is PostgreSQL ${version}, and ${OLDEST_VERSION} is the oldest that is tested.
        → Upgrade the server.`);
  if (standby) {
    yield bad(`The server is a standby, which takes no writes.
      → Name the primary in PETSTORE_DATABASE, or all hosts, separated by commas.`);
  }
  yield fsync === 'on' && commit !== 'off'
    ? good('What it acknowledges is on its disk.')
    : advice(`It acknowledges what is not on its disk yet (fsync ${fsync}, synchronous_commit ${commit}).
        → Set both to on: a power cut would take back answers that clients have.`);
  // The server looks at a page's checksum whenever it reads the page, so each backup looks at all of them.
  if (damaged === null) {
    yield advice(`The server keeps no checksums, so nobody sees when its disk changes data.
      → Stop the server, run \`pg_checksums --enable\`, and start it again.`);
  } else if (damaged === 0n) yield good('No page was read that its checksum says is damaged.');
  else {
    yield bad(`The disk of the server changed data: ${damaged} damaged pages were read.
      → Restore the newest whole backup on another disk. \`SELECT pg_stat_reset()\` counts again from 0.`);
  }
  yield unless(
    roundTripMs > ROUND_TRIP_MS,
    `A round trip took ${roundTripMs.toFixed(1)} ms.
      → Run the service nearer to its database, or see what loads it.`,
  );
  yield clockDifference('the database server', Number(theirs / 1_000n) - now);
}

async function* inspectSchema(
  session: Session,
  name: string,
  expected: Expected,
): AsyncGenerator<Finding> {
  const found = await session.query<{ name: string }>(
    // Includes tables that this user may not read, which information_schema leaves out.
    `SELECT CAST(tablename AS text) AS name FROM pg_tables
     WHERE schemaname = current_schema()`,
  );
  const tables = found.map((table) => table.name);
  if (tables.length === 0) return yield await emptySchema(session, name);
  if (!tables.includes('schema_versions')) return yield FOREIGN;
  const missing = await missingRights(session);
  if (missing.length > 0) {
    return yield bad(`This user lacks rights that requests need: ${missing.join(', ')}.
      → Grant them: GRANT ALL ON ALL TABLES IN SCHEMA … TO this user.`);
  }
  const [row] = await session.query<{ version: number | null }>(
    'SELECT max(version) AS version FROM schema_versions',
  );
  const version = row?.version ?? 0;
  const fence = tables.includes(FENCE_TABLE) ? await readFence(session) : undefined;
  const lag = tables.includes('changes') ? { lag: await readLag(session) } : {};
  const content = { name, read: session.query, tables, version, migrations, fence, ...lag };
  yield* contentFindings(content, expected);
  if (version !== NEWEST) return;
  const damage = await findDamage(session);
  yield damage.length === 0
    ? good('Its indexes and photos are whole.')
    : bad(`It is damaged: ${damage.join('; ')}.
        → Restore a backup into another database and compare; \`petstore migrate\` makes no index again.`);
}

async function emptySchema(session: Session, shown: string): Promise<Finding> {
  const [right] = await session.query<{ granted: boolean | null }>(
    "SELECT has_schema_privilege(current_schema(), 'CREATE') AS granted",
  );
  if (right?.granted === true) return noDatabaseFinding(shown);
  return bad(`It is empty, and this user may not create tables in it.
    → Grant it CREATE on the schema, or run \`petstore migrate\` as a user that may.`);
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
    return bad(`${shown} leads to a pooler in transaction mode; the service needs sessions of its own.
      → Set pool_mode = session for this database in PgBouncer, or name the PostgreSQL server itself.`);
  }
  if (cause instanceof NoPrimary) {
    return bad(`${shown}: no host takes writes: ${redactPassword(cause.message)}.
      → Promote one of them, or correct the hosts in PETSTORE_DATABASE.`);
  }
  const isOfServer = cause instanceof SQL.PostgresError;
  const state = isOfServer ? cause.errno : undefined;
  const [, refused, remedy] = REFUSALS.find(([pattern]) => pattern.test(state ?? '')) ?? [];
  if (refused !== undefined)
    return bad(`The server of ${shown} ${refused} (${state}).\n→ ${remedy}`);
  const reason = cause instanceof Error ? redactPassword(cause.message) : String(cause);
  // If no server responded, its certificate may not be trusted.
  const todo = isOfServer
    ? 'Check that the server runs, listens on this address and port, and that no firewall is between.'
    : 'Check the address; sslrootcert=FILE in it names who may sign the certificate.';
  return bad(`${shown} cannot be reached: ${reason.replace(/\.$/, '')}.\n→ ${todo}`);
}

/** Inspects the hosts of an address one by one; the address itself is reported if it has one. Never throws. */
async function hostFindings(hosts: readonly string[]): Promise<readonly Finding[]> {
  const inspect = async (host: string) => {
    const name = nameOf(host);
    try {
      const { isReadOnly, end } = await openConnection(host);
      end();
      return good(`${name} ${isReadOnly ? 'is read-only, as a standby is' : 'takes writes'}.`);
    } catch (error) {
      return advice(`${name} ${reasonOf(error)}.
        → Repair it, or remove it from PETSTORE_DATABASE: no failover can lead there.`);
    }
  };
  return hosts.length === 1 ? [] : await Promise.all(hosts.map(inspect));
}
