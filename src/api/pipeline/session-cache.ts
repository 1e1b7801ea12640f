import { type Caller, callerOf } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import { hashKey } from '../../domain/key-hash.ts';
import { keyStatus } from '../../domain/key-lifecycle.ts';
import { type MaybePromise, thenDo } from '../../domain/maybe-promise.ts';
import { isLive, SESSION_USE_MS, type SessionStorage } from '../../domain/session.ts';
import { createCredentialCache, lookUpWithin } from './credential-cache.ts';
import { createUseLog } from './use-log.ts';

/** A request with a session. */
export interface SessionUse {
  /** Of the right form. */
  readonly token: string;
  /** Whether the request keeps the session from ending. */
  readonly isActivity: boolean;
  /** Returns whether the address has used up its limit for requests without a key. */
  isPastLimit(): boolean;
}

/** A cache of recently used sessions in front of the storage. */
export interface SessionCache {
  /** Returns the caller that is signed in with a token; undefined if the session or its key has ended. */
  find(use: SessionUse): MaybePromise<Caller | undefined>;
  /** Stores a new session of a key, and removes those with the replaced tokens. */
  start(token: string, keyId: bigint, replaces: readonly string[]): MaybePromise<void>;
  /** Removes a session. Returns whether it existed. */
  end(use: Omit<SessionUse, 'isActivity'>): MaybePromise<boolean>;
  /** Stores when sessions were last used. */
  flush(): MaybePromise<void>;
}

/** A session that has not ended. */
interface LiveSession {
  readonly hash: string;
  readonly caller: Caller;
  /** The last use that is known, in milliseconds since the Unix epoch. */
  readonly lastUsedAt: number;
}

/** Creates a cache of sessions, found by their tokens. All entries are dropped at every flush. */
export function createSessionCache(storage: SessionStorage, clock: Clock): SessionCache {
  const uses = createUseLog<string>((lastUsedAt) => storage.recordUse(lastUsedAt));
  const cache = createCredentialCache(
    {
      find: (hash) =>
        thenDo(
          storage.find(hash),
          (found) => found && { ...found, hash, caller: callerOf(found.key) },
        ),
      hashBeginnings: () => storage.hashBeginnings(),
      use({ session, key, hash, caller }, now): LiveSession | undefined {
        if (keyStatus(key, now) !== 'active') return undefined;
        const lastUsedAt = Math.max(session.lastUsedAt, uses.latest(hash) ?? 0);
        return isLive({ ...session, lastUsedAt }, now) ? { hash, caller, lastUsedAt } : undefined;
      },
    },
    clock,
  );

  function find({ token, isActivity, isPastLimit }: SessionUse): MaybePromise<Caller | undefined> {
    const found = cache.recent(token) ?? lookUpWithin(cache, hashKey(token), token, isPastLimit);
    return thenDo(found, (live) => {
      if (live !== undefined && isActivity) noteUse(live);
      return live?.caller;
    });
  }

  function noteUse({ hash, lastUsedAt }: LiveSession): void {
    const now = clock.now();
    if (now - lastUsedAt >= SESSION_USE_MS) uses.record(hash, now);
  }

  function end({ token, isPastLimit }: Omit<SessionUse, 'isActivity'>): MaybePromise<boolean> {
    const hash = hashKey(token);
    const mayExist = isPastLimit() ? cache.mayExist(hash) : true;
    const ended = thenDo(mayExist, (may) => may && storage.remove(hash));
    return thenDo(ended, (existed) => {
      cache.forget(token);
      return existed;
    });
  }

  function start(token: string, keyId: bigint, replaces: readonly string[]): MaybePromise<void> {
    const session = { hash: hashKey(token), keyId, createdAt: clock.now() };
    const created = storage.create(session, replaces.map(hashKey));
    return thenDo(created, () => replaces.forEach(cache.forget));
  }

  function flush(): Promise<void> {
    cache.clear();
    return uses.flush();
  }

  return { find, start, end, flush };
}
