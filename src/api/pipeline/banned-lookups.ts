import { BANNED_LOOKUPS } from '../../domain/allowance.ts';
import { MINUTE_MS } from '../../domain/clock.ts';
import type { MaybePromise } from '../../domain/maybe-promise.ts';

/** Counts a lookup at `at` by a banned key. Returns false for one too many in its minute. */
export type CountBannedLookup = (keyId: bigint, at: number) => MaybePromise<boolean>;

/**
 * Creates the count of lookups by banned keys, which are unmetered: each gets one a second on
 * average. Each instance counts for itself, since the bound protects its own work.
 */
export function createBannedLookups(): CountBannedLookup {
  let minute = Number.NaN;
  const used = new Map<bigint, number>();

  return (keyId, at) => {
    const current = Math.floor(at / MINUTE_MS);
    if (current !== minute) {
      minute = current;
      used.clear();
    }
    const count = used.get(keyId) ?? 0;
    if (count >= BANNED_LOOKUPS) return false;
    used.set(keyId, count + 1);
    return true;
  };
}
