import type { Clock } from '../../domain/clock.ts';
import { HASH_BEGINNING } from '../../domain/key-hash.ts';
import { type MaybePromise, thenDo } from '../../domain/maybe-promise.ts';

/**
 * A cached credential is used this long without a new lookup. A revocation or other change is
 * promised to take effect on every instance within a second; half of that leaves time for the lookup.
 */
const FRESH_MS = 500;
/** Bound of the cache. When it is full, the oldest entry is dropped. */
const ENTRIES_MAX = 10_000;

interface Entry<Found> {
  readonly found: Found;
  readonly readAt: number;
}

/** A lookup in progress, shared by all requests with the credential: they would queue for connections. */
interface Lookup<Found> {
  readonly found: Promise<Found | undefined>;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
}

/** The storage of one kind of credential. */
export interface CredentialSource<Found, Valid> {
  /** Returns what has this hash. */
  find(hash: string): MaybePromise<Found | undefined>;
  /** Returns the first `HASH_BEGINNING` characters of all hashes. */
  hashBeginnings(): MaybePromise<readonly string[]>;
  /** Returns what a credential stands for at `now`; undefined if it is not valid. */
  use(found: Found, now: number): Valid | undefined;
}

/** A cache of recently used credentials in front of the storage. */
export interface CredentialCache<Valid> {
  /** Returns what was sent as `sent`, if it is in the cache and valid. */
  recent(sent: string): Valid | undefined;
  /** Returns what has this hash, sent as `sent`; undefined if it is not valid. */
  find(hash: string, sent: string): MaybePromise<Valid | undefined>;
  /**
   * Returns whether a credential with this hash may exist, from a list that is at most half a second
   * old. The storage is queried at most twice a second, however often this is called.
   */
  mayExist(hash: string): MaybePromise<boolean>;
  /** Forgets what was sent as `sent`. */
  forget(sent: string): void;
  /** Forgets everything. */
  clear(): void;
}

/**
 * Creates a cache of credentials. Unknown ones are not cached, so a new one works at once.
 *
 * Entries are found by the text as it was sent: extracting, checking and hashing a key costs 1.2 µs. A
 * guess can at most share a bucket of the map with a cached text; a timing difference of nanoseconds
 * would then reveal only whether many characters at once are equal.
 */
export function createCredentialCache<Found, Valid>(
  source: CredentialSource<Found, Valid>,
  clock: Clock,
): CredentialCache<Valid> {
  const entries = new Map<string, Entry<Found>>();
  const lookups = new Map<string, Lookup<Found>>();

  function recent(sent: string): Valid | undefined {
    const entry = entries.get(sent);
    if (entry === undefined) return undefined;
    const now = clock.now();
    // A clock that is set back must not keep an entry fresh for longer.
    const age = now - entry.readAt;
    if (age >= 0 && age < FRESH_MS) return source.use(entry.found, now);
    entries.delete(sent);
    return undefined;
  }

  function find(hash: string, sent: string): MaybePromise<Valid | undefined> {
    const joined = lookups.get(hash);
    if (joined === undefined) return lookUp(hash, sent);
    // It may have been created since that lookup started, so only what it finds counts.
    return joined.found.then((found) => {
      if (found === undefined) return lookUp(hash, sent);
      store(sent, found, joined.startedAt);
      return source.use(found, clock.now());
    });
  }

  function lookUp(hash: string, sent: string): MaybePromise<Valid | undefined> {
    const startedAt = clock.now();
    const finding = source.find(hash);
    if (finding instanceof Promise) share(hash, { found: finding, startedAt });
    return thenDo(finding, (found) => {
      if (found === undefined) return undefined;
      store(sent, found, startedAt);
      return source.use(found, startedAt);
    });
  }

  function share(hash: string, lookup: Lookup<Found>): void {
    lookups.set(hash, lookup);
    const end = () => {
      if (lookups.get(hash) === lookup) lookups.delete(hash);
    };
    lookup.found.then(end, end);
  }

  function store(sent: string, found: Found, readAt: number): void {
    if (entries.size >= ENTRIES_MAX) {
      const [oldest] = entries.keys();
      if (oldest !== undefined) entries.delete(oldest);
    }
    entries.set(sent, { found, readAt });
  }

  return {
    recent,
    find,
    mayExist: createExistenceCheck(source, clock),
    forget: (sent) => void entries.delete(sent),
    clear: () => entries.clear(),
  };
}

/**
 * Looks up a well-formed credential. Anybody can make one up, so an address over its limit costs the
 * database nothing.
 */
export function lookUpWithin<Valid>(
  cache: Pick<CredentialCache<Valid>, 'find' | 'mayExist'>,
  hash: string,
  sent: string,
  isPastLimit: () => boolean,
): MaybePromise<Valid | undefined> {
  if (!isPastLimit()) return cache.find(hash, sent);
  return thenDo(cache.mayExist(hash), (mayExist) =>
    mayExist ? cache.find(hash, sent) : undefined,
  );
}

/** Creates a check against the hashes of all credentials, which are read only while it is used. */
function createExistenceCheck(
  source: Pick<CredentialSource<unknown, unknown>, 'hashBeginnings'>,
  clock: Clock,
): CredentialCache<unknown>['mayExist'] {
  let beginnings: MaybePromise<ReadonlySet<string>> = new Set<string>();
  let readAt = Number.NEGATIVE_INFINITY;

  return (hash) => {
    const age = clock.now() - readAt;
    if (age < 0 || age >= FRESH_MS) {
      readAt = clock.now();
      beginnings = thenDo(source.hashBeginnings(), (read) => new Set(read));
    }
    return thenDo(beginnings, (known) => known.has(hash.slice(0, HASH_BEGINNING)));
  };
}
