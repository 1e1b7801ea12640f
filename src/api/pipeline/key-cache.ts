import type { ApiKey, KeyStorage } from '../../domain/api-key.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import { HASH_BEGINNING } from '../../domain/key-hash.ts';
import { keyStatus } from '../../domain/key-lifecycle.ts';
import { type MaybePromise, thenDo } from '../../domain/maybe-promise.ts';
import { planOf } from '../../domain/plan.ts';

/**
 * How long a key may be used without asking the storage again. A revocation or another change is
 * promised to hold on every instance within a second; half of that leaves time for the look-up.
 */
const FRESH_MS = 500;
/** The most keys that are remembered; beyond, the one that came first goes. */
const KEYS_MAX = 10_000;

interface Entry {
  readonly key: ApiKey;
  readonly caller: Caller;
  readonly readAt: number;
}

/** A key that is being looked up, for all who send it meanwhile: they would queue for connections. */
interface LookUp {
  readonly key: Promise<ApiKey | undefined>;
  /** When it was begun, in milliseconds since the Unix epoch. */
  readonly since: number;
}

/** The valid keys that were used lately, in front of the storage. */
export interface KeyCache {
  /** The caller who has just sent this Authorization field, if the key in it was found valid. */
  recent(field: string): Caller | undefined;
  /** The caller that holds the key with this hash, sent in `field`; undefined where none does. */
  find(hash: string, field: string): MaybePromise<Caller | undefined>;
  /**
   * Whether there may be a key with this hash, from a list that is half a second old at most. However
   * often it is asked, the storage is asked for that list twice a second.
   */
  mayExist(hash: string): MaybePromise<boolean>;
  /** Writes down when keys were last used. */
  flush(): MaybePromise<void>;
}

/**
 * Makes a directory. Unknown keys are not remembered, so a new one is good at once.
 *
 * Keys are remembered by the whole field that they came in: to cut the key out, check it and hash it
 * costs 1.2 µs. The fields are let go of at every flush, so no key that is not in use stays in
 * memory. A guess can share no more than a bucket of the map with a field, and learn of it only
 * whether many characters at once are equal, from a difference of nanoseconds.
 */
export function createKeyCache(storage: KeyStorage, clock: Clock): KeyCache {
  const entries = new Map<string, Entry>();
  const underWay = new Map<string, LookUp>();
  const mayExist = createExistence(storage, clock);
  let usedSinceFlush = new Map<bigint, number>();

  function recent(field: string): Caller | undefined {
    const entry = entries.get(field);
    if (entry === undefined) return undefined;
    const now = clock.now();
    // A clock that was set back must not keep an old entry fresh for longer.
    const age = now - entry.readAt;
    if (age >= 0 && age < FRESH_MS) return use(entry, now);
    entries.delete(field);
    return undefined;
  }

  function find(hash: string, field: string): MaybePromise<Caller | undefined> {
    const joined = underWay.get(hash);
    if (joined === undefined) return ask(hash, field);
    // The key may have been made since that look-up began, so only what it finds counts.
    return joined.key.then((key) =>
      key === undefined ? ask(hash, field) : use(remember(field, key, joined.since), clock.now()),
    );
  }

  function ask(hash: string, field: string): MaybePromise<Caller | undefined> {
    const since = clock.now();
    const key = storage.findByHash(hash);
    if (key instanceof Promise) share(hash, { key, since });
    return thenDo(key, (found) =>
      found === undefined ? undefined : use(remember(field, found, since), since),
    );
  }

  function share(hash: string, lookUp: LookUp): void {
    underWay.set(hash, lookUp);
    const end = () => {
      if (underWay.get(hash) === lookUp) underWay.delete(hash);
    };
    lookUp.key.then(end, end);
  }

  function remember(field: string, key: ApiKey, readAt: number): Entry {
    const plan = planOf(key.plan, key.perMinute, key.perDay);
    const { id: keyId, familyId, scopes, unbannedAt } = key;
    const entry = { key, caller: { keyId, familyId, scopes, plan, unbannedAt }, readAt };
    if (entries.size >= KEYS_MAX) {
      const [oldest] = entries.keys();
      if (oldest !== undefined) entries.delete(oldest);
    }
    entries.set(field, entry);
    return entry;
  }

  function use({ key, caller }: Entry, now: number): Caller | undefined {
    if (keyStatus(key, now) !== 'active') return undefined;
    usedSinceFlush.set(key.id, now);
    return caller;
  }

  async function flush(): Promise<void> {
    entries.clear();
    if (usedSinceFlush.size === 0) return;
    const used = usedSinceFlush;
    usedSinceFlush = new Map();
    try {
      await storage.recordUse(used);
    } catch (error) {
      usedSinceFlush = new Map([...used, ...usedSinceFlush]);
      throw error;
    }
  }

  return { recent, find, mayExist, flush };
}

/** Knows the beginnings of the hashes of all keys, as long as somebody asks for them. */
function createExistence(storage: KeyStorage, clock: Clock): KeyCache['mayExist'] {
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
