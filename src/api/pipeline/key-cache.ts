import type { ApiKey, KeyStorage } from '../../domain/api-key.ts';
import { type Caller, callerOf } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import { HASH_BEGINNING } from '../../domain/key-hash.ts';
import { keyStatus } from '../../domain/key-lifecycle.ts';
import { type MaybePromise, thenDo } from '../../domain/maybe-promise.ts';

/**
 * A cached key is used this long without a new lookup. A revocation or other change is promised to
 * take effect on every instance within a second; half of that leaves time for the lookup.
 */
const FRESH_MS = 500;
/** Bound of the cache. When it is full, the oldest entry is dropped. */
const KEYS_MAX = 10_000;

interface Entry {
  readonly key: ApiKey;
  readonly caller: Caller;
  readonly readAt: number;
}

/** A lookup in progress, shared by all requests with the key: they would queue for connections. */
interface Lookup {
  readonly key: Promise<ApiKey | undefined>;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
}

/** A cache of recently used keys in front of the storage. */
export interface KeyCache {
  /** Returns the caller with this Authorization header, if its key is in the cache and valid. */
  recent(header: string): Caller | undefined;
  /** Returns the caller with this key, sent in `header`; undefined if the key is not valid. */
  find(hash: string, header: string): MaybePromise<Caller | undefined>;
  /**
   * Returns whether a key with this hash may exist, from a list that is at most half a second old.
   * The storage is queried at most twice a second, however often this is called.
   */
  mayExist(hash: string): MaybePromise<boolean>;
  /** Stores when keys were last used. */
  flush(): MaybePromise<void>;
}

/**
 * Creates a cache of keys. Unknown keys are not cached, so a new key works at once.
 *
 * Entries are found by the whole header: extracting, checking and hashing a key costs 1.2 µs. All
 * entries are dropped at every flush, so no unused key stays in memory. A guess can at most share a
 * bucket of the map with a cached header; a timing difference of nanoseconds would then reveal only
 * whether many characters at once are equal.
 */
export function createKeyCache(storage: KeyStorage, clock: Clock): KeyCache {
  const entries = new Map<string, Entry>();
  const lookups = new Map<string, Lookup>();
  const mayExist = createExistenceCheck(storage, clock);
  const uses = createUseLog(storage);

  function recent(header: string): Caller | undefined {
    const entry = entries.get(header);
    if (entry === undefined) return undefined;
    const now = clock.now();
    // A clock that is set back must not keep an entry fresh for longer.
    const age = now - entry.readAt;
    if (age >= 0 && age < FRESH_MS) return use(entry, now);
    entries.delete(header);
    return undefined;
  }

  function find(hash: string, header: string): MaybePromise<Caller | undefined> {
    const joined = lookups.get(hash);
    if (joined === undefined) return lookUp(hash, header);
    // The key may have been created since that lookup started, so only a key that it finds counts.
    return joined.key.then((key) =>
      key === undefined
        ? lookUp(hash, header)
        : use(store(header, key, joined.startedAt), clock.now()),
    );
  }

  function lookUp(hash: string, header: string): MaybePromise<Caller | undefined> {
    const startedAt = clock.now();
    const key = storage.findByHash(hash);
    if (key instanceof Promise) share(hash, { key, startedAt });
    return thenDo(key, (found) =>
      found === undefined ? undefined : use(store(header, found, startedAt), startedAt),
    );
  }

  function share(hash: string, lookup: Lookup): void {
    lookups.set(hash, lookup);
    const end = () => {
      if (lookups.get(hash) === lookup) lookups.delete(hash);
    };
    lookup.key.then(end, end);
  }

  function store(header: string, key: ApiKey, readAt: number): Entry {
    const entry = { key, caller: callerOf(key), readAt };
    if (entries.size >= KEYS_MAX) {
      const [oldest] = entries.keys();
      if (oldest !== undefined) entries.delete(oldest);
    }
    entries.set(header, entry);
    return entry;
  }

  function use({ key, caller }: Entry, now: number): Caller | undefined {
    if (keyStatus(key, now) !== 'active') return undefined;
    uses.record(key.id, now);
    return caller;
  }

  function flush(): Promise<void> {
    entries.clear();
    return uses.flush();
  }

  return { recent, find, mayExist, flush };
}

/** Creates a log of when keys were last used. Uses that cannot be stored wait for the next flush. */
function createUseLog(storage: KeyStorage) {
  let sinceFlush = new Map<bigint, number>();
  return {
    record(keyId: bigint, at: number): void {
      sinceFlush.set(keyId, at);
    },
    async flush(): Promise<void> {
      if (sinceFlush.size === 0) return;
      const used = sinceFlush;
      sinceFlush = new Map();
      try {
        await storage.recordUse(used);
      } catch (error) {
        sinceFlush = new Map([...used, ...sinceFlush]);
        throw error;
      }
    },
  };
}

/** Creates a check against the hashes of all keys, which are read only while it is used. */
function createExistenceCheck(storage: KeyStorage, clock: Clock): KeyCache['mayExist'] {
  let beginnings: MaybePromise<ReadonlySet<string>> = new Set<string>();
  let readAt = Number.NEGATIVE_INFINITY;

  return (hash) => {
    const age = clock.now() - readAt;
    if (age < 0 || age >= FRESH_MS) {
      readAt = clock.now();
      beginnings = thenDo(storage.hashBeginnings(), (read) => new Set(read));
    }
    return thenDo(beginnings, (known) => known.has(hash.slice(0, HASH_BEGINNING)));
  };
}
