import type { KeyCounts } from './windows-and-bans.ts';

const WINDOW_FIELDS = ['start', 'used', 'otherStart', 'otherUsed'] as const;
const BAN_FIELDS = ['refusalsStart', 'refusals', 'bans', 'bannedUntil', 'unbannedAt'] as const;
/** Numbers in the counts of a family: two windows and the bans. */
const FIELDS = 2 * WINDOW_FIELDS.length + BAN_FIELDS.length;
/** Each slot holds its counts twice: a charge is written beside the valid ones. */
const COPIES = 2;
const WORD_BYTES = 4;
const NUMBER_BYTES = 8;
/** Two words, the family, and the counts. */
const SLOT_BYTES = 2 * WORD_BYTES + NUMBER_BYTES + COPIES * FIELDS * NUMBER_BYTES;
/** The low bits of a state word name the thread that holds the slot. 0 is nobody. */
const HOLDER = 0xff;
/** The other bits count the changes of the slot; the lowest of them tells which copy is valid. */
const VERSION_SHIFT = 8;
const VERSION_STEP = 1 << VERSION_SHIFT;
/** A holder needs a tenth of a microsecond, unless it has lost its core. */
const SPINS = 200;

/** The counts of families of keys, in memory that several threads share. */
export interface Slots {
  readonly size: number;
  /**
   * Holds a slot for this thread and returns its counts, to be read or changed until `release`.
   * Returns undefined if another thread holds the slot, or if it belongs to another family now. A
   * thread holds one slot at a time, and must not wait while it does.
   */
  hold(slot: number, familyId: bigint): KeyCounts | undefined;
  /** Makes the changes valid, all at once, and marks them as not saved if `isUnsaved`. */
  release(isUnsaved: boolean): void;
  /** Gives a slot to a family. Returns false if it is held, or has changes that are not saved. */
  assign(slot: number, familyId: bigint, counts: KeyCounts): boolean;
  isUnsaved(slot: number): boolean;
  markUnsaved(slot: number, isUnsaved: boolean): void;
  /** Frees what a thread held when it died. Its last change is undone. */
  freeHeldBy(thread: number): void;
}

/** Returns memory for this number of slots. The system provides it page by page as it is used. */
export function allocateSlots(size: number): SharedArrayBuffer {
  return new SharedArrayBuffer(size * SLOT_BYTES);
}

/**
 * The slots in `memory`, as the thread with this number (0 to 254) uses them.
 *
 * A state word is taken by compare-and-swap, and one store both publishes a change and frees the
 * slot. So a thread that is ended at any point leaves whole counts, and at most a slot to free.
 */
export function createSlots(memory: SharedArrayBuffer, thread: number): Slots {
  const size = memory.byteLength / SLOT_BYTES;
  const states = new Int32Array(memory, 0, size);
  const unsaved = new Int32Array(memory, size * WORD_BYTES, size);
  const families = new BigInt64Array(memory, size * 2 * WORD_BYTES, size);
  const values = new Float64Array(memory, size * (2 * WORD_BYTES + NUMBER_BYTES));
  const holder = thread + 1;
  const counts = emptyCounts();
  let heldSlot = 0;
  let heldState = 0;

  /** The place of the valid copy of the held slot, or of the other one. */
  const copyAt = (state: number) =>
    (heldSlot * COPIES + ((state >> VERSION_SHIFT) & (COPIES - 1))) * FIELDS;
  const nextState = () => (heldState + VERSION_STEP) | 0;

  function take(slot: number): boolean {
    for (let spin = 0; spin < SPINS; spin++) {
      const state = Atomics.load(states, slot);
      if ((state & HOLDER) !== 0) continue;
      if (Atomics.compareExchange(states, slot, state, state | holder) !== state) continue;
      heldSlot = slot;
      heldState = state;
      return true;
    }
    return false;
  }

  function release(isUnsaved: boolean): void {
    writeCounts(values, copyAt(nextState()), counts);
    if (isUnsaved) Atomics.store(unsaved, heldSlot, 1);
    Atomics.store(states, heldSlot, nextState());
  }

  return {
    size,
    hold(slot, familyId) {
      if (!take(slot)) return undefined;
      if (families[slot] !== familyId) {
        Atomics.store(states, slot, heldState);
        return undefined;
      }
      readCounts(values, copyAt(heldState), counts);
      return counts;
    },
    release,
    assign(slot, familyId, given) {
      if (!take(slot)) return false;
      if (Atomics.load(unsaved, slot) !== 0) {
        Atomics.store(states, slot, heldState);
        return false;
      }
      families[slot] = familyId;
      writeCounts(values, copyAt(nextState()), given);
      Atomics.store(states, slot, nextState());
      return true;
    },
    isUnsaved: (slot) => Atomics.load(unsaved, slot) !== 0,
    markUnsaved: (slot, isUnsaved) => void Atomics.store(unsaved, slot, isUnsaved ? 1 : 0),
    freeHeldBy(dead) {
      for (let slot = 0; slot < size; slot++) {
        const state = Atomics.load(states, slot);
        if ((state & HOLDER) === dead + 1) Atomics.store(states, slot, state & ~HOLDER);
      }
    },
  };
}

function emptyCounts(): KeyCounts {
  const unused = { start: 0, used: 0, otherStart: 0, otherUsed: 0 };
  const bans = { refusalsStart: 0, refusals: 0, bans: 0, bannedUntil: 0, unbannedAt: 0 };
  return { minute: { ...unused }, day: { ...unused }, ...bans };
}

function readCounts(values: Float64Array, at: number, counts: KeyCounts): void {
  let next = at;
  // The index is within the array: `createSlots` computes both from the same sizes.
  const read = () => values[next++] as number;
  for (const field of WINDOW_FIELDS) counts.minute[field] = read();
  for (const field of WINDOW_FIELDS) counts.day[field] = read();
  for (const field of BAN_FIELDS) counts[field] = read();
}

function writeCounts(values: Float64Array, at: number, counts: KeyCounts): void {
  let next = at;
  for (const field of WINDOW_FIELDS) values[next++] = counts.minute[field];
  for (const field of WINDOW_FIELDS) values[next++] = counts.day[field];
  for (const field of BAN_FIELDS) values[next++] = counts[field];
}
