import type { Decision, QuotaStatus } from '../domain/allowance.ts';
import { MINUTE_MS } from '../domain/clock.ts';
import { addressStatus } from './quota-status.ts';
import { windowStart } from './windows.ts';

/** Addresses that have a count of their own in a minute. */
export const ADDRESSES_MAX = 100_000;
/** Further addresses share this number of counts by their hash, which bounds memory. */
export const SHARED_COUNTS = 4_096;

interface Minute {
  readonly start: number;
  readonly used: Map<string, number>;
  shared: Uint32Array | undefined;
}

/** Counts requests without a valid key by address. A restart forgets all counts. */
export interface AddressCounts {
  charge(group: string, now: number): Decision;
  look(group: string, now: number): QuotaStatus;
}

/** Creates counts with a limit of `perMinute` requests per address. */
export function createAddressCounts(perMinute: number): AddressCounts {
  let current = minuteAt(Number.NEGATIVE_INFINITY);
  let other = current;

  function turnTo(now: number): Minute {
    const start = windowStart(now, MINUTE_MS);
    if (current.start === start) return current;
    const next = other.start === start ? other : minuteAt(start);
    other = current;
    current = next;
    return current;
  }

  return {
    charge(group, now) {
      const minute = turnTo(now);
      const used = usedOf(minute, group);
      if (used >= perMinute) {
        return { quota: addressStatus(perMinute, used, now), refusal: 'minute' };
      }
      count(minute, group, used + 1);
      return { quota: addressStatus(perMinute, used + 1, now), refusal: undefined };
    },
    look(group, now) {
      return addressStatus(perMinute, usedOf(turnTo(now), group), now);
    },
  };
}

function minuteAt(start: number): Minute {
  return { start, used: new Map(), shared: undefined };
}

function isShared(minute: Minute, group: string): boolean {
  return minute.used.size >= ADDRESSES_MAX && !minute.used.has(group);
}

function slotOf(group: string): number {
  return Bun.hash.crc32(group) % SHARED_COUNTS;
}

function usedOf(minute: Minute, group: string): number {
  if (isShared(minute, group)) return minute.shared?.[slotOf(group)] ?? 0;
  return minute.used.get(group) ?? 0;
}

function count(minute: Minute, group: string, used: number): void {
  if (isShared(minute, group)) {
    minute.shared ??= new Uint32Array(SHARED_COUNTS);
    minute.shared[slotOf(group)] = used;
  } else {
    minute.used.set(group, used);
  }
}
