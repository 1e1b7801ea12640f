import { SQL } from 'bun';
import { Failure, unavailable } from '../../domain/failure.ts';
import { addressesOfHosts } from '../../domain/network-list.ts';
import {
  type Connection,
  type LockMode,
  lockDatabase,
  OWN_PROCESS,
  openConnection,
  orEnd,
  type Session,
} from './connection.ts';
import { InUse, isMissingFunction, SharedSession } from './faults.ts';

/** Opens connections to the server that takes writes. */
type Connect = (mode?: LockMode) => Promise<Connection>;

/** The wait for the known primary before the other hosts are asked too. */
const SILENCE_MS = 300;
/** The wait for further hosts once one takes writes: a replaced primary may still think that it is one. */
const FURTHER_MS = 100;
/** The pause after a search that found nothing. */
const PAUSE_MS = 250;

/** The timeline of a primary: each promotion starts a later one. */
const TIMELINE = 'SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline';

/** No host takes writes; the message says what each of them does instead. */
export class NoPrimary extends Error {}

/** A host that takes writes. */
interface Found {
  readonly host: string;
  readonly timeline: string;
}

/**
 * Returns how to connect to the database at an address. With several hosts, that is the host that takes
 * writes, never a standby: it may lack what was acknowledged. Once another one takes writes, the
 * connections to the former are ended. A host alone is not asked whether it takes writes.
 */
export function createConnect(address: string): Connect {
  const hosts = addressesOfHosts(address);
  const opener = new SessionOpener();
  if (hosts.length === 1) return (mode) => opener.open(address, mode);
  return new PrimaryFinder(hosts, opener).connect;
}

/** Opens sessions, and makes sure once for each host that they are its own. */
class SessionOpener {
  readonly #checked = new Set<string>();

  async open(host: string, mode: LockMode = 'shared', demoted?: () => void): Promise<Connection> {
    const connection = await openConnection(host, demoted);
    // Before the lock is taken, which a pooler would keep in a session of others.
    if (!this.#checked.has(host)) await orEnd(connection, expectOwnSession(connection, host));
    this.#checked.add(host);
    await orEnd(connection, lockDatabase(connection, mode));
    return connection;
  }
}

class PrimaryFinder {
  readonly #hosts: readonly string[];
  readonly #opener: SessionOpener;
  #primary: Found | undefined;
  readonly #open = new Set<Connection>();
  #search: Promise<Found> | undefined;

  constructor(hosts: readonly string[], opener: SessionOpener) {
    this.#hosts = hosts;
    this.#opener = opener;
  }

  readonly connect: Connect = async (mode) => {
    const known = this.#primary;
    if (known === undefined) return await this.#connectTo(await this.#find(), mode);
    const attempt = this.#connectTo(known, mode);
    const first = await Promise.race([
      attempt.catch((error) => (isRefusal(error) ? attempt : undefined)),
      Bun.sleep(SILENCE_MS),
    ]);
    if (first !== undefined) return first;
    const found = await this.#find();
    // The known primary was only slow, or refused this connection.
    if (found.host === known.host) return await attempt.catch(() => this.#connectTo(found, mode));
    attempt.then(({ end }) => end()).catch(() => undefined);
    return await this.#connectTo(found, mode);
  };

  async #connectTo({ host }: Found, mode: LockMode | undefined): Promise<Connection> {
    const connection = await this.#opener.open(host, mode, () => this.#endAll());
    await orEnd(
      connection,
      primaryAt(host, connection).then((found) => this.#lead(found)),
    );
    for (const other of this.#open) if (!other.isAlive()) this.#open.delete(other);
    this.#open.add(connection);
    return connection;
  }

  /** Searches once at a time, and not again at once if there is no primary. */
  #find(): Promise<Found> {
    if (this.#search !== undefined) return this.#search;
    const search = searchPrimary(this.#hosts).then((found) => {
      this.#lead(found);
      return found;
    });
    const forget = () => {
      this.#search = undefined;
    };
    search.then(forget, () => setTimeout(forget, PAUSE_MS).unref());
    this.#search = search;
    return search;
  }

  /** Follows a primary, unless a later one has been seen. */
  #lead(found: Found): void {
    const before = this.#primary;
    if (before !== undefined && found.timeline < before.timeline) {
      throw unavailable(new NoPrimary(`${nameOf(found.host)} was replaced by a later primary`));
    }
    this.#primary = found;
    if (found.host === before?.host) return;
    this.#endAll();
  }

