/** Attempts under way at once, of all endpoints. Bounds connections and memory. */
const SLOTS_MAX = 512;
/** The share of endpoints whose last attempt failed: they may hang, and must not hold up the others. */
const FAILING_MAX = 256;

/** The attempts that may be under way in this process. */
export interface Slots {
  readonly inUse: number;
  /** Takes a slot. Returns false if there is none. */
  take(isFailing: boolean): boolean;
  /** Gives back a slot, taken with the same value. */
  giveBack(isFailing: boolean): void;
}

/** Creates the slots of a process. */
export function createSlots(most = SLOTS_MAX, failingMost = FAILING_MAX): Slots {
  let inUse = 0;
  let failing = 0;
  return {
    get inUse() {
      return inUse;
    },
    take(isFailing) {
      if (inUse >= most || (isFailing && failing >= failingMost)) return false;
      inUse++;
      if (isFailing) failing++;
      return true;
    },
    giveBack(isFailing) {
      inUse--;
      if (isFailing) failing--;
    },
  };
}
