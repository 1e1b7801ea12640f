import { callerOf, type KeyStorage } from '../domain/api-key.ts';
import type { Clock } from '../domain/clock.ts';
import { keyStatus } from '../domain/key-lifecycle.ts';
import { HASH_PREFIX_LENGTH } from '../domain/secrets.ts';

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
interface CredentialSource<Found, Valid> {
  /** Returns what has this hash. */
  find(hash: string): Promise<Found | undefined>;
  /** Returns the first `HASH_PREFIX_LENGTH` characters of all hashes. */
  hashPrefixes(): Promise<readonly string[]>;
  /** Returns whose a credential is at `now`; undefined if it is not valid. */
  use(found: Found, now: number): Valid | undefined;
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
) {
  const entries = new Map<string, Entry<Found>>();
  const lookups = new Map<string, Lookup<Found>>();

  /** Returns what was sent as `sent`, if it is in the cache and valid. */
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

  /** Returns what has this hash, sent as `sent`; undefined if it is not valid. */
  async function find(hash: string, sent: string): Promise<Valid | undefined> {
    const joined = lookups.get(hash);
    if (joined === undefined) return lookUp(hash, sent);
    const found = await joined.found;
    // It may have been created since that lookup started, so only what it finds counts.
    if (found === undefined) return lookUp(hash, sent);
    store(sent, found, joined.startedAt);
    return source.use(found, clock.now());
  }

  async function lookUp(hash: string, sent: string): Promise<Valid | undefined> {
    const startedAt = clock.now();
    const finding = source.find(hash);
    share(hash, { found: finding, startedAt });
    const found = await finding;
    if (found === undefined) return undefined;
    store(sent, found, startedAt);
    return source.use(found, startedAt);
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
    /** Forgets what was sent as `sent`. */
    forget: (sent: string) => void entries.delete(sent),
    /** Forgets everything. */
    clear: () => entries.clear(),
  };
}

/**
 * Looks up a well-formed credential. Anybody can make one up, so an address over its limit costs the
 * database nothing.
 */
export async function lookUpWithin<Valid>(
  cache: {
    find(hash: string, sent: string): Promise<Valid | undefined>;
    mayExist(hash: string): Promise<boolean>;
  },
  hash: string,
  sent: string,
  isPastLimit: () => boolean,
): Promise<Valid | undefined> {
  if (!isPastLimit()) return cache.find(hash, sent);
  const mayExist = await cache.mayExist(hash);
  return mayExist ? cache.find(hash, sent) : undefined;
}

/**
 * Creates a check whether a credential with a hash may exist, from a list that is at most half a second old. It queries the
 * storage at most twice a second, and only when it is called.
 */
function createExistenceCheck(
  source: Pick<CredentialSource<unknown, unknown>, 'hashPrefixes'>,
  clock: Clock,
): (hash: string) => Promise<boolean> {
  let prefixes: Promise<ReadonlySet<string>> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;

  return async (hash) => {
    const age = clock.now() - readAt;
    if (prefixes === undefined || age < 0 || age >= FRESH_MS) {
      readAt = clock.now();
      prefixes = source.hashPrefixes().then((read) => new Set(read));
    }
    const known = await prefixes;
    return known.has(hash.slice(0, HASH_PREFIX_LENGTH));
  };
}

/** A cache of recently used keys, found by the Authorization header that they were sent in. */
export type KeyCache = ReturnType<typeof createKeyCache>;

/** Creates a cache of keys. All entries are dropped at every flush, so no unused key stays in memory. */
export function createKeyCache(storage: KeyStorage, clock: Clock) {
  const uses = createUseLog<bigint>((lastUsedAt) => storage.recordUse(lastUsedAt));
  const { recent, find, mayExist, clear } = createCredentialCache(
    {
      find: async (hash) => {
        const key = await storage.findByHash(hash);
        return key && { key, caller: callerOf(key) };
      },
      hashPrefixes: () => storage.hashPrefixes(),
      use({ key, caller }, now) {
        if (keyStatus(key, now) !== 'active') return undefined;
        uses.record(key.id, now);
        return caller;
      },
    },
    clock,
  );

  /** Stores when keys were last used. */
  function flush(): Promise<void> {
    clear();
    return uses.flush();
  }

  return { recent, find, mayExist, flush };
}

/**
 * Creates a log of when credentials were last used, in milliseconds since the Unix epoch. `store` writes
 * them.
 */
export function createUseLog<Id>(store: (uses: ReadonlyMap<Id, number>) => Promise<void>) {
  let sinceFlush = new Map<Id, number>();
  /** The uses last given to the storage: a lookup may have read before they were written. */
  let given: ReadonlyMap<Id, number> = new Map();

  return {
    record(id: Id, at: number): void {
      sinceFlush.set(id, at);
    },
    /** Returns a use that may not be stored yet, or not when a lookup read. */
    latest: (id: Id) => sinceFlush.get(id) ?? given.get(id),
    /** Stores the uses. Those that cannot be stored wait for the next flush. */
    async flush(): Promise<void> {
      if (sinceFlush.size === 0) return;
      given = sinceFlush;
      sinceFlush = new Map();
      try {
        await store(given);
      } catch (error) {
        sinceFlush = new Map([...given, ...sinceFlush]);
        throw error;
      }
    },
  };
}