  #endAll(): void {
    for (const connection of this.#open) connection.end();
    this.#open.clear();
  }
}

/** Asks all hosts at once. Throws `unavailable`. */
async function searchPrimary(hosts: readonly string[]): Promise<Found> {
  const found: Found[] = [];
  const problems: string[] = [];
  const attempts = hosts.map(async (host, index) => {
    try {
      found.push(await probe(host));
    } catch (error) {
      problems[index] = `${nameOf(host)} ${reasonOf(error)}`;
      throw error;
    }
  });
  const first = await Promise.any(attempts).then(
    () => true,
    () => false,
  );
  if (!first) throw unavailable(new NoPrimary(problems.join('; ')));
  await Promise.race([Promise.allSettled(attempts), Bun.sleep(FURTHER_MS)]);
  return found.reduce((best, other) => (other.timeline > best.timeline ? other : best));
}

async function probe(host: string): Promise<Found> {
  const connection = await openConnection(host);
  try {
    return await primaryAt(host, connection);
  } finally {
    connection.end();
  }
}

/** Throws `unavailable` if the server of a connection takes no writes. */
async function primaryAt(host: string, connection: Connection): Promise<Found> {
  if (connection.isReadOnly) throw unavailable(new NoPrimary('is read-only'));
  return { host, timeline: await timelineOf(connection) };
}

/** Returns eight hexadecimal digits, or nothing for an engine without timelines. */
async function timelineOf(session: Session): Promise<string> {
  try {
    const [row] = await session.query<{ timeline: string }>(TIMELINE);
    return row?.timeline ?? '';
  } catch (error) {
    if (isMissingFunction(error)) return '';
    throw error;
  }
}

/** The host and port of an address. */
export function nameOf(address: string): string {
  return new URL(address).host;
}

function causeOf(error: unknown): unknown {
  return error instanceof Failure ? error.details.cause : error;
}

/** Returns whether this host is the right one, but cannot be used. */
function isRefusal(error: unknown): boolean {
  const cause = causeOf(error);
  return cause instanceof InUse || cause instanceof SharedSession;
}

/** Says why a host cannot be used, as the rest of a sentence. */
export function reasonOf(error: unknown): string {
  const cause = causeOf(error);
  if (cause instanceof NoPrimary) return cause.message;
  const reason = cause instanceof Error ? cause.message : String(cause);
  const state = cause instanceof SQL.PostgresError ? cause.errno : undefined;
  return state === undefined ? `cannot be reached (${reason})` : `refuses (${reason}, ${state})`;
}

/** The number of checks: a busy pooler may return sessions so late that one check finds nothing. */
const LOOKS = 4;

/**
 * Makes sure that nobody else uses the session of a connection. A pooler in transaction mode passes sessions on between
 * transactions, with their settings, locks and prepared statements. Throws `unavailable`.
 */
async function expectOwnSession(connection: Connection, url: string): Promise<void> {
  if (connection.process === null) return;
  // A pooler hands out the session that was used last, or all of them in turn. With two in turn, every
  // second statement gets the same one.
  const other = await openConnection(url);
  try {
    for (let looks = 0; looks < LOOKS; looks++) {
      const elsewhere = looks === 0 ? other.process : await processOf(other);
      const processes = [await processOf(connection), await processOf(connection)];
      const isOwn = processes.every((process) => process === connection.process);
      if (!isOwn || elsewhere === connection.process) throw unavailable(new SharedSession());
    }
  } finally {
    other.end();
  }
}

async function processOf(connection: Connection): Promise<string | null> {
  const [row] = await connection.query<{ process: string | null }>(
    `SELECT ${OWN_PROCESS} AS process`,
  );
  return row?.process ?? null;
}
