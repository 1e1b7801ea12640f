import type {
  AllowanceStorage,
  Decision,
  Limiter,
  LimitRules,
  QuotaStatus,
} from '../domain/allowance.ts';
import type { Caller } from '../domain/api-key.ts';
import { allocateAddresses, createSharedAddressCounts, freeAddressesHeldBy } from './addresses.ts';
import { createSlotAllocator, type SlotAllocator } from './slot-allocator.ts';
import { allocateSlots, createSlots, type Slots } from './slots.ts';
import { chargeCounts, type KeyCounts, lift, quotaAt } from './windows-and-bans.ts';

/** The main thread is the first worker. The others count on from here. */
export const MAIN_THREAD = 1;

/** The counts of all threads of a process. */
export interface LimitMemory {
  readonly keys: SharedArrayBuffer;
  readonly addresses: SharedArrayBuffer;
}

/** The pause before a slot or a table that another thread holds is tried again, in milliseconds. */
const RETRY_MS = 1;

/**
 * Families that have a slot at once; others take the slots of those whose counts are saved. The runtime counts
 * the memory of all slots as used in each thread, and the larger the heap, the later it removes garbage.
 */
const FAMILIES_MAX = 16_384;

/** Allocates empty counts. */
export function allocateLimitMemory(families = FAMILIES_MAX): LimitMemory {
  return { keys: allocateSlots(families), addresses: allocateAddresses() };
}

/** What this process counts, in memory that all its threads share. */
export interface LocalLimits {
  readonly memory: LimitMemory;
  readonly allocator: SlotAllocator;
  /** The limiter of the main thread. */
  readonly limiter: Limiter;
  /** Frees what a thread held when it died. */
  freeHeldBy(thread: number): void;
}

/** Opens the counts of this process, on its main thread. */
export function openLocalLimits(
  storage: AllowanceStorage,
  rules: LimitRules,
  families?: number,
): LocalLimits {
  const memory = allocateLimitMemory(families);
  const slots = createSlots(memory.keys, MAIN_THREAD);
  const allocator = createSlotAllocator(storage, slots);
  return {
    memory,
    allocator,
    limiter: createThreadLimiter(memory, slots, MAIN_THREAD, allocator, rules),
    freeHeldBy(thread) {
      slots.freeHeldBy(thread);
      freeAddressesHeldBy(memory.addresses, thread);
    },
  };
}

/**
 * Creates the limiter of one thread: exact over all threads that use the same memory. The allocator reads counts from
 * the storage when a key is first seen and saves them at a flush, so a clean restart loses none and a kill loses those
 * since the last flush. It fails closed: if a count cannot be read, the request gets the storage's error.
 */
export function createThreadLimiter(
  memory: Pick<LimitMemory, 'addresses'>,
  slots: Slots,
  thread: number,
  allocator: SlotAllocator,
  rules: LimitRules,
): Limiter {
  const slotsByFamily = new Map<bigint, number>();
  const addresses = createSharedAddressCounts(memory.addresses, thread, rules);

  function charge(counts: KeyCounts, caller: Caller, now: number): Decision {
    const decision = chargeCounts(counts, caller, now, rules);
    slots.release(true);
    return decision;
  }

  function peek(counts: KeyCounts, caller: Caller, now: number): QuotaStatus {
    const isLifted = lift(counts, caller.unbannedAt);
    const quota = quotaAt(counts, caller, now);
    slots.release(isLifted);
    return quota;
  }

  /** Returns undefined if this thread does not know the slot, or another one holds it. */
  function run<T>(caller: Caller, now: number, work: Work<T>): T | undefined {
    const slot = slotsByFamily.get(caller.familyId);
    const counts = slot === undefined ? undefined : slots.hold(slot, caller.familyId);
    return counts === undefined ? undefined : work(counts, caller, now);
  }

  async function runLater<T>(caller: Caller, now: number, work: Work<T>): Promise<T> {
    const { familyId } = caller;
    const slot = await allocator.slotOf(familyId);

    if (slotsByFamily.size >= FAMILIES_MAX) slotsByFamily.clear();
    slotsByFamily.set(familyId, slot);
    const again = () => runLater(caller, now, work);
    return run(caller, now, work) ?? Bun.sleep(RETRY_MS).then(again);
  }

  return {
    charge: async (caller, now) => run(caller, now, charge) ?? runLater(caller, now, charge),
    peek: async (caller, now) => run(caller, now, peek) ?? runLater(caller, now, peek),
    chargeAddress: (group, now) => untilDone(() => addresses.charge(group, now)),
    peekAddress: (group, now) => untilDone(() => addresses.peek(group, now)),
    flush: allocator.flush,
    report: allocator.report,
    sharing: () => undefined,
    close: async () => {},
  };
}

/** Work on held counts. Releases them. */
type Work<T> = (counts: KeyCounts, caller: Caller, now: number) => T;

/** Repeats work until it returns a result. */
async function untilDone<T>(work: () => T | undefined): Promise<T> {
  return work() ?? Bun.sleep(RETRY_MS).then(() => untilDone(work));
}
