import type { AllowanceStorage } from '../domain/allowance.ts';
import { type MaybePromise, thenDo } from '../domain/maybe-promise.ts';
import type { KeyCounts } from './charging.ts';
import { allowanceOf, countsOf } from './stored-allowances.ts';

/** The counts of a family of keys, in memory while the family is in use. */
export interface KeyState extends KeyCounts {
  isUnsaved: boolean;
}

/** Families in memory. Beyond this number, families without unsaved changes are dropped. */
export const FAMILIES_MAX = 100_000;

/** The states of families of keys, read from a storage on first use and saved by `flush`. */
export interface KeyStates {
  /** The state of a family that is in memory. */
  get(familyId: bigint): KeyState | undefined;
  /** Reads the state of a family that is not in memory, and gives it to `use`. */
  load<T>(familyId: bigint, use: (state: KeyState) => T): MaybePromise<T>;
  /** Marks a state as changed, so that the next `flush` saves it. */
  noteChange(familyId: bigint, state: KeyState): void;
  /** Saves all changes. If that fails, the next call tries again. */
  flush(): Promise<void>;
}

/** Creates an empty set of states. */
export function createKeyStates(storage: AllowanceStorage): KeyStates {
  const states = new Map<bigint, KeyState>();
  let unsaved = new Map<bigint, KeyState>();

  function makeRoom(): void {
    if (states.size < FAMILIES_MAX) return;
    for (const familyId of states.keys()) {
      if (unsaved.has(familyId)) continue;
      states.delete(familyId);
      if (states.size < FAMILIES_MAX) return;
    }
  }

  /** The mark on the state saves a map look-up on every request. */
  function noteChange(familyId: bigint, state: KeyState): void {
    if (state.isUnsaved) return;
    state.isUnsaved = true;
    unsaved.set(familyId, state);
  }

  return {
    get: (familyId) => states.get(familyId),
    load(familyId, use) {
      return thenDo(storage.find(familyId), (stored) => {
        // Two requests may have loaded it at once; both must count in the same state.
        const first = states.get(familyId);
        if (first !== undefined) return use(first);
        const fresh = { ...countsOf(stored), isUnsaved: false };
        makeRoom();
        states.set(familyId, fresh);
        return use(fresh);
      });
    },
    noteChange,
    async flush() {
      if (unsaved.size === 0) return;
      const saving = unsaved;
      unsaved = new Map();
      for (const state of saving.values()) state.isUnsaved = false;
      try {
        await storage.save([...saving].map(([familyId, state]) => allowanceOf(familyId, state)));
      } catch (error) {
        for (const [familyId, state] of saving) noteChange(familyId, state);
        throw error;
      }
    },
  };
}
