import type { AllowanceStorage, Limiter, LimitRules } from '../domain/allowance.ts';
import type { Caller } from '../domain/api-key.ts';
import { createAddressCounts } from './addresses.ts';
import {
  chargeCounts,
  countsOf,
  type KeyCounts,
  type KeyUse,
  lift,
  noteUse,
  quotaAt,
} from './windows-and-bans.ts';

/** A limiter that also accepts counts of other instances. */
export interface LocalLimiter extends Limiter {
  /** Notes what others have counted for the family of a caller, to continue from there. */
  note(caller: Caller, use: KeyUse, now: number): void;
  noteAddress(group: string, used: number, now: number): void;
}

/** The most families whose counts are in memory. Saved ones make room for others. */
const FAMILIES_MAX = 16_384;

/**
 * Creates the limiter of a process. It reads the counts of a family when one of its keys is first seen, and
 * saves them at a flush: a clean restart loses none, and a kill those since the last flush. It fails closed:
 * if a count cannot be read, the request gets the storage's error.
 */
export function createLocalLimiter(
  storage: AllowanceStorage,
  rules: LimitRules,
  familiesMax = FAMILIES_MAX,
): LocalLimiter {
  const families = new Map<bigint, KeyCounts>();
  const reading = new Map<bigint, Promise<void>>();
  const { unsaved, isSaved, flush } = createSaving(storage, families);
  const addresses = createAddressCounts(rules);

  /** Forgets the saved family that was read first. */
  async function makeRoom(): Promise<void> {
    for (const id of families.keys()) {
      if (isSaved(id)) return void families.delete(id);
    }
    await flush();
  }

  async function read(id: bigint): Promise<void> {
    const stored = await storage.find(id);
    while (families.size >= familiesMax) await makeRoom();
    families.set(id, countsOf(id, stored));
  }

  /** Waits until the counts of a family are in memory. Requests that come meanwhile wait for the same. */
  async function countsLater(id: bigint): Promise<KeyCounts> {
    for (;;) {
      const counts = families.get(id);
      if (counts !== undefined) return counts;
      const joined = reading.get(id) ?? read(id).finally(() => reading.delete(id));
      reading.set(id, joined);
      await joined;
    }
  }

  function chargeTo(counts: KeyCounts, caller: Caller, now: number) {
    unsaved.add(caller.familyId);
    return chargeCounts(counts, caller, now, rules);
  }

  return {
    charge(caller, now) {
      const counts = families.get(caller.familyId);
      if (counts !== undefined) return chargeTo(counts, caller, now);
      return countsLater(caller.familyId).then((read) => chargeTo(read, caller, now));
    },
    async peek(caller, now) {
      const counts = families.get(caller.familyId) ?? (await countsLater(caller.familyId));
      if (lift(counts, caller.unbannedAt)) unsaved.add(caller.familyId);
      return quotaAt(counts, caller, now);
    },
    note(caller, use, now) {
      const id = caller.familyId;
      const counts = families.get(id) ?? countsOf(id);
      // The family that was noted first is dropped: its counts are stored nowhere, and nothing waits for them.
      const [oldest = id] = families.size < familiesMax ? [] : families.keys();
      if (!families.has(id)) families.delete(oldest);
      families.set(id, counts);
      noteUse(counts, caller, use, now);
    },
    noteAddress: (group, used, now) => addresses.note(group, used, now),
    chargeAddress: async (group, now) => addresses.charge(group, now),
    peekAddress: async (group, now) => addresses.peek(group, now),
    flush,
    async report(familyIds) {
      await flush();
      const wanted = new Set(familyIds);
      return (await storage.list()).filter(({ keyId }) => wanted.has(keyId));
    },
    sharing: () => undefined,
    close: async () => {},
  };
}

/** Saves counts: those of the families in `unsaved`. `isSaved` is false also while they are on their way. */
function createSaving(storage: AllowanceStorage, families: ReadonlyMap<bigint, KeyCounts>) {
  const unsaved = new Set<bigint>();
  const saving = new Set<bigint>();
  let saved: Promise<void> = Promise.resolve();
  let nextFlush: Promise<void> | undefined;

  async function save(): Promise<void> {
    const allowances = [...unsaved].flatMap((id) => {
      const counts = families.get(id);
      // A copy, which later charges do not change.
      return counts === undefined ? [] : countsOf(id, counts);
    });
    if (allowances.length === 0) return;
    for (const { keyId } of allowances) saving.add(keyId);
    unsaved.clear();
    try {
      await storage.save(allowances);
    } catch (error) {
      for (const id of saving) unsaved.add(id);
      throw error;
    } finally {
      saving.clear();
    }
  }

  /** Starts after the one under way, which may have taken the counts of a family before a charge. */
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

  return { unsaved, isSaved: (id: bigint) => !unsaved.has(id) && !saving.has(id), flush };
}
