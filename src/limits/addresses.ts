import { isIPv4 } from 'node:net';
import {
  type Decision,
  type LimitRules,
  perMinuteOf,
  type QuotaStatus,
} from '../domain/allowance.ts';
import { MINUTE_MS } from '../domain/clock.ts';
import { addressStatus } from './windows-and-bans.ts';

/** Addresses that have a count of their own in a minute. */
const ADDRESSES_MAX = 100_000;
/** Further addresses share this number of counts by their hash, which bounds memory. */
const SHARED_COUNTS = 4_096;
/** Places of a table: a power of two, so that a quarter stays free and searches stay short. */
const PLACES = 131_072;
/** Tables: of the current minute, and of the one counted before, for a clock that is set back. */
const TABLES = 2;
const WORD_BYTES = 4;
const IDENTITY_BYTES = 8;
const SEED_BYTES = 8;
/** Words before the tables: a lock, the current table, and the minute and the size of each table. */
const LOCK = 0;
const CURRENT = 1;
const MINUTES = 2;
const SIZES = MINUTES + TABLES;
const HEADER_WORDS = 8;
const HEADER_BYTES = SEED_BYTES + HEADER_WORDS * WORD_BYTES;
const IDENTITIES_BYTES = TABLES * PLACES * IDENTITY_BYTES;
const COUNTS_OF_TABLE = PLACES + SHARED_COUNTS;
/** A count has the last bits of its minute above it, so one of another minute is never taken for it. */
const USED_BITS = 20;
const USED_MAX = 2 ** USED_BITS - 1;
const MINUTE_BITS = 0xfff;
const NO_MINUTE = -1;

/** Counts requests without a valid key by address, over all threads. A restart forgets them. Undefined means: another thread clears a table. */
export interface SharedAddressCounts {
  charge(group: string, now: number): Decision | undefined;
  peek(group: string, now: number): QuotaStatus | undefined;
}

/** Allocates empty counts, with a secret seed: nobody can choose addresses that collide. */
export function allocateAddresses(): SharedArrayBuffer {
  const counts = TABLES * COUNTS_OF_TABLE * WORD_BYTES;
  const memory = new SharedArrayBuffer(HEADER_BYTES + IDENTITIES_BYTES + counts);
  // `crypto` refuses shared memory.
  new Uint8Array(memory, 0, SEED_BYTES).set(crypto.getRandomValues(new Uint8Array(SEED_BYTES)));
  new Int32Array(memory, SEED_BYTES, HEADER_WORDS).fill(NO_MINUTE, MINUTES, SIZES);
  return memory;
}

/** Frees what a thread held when it died. */
export function freeAddressesHeldBy(memory: SharedArrayBuffer, dead: number): void {
  Atomics.compareExchange(new Int32Array(memory, SEED_BYTES), LOCK, dead + 1, 0);
}

