import { BANNED_LOOKUPS, type Decision, type QuotaStatus } from '../../domain/allowance.ts';
import { MINUTE_MS } from '../../domain/clock.ts';

/** Decides on a look at the standing of a key, which is free. */
export type DecideLookup = (keyId: bigint, quota: QuotaStatus) => Decision;

/**
 * Grants every look to a key that is not banned. One that is banned gets an answer once a second, on
 * average; beyond, it is refused as everything else is during the ban. Counted by each instance for
 * itself: the bound protects its own work.
 */
export function createBannedLookups(): DecideLookup {
  let minute = Number.NaN;
  const used = new Map<bigint, number>();

  return (keyId, quota) => {
    if (quota.bannedUntil === undefined) return { quota, refusal: undefined };
    const current = Math.floor(quota.at / MINUTE_MS);
    if (current !== minute) {
      minute = current;
      used.clear();
    }
    const before = used.get(keyId) ?? 0;
    if (before >= BANNED_LOOKUPS) return { quota, refusal: 'banned' };
    used.set(keyId, before + 1);
    return { quota, refusal: undefined };
  };
}
