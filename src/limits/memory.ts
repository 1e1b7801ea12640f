import type {
  AllowanceStorage,
  Decision,
  Limiter,
  LimitRules,
  QuotaStatus,
  Refusal,
} from '../domain/allowance.ts';
import type { Caller } from '../domain/caller.ts';
import { DAY_MS, MINUTE_MS } from '../domain/clock.ts';
import { createAddressCounts } from './addresses.ts';
import { countRefusal, isBanned, lift } from './bans.ts';
import { createKeyStates, type KeyState } from './key-states.ts';
import { keyStatus } from './quota-status.ts';
import { turnTo, windowStart } from './windows.ts';

/**
 * Creates a limiter in the memory of this process, exact for it. Counts are read from the storage
 * when a key is first seen and saved by `flush`, so a clean restart loses none and a kill loses
 * those since the last flush. It fails closed: if a count cannot be read, the request gets the
 * storage's error.
 */
export function createMemoryLimiter(storage: AllowanceStorage, rules: LimitRules): Limiter {
  const states = createKeyStates(storage);
  const addresses = createAddressCounts(rules.anonymousPerMinute);

  function chargeState(state: KeyState, caller: Caller, now: number): Decision {
    states.noteChange(caller.familyId, state);
    lift(state, caller.unbannedAt);
    turn(state, now);
    const refusal = refusalOf(state, caller, now);
    if (refusal === undefined) {
      state.minute.used++;
      state.day.used++;
    }
    // Taken before the refusal is counted: the refusal that completes the count is not yet a ban.
    const quota = quotaOf(state, caller, now);
    const counts = refusal === 'minute' || refusal === 'day';
    const setsBan = counts && countRefusal(state, state.minute.start, now, rules);
    return setsBan ? { quota, refusal, setsBan } : { quota, refusal };
  }

  function lookAt(state: KeyState, caller: Caller, now: number): QuotaStatus {
    if (lift(state, caller.unbannedAt)) states.noteChange(caller.familyId, state);
    turn(state, now);
    return quotaOf(state, caller, now);
  }

  return {
    charge(caller, now) {
      const state = states.get(caller.familyId);
      if (state !== undefined) return chargeState(state, caller, now);
      return states.load(caller.familyId, (loaded) => chargeState(loaded, caller, now));
    },
    look(caller, now) {
      const state = states.get(caller.familyId);
      if (state !== undefined) return lookAt(state, caller, now);
      return states.load(caller.familyId, (loaded) => lookAt(loaded, caller, now));
    },
    chargeAddress: addresses.charge,
    lookAddress: addresses.look,
    flush: states.flush,
    async report(familyIds) {
      await states.flush();
      const wanted = new Set(familyIds);
      return (await storage.list()).filter(({ keyId }) => wanted.has(keyId));
    },
    sharing: () => undefined,
    close: () => undefined,
  };
}

/** Turns both windows to `now`. The functions below expect this. */
function turn({ minute, day }: KeyState, now: number): void {
  turnTo(minute, windowStart(now, MINUTE_MS));
  turnTo(day, windowStart(now, DAY_MS));
}

/** Why one more request would be refused, if it would. */
function refusalOf(state: KeyState, { plan }: Caller, now: number): Refusal | undefined {
  if (isBanned(state, now)) return 'banned';
  if (state.day.used >= plan.perDay) return 'day';
  return state.minute.used >= plan.perMinute ? 'minute' : undefined;
}

function quotaOf(state: KeyState, { plan }: Caller, now: number): QuotaStatus {
  const { minute, day, bannedUntil } = state;
  return keyStatus(plan, { minuteUsed: minute.used, dayUsed: day.used, bannedUntil }, now);
}
