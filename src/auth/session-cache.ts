import { type Caller, callerOf } from '../domain/api-key.ts';
import type { Clock } from '../domain/clock.ts';
import { keyStatus } from '../domain/key-lifecycle.ts';
import { hashKey } from '../domain/secrets.ts';
import {
  isLive,
  type NewSession,
  SESSION_RECENT_MS,
  SESSION_USE_MS,
  type SessionStorage,
} from '../domain/session.ts';
import { createCredentialCache, createUseLog, lookUpWithin } from './credential-cache.ts';

/** A request with a session. */
interface SessionUse {
  /** Of the right form. */
  readonly token: string;
  /** Whether the request keeps the session from ending. */
  readonly isActivity: boolean;
  /** Whether the sign-in must be recent. */
  readonly mustBeRecent: boolean;
  /** Returns whether the address has used up its limit for requests without a key. */
  isPastLimit(): boolean;
}

/** A cache of recently used sessions in front of the storage. */
export type SessionCache = ReturnType<typeof createSessionCache>;

interface LiveSession {
  readonly hash: string;
  readonly caller: Caller;
  /** When the person signed in, in milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** The last use that is known, in milliseconds since the Unix epoch. */
  readonly lastUsedAt: number;
}

/** Creates a cache of sessions, found by their tokens. All entries are dropped at every flush. */
export function createSessionCache(storage: SessionStorage, clock: Clock) {
  const uses = createUseLog<string>((lastUsedAt) => storage.recordUse(lastUsedAt));
  const cache = createCredentialCache(
    {
      find: async (hash) => {
        const found = await storage.find(hash);
        return found && { ...found, hash, caller: { ...callerOf(found.key), sessionHash: hash } };
      },
      hashPrefixes: () => storage.hashPrefixes(),
      use({ session, key, hash, caller }, now): LiveSession | undefined {
        if (keyStatus(key, now) !== 'active') return undefined;
        const lastUsedAt = Math.max(session.lastUsedAt, uses.latest(hash) ?? 0);
        const { createdAt } = session;
        if (!isLive({ createdAt, lastUsedAt }, now)) return undefined;
        return { hash, caller, createdAt, lastUsedAt };
      },
    },
    clock,
  );

  /**
   * Returns the caller that is signed in with a token; undefined if the session or its key has ended, or
   * the sign-in is not recent enough.
   */
  async function find(use: SessionUse): Promise<Caller | undefined> {
    const { token, isActivity, mustBeRecent, isPastLimit } = use;
    const live =
      cache.recent(token) ?? (await lookUpWithin(cache, hashKey(token), token, isPastLimit));
    const isOld = live !== undefined && clock.now() - live.createdAt > SESSION_RECENT_MS;
    if (mustBeRecent && isOld) return undefined;
    if (live !== undefined && isActivity) noteUse(live);
    return live?.caller;
  }

  function noteUse({ hash, lastUsedAt }: LiveSession): void {
    const now = clock.now();
    if (now - lastUsedAt >= SESSION_USE_MS) uses.record(hash, now);
  }

  /** Removes a session. Returns whether it existed. */
  async function end(use: Pick<SessionUse, 'token' | 'isPastLimit'>): Promise<boolean> {
    const { token } = use;
    const hash = hashKey(token);
    const mayExist = !use.isPastLimit() || (await cache.mayExist(hash));
    const existed = mayExist && (await storage.remove(hash));
    cache.forget(token);
    return existed;
  }

  /** Stores a new session of a key, and removes those with the replaced tokens. */
  async function start(
    token: string,
    of: Pick<NewSession, 'keyId' | 'passwordHash'>,
    replaces: readonly string[],
  ): Promise<void> {
    const session = { ...of, hash: hashKey(token), createdAt: clock.now() };
    await storage.create(session, replaces.map(hashKey));
    replaces.forEach(cache.forget);
  }

  /** The sessions of a key that have not ended. */
  const list = (keyId: bigint) => storage.list(keyId, clock.now());

  function flush(): Promise<void> {
    cache.clear();
    return uses.flush();
  }

  return { find, start, end, list, remove: storage.remove, flush };
}
