import { BANNED_LOOKUPS, type Decision, type QuotaStatus } from '../../domain/allowance.ts';
import { MINUTE_MS } from '../../domain/clock.ts';

/** Decides whether a key may look up its quota status, which is unmetered. */
export type DecideLookup = (keyId: bigint, quota: QuotaStatus) => Decision;

/**
 * Grants every lookup of a key that is not banned. A banned key gets one lookup a second on average;
 * further ones are refused, as everything else is during a ban. Each instance counts for itself,
 * since the bound protects its own work.
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
    const count = used.get(keyId) ?? 0;
    if (count >= BANNED_LOOKUPS) return { quota, refusal: 'banned' };
    used.set(keyId, count + 1);
    return { quota, refusal: undefined };
  };
}
