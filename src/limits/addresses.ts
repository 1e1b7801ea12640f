import {
  type Decision,
  type LimitRules,
  perMinuteOf,
  type QuotaStatus,
} from '../domain/allowance.ts';
import { MINUTE_MS } from '../domain/clock.ts';
import { addressStatus } from './windows-and-bans.ts';

/** The most addresses that have their own count in a minute. */
const ADDRESSES_MAX = 100_000;
/** Further addresses share this number of counts by their hash, which bounds memory. */
const SHARED_COUNTS = 4_096;

/** What addresses have used in one minute. */
interface MinuteCounts {
  readonly minute: number;
  readonly used: Map<string, number>;
}

/** Creates counts of requests without a valid key by address. A restart forgets them. */
export function createAddressCounts(rules: Pick<LimitRules, 'anonymousPerMinute'>) {
  /** Secret, so that nobody can choose addresses that share a count. */
  const [seed = 0n] = crypto.getRandomValues(new BigUint64Array(1));
  let current: MinuteCounts = { minute: Number.NaN, used: new Map() };
  /** The minute counted before, for a clock that is set back a little. */
  let other = current;

  function usedAt(now: number): Map<string, number> {
    const minute = Math.floor(now / MINUTE_MS);
    if (current.minute !== minute) {
      const left = current;
      current = other.minute === minute ? other : { minute, used: new Map() };
      other = left;
    }
    return current.used;
  }

  /** Returns the name of the count of a group. No group is a number. */
  function countOf(group: string, used: ReadonlyMap<string, number>): string {
    if (used.size < ADDRESSES_MAX || used.has(group)) return group;
    return String(Bun.hash.wyhash(group, seed) % BigInt(SHARED_COUNTS));
  }

  return {
    charge(group: string, now: number): Decision {
      const perMinute = perMinuteOf(group, rules);
      const counts = usedAt(now);
      const count = countOf(group, counts);
      const used = counts.get(count) ?? 0;
      if (used >= perMinute) {
        return { quota: addressStatus(perMinute, used, now), refusal: 'minute' };
      }
      counts.set(count, used + 1);
      return { quota: addressStatus(perMinute, used + 1, now), refusal: undefined };
    },
    peek(group: string, now: number): QuotaStatus {
      const counts = usedAt(now);
      return addressStatus(perMinuteOf(group, rules), counts.get(countOf(group, counts)) ?? 0, now);
    },
    /** Notes what others have counted for a group. */
    note(group: string, used: number, now: number): void {
      const counts = usedAt(now);
      const count = countOf(group, counts);
      counts.set(count, Math.max(used, counts.get(count) ?? 0));
    },
  };
}
