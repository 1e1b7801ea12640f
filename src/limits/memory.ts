import type { AllowanceStorage, Decision, Limiter, LimitRules } from '../domain/allowance.ts';
import type { Caller } from '../domain/caller.ts';
import { createAddressCounts } from './addresses.ts';
import { lift } from './bans.ts';
import { chargeCounts, quotaAt } from './charging.ts';
import { createKeyStates, type KeyState } from './key-states.ts';
import { storedAllowances } from './stored-allowances.ts';

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
    return chargeCounts(state, caller, now, rules);
  }

  function lookAt(state: KeyState, caller: Caller, now: number) {
    if (lift(state, caller.unbannedAt)) states.noteChange(caller.familyId, state);
    return quotaAt(state, caller, now);
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
      return storedAllowances(storage, familyIds);
    },
    sharing: () => undefined,
    close: () => undefined,
  };
}
