import type {
  Allowance,
  AllowanceStorage,
  Decision,
  Limiter,
  LimitRules,
  QuotaStatus,
  Refusal,
} from '../domain/allowance.ts';
import type { Caller } from '../domain/caller.ts';
import { DAY_MS, MINUTE_MS } from '../domain/clock.ts';
import { type MaybePromise, thenDo } from '../domain/maybe-promise.ts';
import { createAddressCounts } from './addresses.ts';
import { type BanState, countRefusal, isBanned, lift } from './bans.ts';
import { keyStatus } from './quota-status.ts';
import { turnTo, type WindowCount, windowStart } from './windows.ts';

/** What is known of a family of keys while it is in use. */
interface KeyState extends BanState {
  readonly minute: WindowCount;
  readonly day: WindowCount;
  /** Whether it waits to be written down. */
  isNoted: boolean;
}

/** How many keys may be in memory before those that are not in use are let go. */
const KEYS_MAX = 100_000;

/**
 * A limiter in the memory of this process, exact for it. Counts are read from the storage when a
 * key is first seen and written back by `flush`, so a clean restart forgets none and a kill those
 * since the last flush. It fails closed: where a count cannot be read, the request gets the
 * storage's error.
 */
export function createMemoryLimiter(storage: AllowanceStorage, rules: LimitRules): Limiter {
  const states = new Map<bigint, KeyState>();
  let changed = new Map<bigint, KeyState>();
  const addresses = createAddressCounts(rules.anonymousPerMinute);

  /** Uses the state of a family that is not in memory. */
  function load<T>({ familyId }: Caller, use: (state: KeyState) => T): MaybePromise<T> {
    return thenDo(storage.find(familyId), (stored) => {
      // Two requests may have asked at once; both must count in the same state.
      const first = states.get(familyId);
      if (first !== undefined) return use(first);
      const fresh = stateOf(stored);
      makeRoom();
      states.set(familyId, fresh);
      return use(fresh);
    });
  }

  function makeRoom(): void {
    if (states.size < KEYS_MAX) return;
    for (const keyId of states.keys()) {
      if (changed.has(keyId)) continue;
      states.delete(keyId);
      if (states.size < KEYS_MAX) return;
    }
  }

  /** Marked on the state as well, since a look-up in a map would be paid at every request. */
  function noteChange(keyId: bigint, state: KeyState): void {
    if (state.isNoted) return;
    state.isNoted = true;
    changed.set(keyId, state);
  }

  function chargeState(state: KeyState, caller: Caller, now: number): Decision {
    noteChange(caller.familyId, state);
    lift(state, caller.unbannedAt);
    turn(state, now);
    const refusal = refusalOf(state, caller, now);
    if (refusal === undefined) {
      state.minute.used++;
      state.day.used++;
    }
    // Said before the refusal is counted: the one that completes the count is not yet a ban.
    const quota = standingOf(state, caller, now);
    const counts = refusal === 'minute' || refusal === 'day';
    const setsBan = counts && countRefusal(state, state.minute.start, now, rules);
    return setsBan ? { quota, refusal, setsBan } : { quota, refusal };
  }

  function lookAt(state: KeyState, caller: Caller, now: number): QuotaStatus {
    if (lift(state, caller.unbannedAt)) noteChange(caller.familyId, state);
    turn(state, now);
    return standingOf(state, caller, now);
  }

  async function flush(): Promise<void> {
    if (changed.size === 0) return;
    const flushing = changed;
    changed = new Map();
    for (const state of flushing.values()) state.isNoted = false;
    try {
      await storage.save([...flushing].map(([keyId, state]) => allowanceOf(keyId, state)));
    } catch (error) {
      for (const [keyId, state] of flushing) noteChange(keyId, state);
      throw error;
    }
  }

  return {
    charge(caller, now) {
      const state = states.get(caller.familyId);
      if (state !== undefined) return chargeState(state, caller, now);
      return load(caller, (loaded) => chargeState(loaded, caller, now));
    },
    look(caller, now) {
      const state = states.get(caller.familyId);
      if (state !== undefined) return lookAt(state, caller, now);
      return load(caller, (loaded) => lookAt(loaded, caller, now));
    },
    chargeAddress: addresses.charge,
    lookAddress: addresses.look,
    flush,
    async report(familyIds) {
      await flush();
      const asked = new Set(familyIds);
      return (await storage.list()).filter(({ keyId }) => asked.has(keyId));
    },
    sharing: () => undefined,
    close: () => undefined,
  };
}

/** Turns the windows to those that hold `now`; the functions below take them as turned. */
function turn({ minute, day }: KeyState, now: number): void {
  turnTo(minute, windowStart(now, MINUTE_MS));
  turnTo(day, windowStart(now, DAY_MS));
}

/** What stands in the way of one more request. */
function refusalOf(state: KeyState, { plan }: Caller, now: number): Refusal | undefined {
  if (isBanned(state, now)) return 'banned';
  if (state.day.used >= plan.perDay) return 'day';
  return state.minute.used >= plan.perMinute ? 'minute' : undefined;
}

function standingOf(state: KeyState, { plan }: Caller, now: number): QuotaStatus {
  const { minute, day, bannedUntil } = state;
  return keyStatus(plan, { minuteUsed: minute.used, dayUsed: day.used, bannedUntil }, now);
}

const NEVER = { start: 0, used: 0, otherStart: 0, otherUsed: 0 };

function stateOf(stored: Allowance | undefined): KeyState {
  return {
    minute: { ...(stored?.minute ?? NEVER) },
    day: { ...(stored?.day ?? NEVER) },
    refusalsStart: stored?.refusalsStart ?? 0,
    refusals: stored?.refusals ?? 0,
    bans: stored?.bans ?? 0,
    bannedUntil: stored?.bannedUntil ?? 0,
    unbannedAt: stored?.unbannedAt ?? 0,
    isNoted: false,
  };
}

function allowanceOf(keyId: bigint, { minute, day, isNoted: _, ...bans }: KeyState): Allowance {
  return { keyId, ...bans, minute: { ...minute }, day: { ...day } };
}