/** The counts in `memory`, as the thread with this number uses them. */
export function createSharedAddressCounts(
  memory: SharedArrayBuffer,
  thread: number,
  rules: Pick<LimitRules, 'anonymousPerMinute'>,
): SharedAddressCounts {
  const seed = new DataView(memory).getBigUint64(0);
  const header = new Int32Array(memory, SEED_BYTES, HEADER_WORDS);
  const identities = new BigUint64Array(memory, HEADER_BYTES, TABLES * PLACES);
  const counts = new Int32Array(memory, HEADER_BYTES + IDENTITIES_BYTES);

  /** Returns the table of a minute, which becomes the current one; undefined while one is cleared. */
  function tableOf(minute: number): number | undefined {
    const current = Atomics.load(header, CURRENT);
    if (Atomics.load(header, MINUTES + current) === minute) return current;
    if (Atomics.compareExchange(header, LOCK, 0, thread + 1) !== 0) return undefined;
    const left = Atomics.load(header, CURRENT);
    const isTurned = Atomics.load(header, MINUTES + left) === minute;
    const table = isTurned ? left : 1 - left;
    if (Atomics.load(header, MINUTES + table) !== minute) clear(table, minute);
    Atomics.store(header, CURRENT, table);
    Atomics.store(header, LOCK, 0);
    return table;
  }

  function clear(table: number, minute: number): void {
    Atomics.store(header, MINUTES + table, NO_MINUTE);
    identities.fill(0n, table * PLACES, (table + 1) * PLACES);
    const first = table * COUNTS_OF_TABLE;
    counts.fill(unusedIn(minute), first, first + COUNTS_OF_TABLE);
    Atomics.store(header, SIZES + table, 0);
    Atomics.store(header, MINUTES + table, minute);
  }

  /** Returns the place of the count of a group; undefined if it has none and `adds` is false. */
  function placeOf(table: number, group: string, adds: boolean): number | undefined {
    const identity = addressIdentity(group, seed);
    const hash = Number(Bun.hash.wyhash(group, seed) & BigInt(PLACES - 1));
    const isFull = Atomics.load(header, SIZES + table) >= ADDRESSES_MAX;
    for (let probe = 0; probe < PLACES; probe++) {
      const place = (hash + probe) & (PLACES - 1);
      const at = table * PLACES + place;
      let found = Atomics.load(identities, at);
      if (found === 0n && (isFull || !adds)) break;
      if (found === 0n) {
        found = Atomics.compareExchange(identities, at, 0n, identity);
        if (found === 0n) Atomics.add(header, SIZES + table, 1);
      }
      if (found === 0n || found === identity) return table * COUNTS_OF_TABLE + place;
    }
    if (!isFull) return undefined;
    return table * COUNTS_OF_TABLE + PLACES + (hash % SHARED_COUNTS);
  }

  return {
    charge(group, now) {
      const perMinute = perMinuteOf(group, rules);
      const minute = Math.floor(now / MINUTE_MS);
      const table = tableOf(minute);
      const place = table === undefined ? undefined : placeOf(table, group, true);
      if (place === undefined) return undefined;
      for (;;) {
        const count = Atomics.load(counts, place);
        if (!isOf(minute, count)) return undefined;
        const used = count & USED_MAX;
        if (used >= perMinute) {
          return { quota: addressStatus(perMinute, used, now), refusal: 'minute' };
        }
        if (Atomics.compareExchange(counts, place, count, count + 1) !== count) continue;
        return { quota: addressStatus(perMinute, used + 1, now), refusal: undefined };
      }
    },
    peek(group, now) {
      const minute = Math.floor(now / MINUTE_MS);
      const table = tableOf(minute);
      if (table === undefined) return undefined;
      const place = placeOf(table, group, false);
      const count = place === undefined ? unusedIn(minute) : Atomics.load(counts, place);
      if (!isOf(minute, count)) return undefined;
      return addressStatus(perMinuteOf(group, rules), count & USED_MAX, now);
    },
  };
}

function unusedIn(minute: number): number {
  return (minute & MINUTE_BITS) << USED_BITS;
}

function isOf(minute: number, count: number): boolean {
  return (count & ~USED_MAX) === unusedIn(minute);
}

/** The group of an IPv6 network, as `addressGroup` in http/client-address.ts writes it. */
const NETWORK = /^([0-9a-f]{1,4}):([0-9a-f]{1,4}):([0-9a-f]{1,4}):([0-9a-f]{1,4})::\/64$/;
/**
 * Networks from which no request comes: 0::/16 is reserved, and ff00::/8 is for many receivers
 * (RFC 4291). They leave room for everything that is no IPv6 network in use.
 */
const IPV4 = 1n << 32n;
const NO_NETWORK = 2n << 32n;
const NO_ADDRESS = 0xffn << 56n;
const HASH_BITS = 56;

/**
 * Returns 64 bits that identify a group of addresses, never 0. Exact for every IPv4 address and
 * IPv6 network; other texts, which no socket reports, are identified by a keyed hash.
 */
export function addressIdentity(group: string, seed: bigint): bigint {
  if (isIPv4(group)) {
    const parts = group.split('.').map(Number);
    return IPV4 | BigInt(parts.reduce((bits, part) => bits * 256 + part, 0));
  }
  const network = NETWORK.exec(group);
  if (network !== null) {
    const [, ...parts] = network;
    return BigInt(`0x${parts.map((part) => part.padStart(4, '0')).join('')}`) || NO_NETWORK;
  }
  return NO_ADDRESS | BigInt.asUintN(HASH_BITS, Bun.hash.wyhash(group, seed));
}
