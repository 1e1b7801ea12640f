import type { Allowance, AllowanceStorage } from '../domain/allowance.ts';
import type { Slots } from './slots.ts';
import { allowanceOf, countsOf, storedAllowances } from './stored-allowances.ts';

/** Gives slots to families of keys, and saves what is counted in them. Only one thread does this. */
export interface SlotAllocator {
  /** Returns the slot of a family. Reads its counts from the storage when it is first used. */
  slotOf(familyId: bigint): Promise<number>;
  /** Saves all changes made before the call. If that fails, the next call tries again. */
  flush(): Promise<void>;
  report(familyIds: readonly bigint[]): Promise<readonly Allowance[]>;
}

/** Creates an allocator with all slots free. */
export function createSlotAllocator(storage: AllowanceStorage, slots: Slots): SlotAllocator {
  const slotsByFamily = new Map<bigint, number>();
  const families: bigint[] = [];
  /** Slots whose changes are on their way to the storage. */
  const saving = new Set<number>();
  let next = 0;
  let saved: Promise<void> = Promise.resolve();
  let nextFlush: Promise<void> | undefined;

  /** Returns the slot of a family that has none, with these counts; undefined if all are in use. */
  function place(familyId: bigint, stored: Allowance | undefined): number | undefined {
    const counts = countsOf(stored);
    for (let tries = 0; tries < slots.size; tries++) {
      const slot = next;
      next = (next + 1) % slots.size;
      if (saving.has(slot) || !slots.assign(slot, familyId, counts)) continue;
      const before = families[slot];
      if (before !== undefined) slotsByFamily.delete(before);
      families[slot] = familyId;
      slotsByFamily.set(familyId, slot);
      return slot;
    }
    return undefined;
  }

  async function slotOf(familyId: bigint): Promise<number> {
    const known = slotsByFamily.get(familyId);
    if (known !== undefined) return known;
    const stored = await storage.find(familyId);
    // Two may have asked at once; both must count in the same slot.
    const slot = slotsByFamily.get(familyId) ?? place(familyId, stored);
    return slot ?? flush().then(() => slotOf(familyId));
  }

  /** Returns the counts of a slot as they are to be saved; undefined while it is held. */
  function take(slot: number): Allowance | undefined {
    const familyId = families[slot];
    const counts = familyId === undefined ? undefined : slots.hold(slot, familyId);
    if (familyId === undefined || counts === undefined) return undefined;
    const allowance = allowanceOf(familyId, counts);
    slots.markUnsaved(slot, false);
    slots.release(false);
    saving.add(slot);
    return allowance;
  }

  /** Starts after the one under way, which may have taken the counts of a slot before a charge. */
  function flush(): Promise<void> {
    nextFlush ??= saved
      .catch(() => {})
      .then(() => {
        nextFlush = undefined;
        saved = save();
        return saved;
      });
    return nextFlush;
  }

  async function save(): Promise<void> {
    const allowances = families.flatMap((_, slot) => {
      if (!slots.isUnsaved(slot)) return [];
      return take(slot) ?? [];
    });
    if (allowances.length === 0) return;
    const taken = allowances.map(({ keyId }) => slotsByFamily.get(keyId));
    try {
      await storage.save(allowances);
    } catch (error) {
      for (const slot of taken) if (slot !== undefined) slots.markUnsaved(slot, true);
      throw error;
    } finally {
      for (const slot of taken) if (slot !== undefined) saving.delete(slot);
    }
  }

  return {
    slotOf,
    flush,
    async report(familyIds) {
      await flush();
      return storedAllowances(storage, familyIds);
    },
  };
}
