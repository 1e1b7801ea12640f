import type { KeyStorage } from '../../domain/api-key.ts';
import { type Caller, callerOf } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import { keyStatus } from '../../domain/key-lifecycle.ts';
import { type MaybePromise, thenDo } from '../../domain/maybe-promise.ts';
import { type CredentialCache, createCredentialCache } from './credential-cache.ts';
import { createUseLog } from './use-log.ts';

/** A cache of recently used keys, found by the Authorization header that they were sent in. */
export interface KeyCache extends Pick<CredentialCache<Caller>, 'recent' | 'find' | 'mayExist'> {
  /** Stores when keys were last used. */
  flush(): MaybePromise<void>;
}

/** Creates a cache of keys. All entries are dropped at every flush, so no unused key stays in memory. */
export function createKeyCache(storage: KeyStorage, clock: Clock): KeyCache {
  const uses = createUseLog<bigint>((lastUsedAt) => storage.recordUse(lastUsedAt));
  const { recent, find, mayExist, clear } = createCredentialCache(
    {
      find: (hash) =>
        thenDo(storage.findByHash(hash), (key) => key && { key, caller: callerOf(key) }),
      hashBeginnings: () => storage.hashBeginnings(),
      use({ key, caller }, now) {
        if (keyStatus(key, now) !== 'active') return undefined;
        uses.record(key.id, now);
        return caller;
      },
    },
    clock,
  );

  function flush(): Promise<void> {
    clear();
    return uses.flush();
  }

  return { recent, find, mayExist, flush };
}
