import { describe, expect, test } from 'bun:test';
import type { AllowanceStorage, Limiter } from '../../src/domain/allowance.ts';
import { type Caller, callerOf } from '../../src/domain/api-key.ts';
import { MINUTE_MS } from '../../src/domain/clock.ts';
import type { Storage } from '../../src/domain/storage.ts';
import {
  addressIdentity,
  createSharedAddressCounts,
  freeAddressesHeldBy,
} from '../../src/limits/addresses.ts';
import {
  allocateLimitMemory,
  createThreadLimiter,
  openLocalLimits,
} from '../../src/limits/local.ts';
import { createSlotAllocator } from '../../src/limits/slot-allocator.ts';
import { createSlots } from '../../src/limits/slots.ts';
import { openStorage } from '../../src/storage/open.ts';
import { chosenEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { atOnceConformance } from './at-once-conformance.ts';
import { type LimiterUnderTest, limiterConformance, NOON, RULES } from './conformance.ts';
import { familyConformance } from './family-conformance.ts';
import { type Charged, type ChargeOrder, startThread } from './limit-thread.ts';

const MAIN_THREAD = 0;

/** The limiter of a process with one thread over a real database. */
const openOne = (rules = RULES) =>
  openWith((storage) => [openLocalLimits(storage.allowances, rules).limiter]);

async function openWith(open: (storage: Storage) => readonly Limiter[]): Promise<LimiterUnderTest> {
  const database = await chosenEngine().createDatabase();
  let storage = await openStorage(database.address, 'production');
  let turn = 0;
  let keys = 0;
  let limiters = open(storage);
  const next = (): Limiter => {
    const limiter = limiters[turn++ % limiters.length];
    if (limiter === undefined) throw new Error('there is no limiter');
    return limiter;
  };
  return {
    limiter: {
      charge: (caller, now) => next().charge(caller, now),
      peek: (caller, now) => next().peek(caller, now),
      chargeAddress: (group, now) => next().chargeAddress(group, now),
      peekAddress: (group, now) => next().peekAddress(group, now),
      flush: () => next().flush(),
      report: (keyIds) => next().report(keyIds),
      sharing: () => next().sharing(),
      close: () => next().close(),
    },
    async restart(how = 'cleanly') {
      if (how === 'cleanly') await next().flush();
      await storage.close();
      storage = await openStorage(database.address, 'production');
      limiters = open(storage);
    },
    async caller(perMinute, perDay) {
      const key = await storage.keys.create({
        hash: String(++keys).padStart(64, '0'),
        name: 'a test',
        plan: 'enterprise',
        perMinute,
        perDay,
        scopes: ['write'],
        createdAt: NOON,
        expiresAt: null,
      });
      return callerOf(key);
    },
    async [Symbol.asyncDispose]() {
      await storage.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

limiterConformance('one thread', openOne);
atOnceConformance('one thread', openOne);
familyConformance('one thread', openOne);

const NO_STORAGE: AllowanceStorage = {
  find: async () => undefined,
  list: async () => [],
  save: async () => {},
};
const callerWith = (id: bigint, perMinute = 60): Caller => ({
  keyId: id,
  name: 'a test',
  familyId: id,
  scopes: ['read'],
  plan: { name: 'enterprise', perMinute, perDay: 1_000_000 },
  unbannedAt: null,
  expiresAt: null,
});

describe('the limiter of one thread', () => {
  test('loses by a kill only counts since the last flush', async () => {
    await using under = await openOne();
    const caller = await under.caller(10, 100);
    for (let i = 0; i < 4; i++) await under.limiter.charge(caller, NOON);
    await under.limiter.flush();
    await under.limiter.charge(caller, NOON);
    await under.restart('by a kill');
    expect((await under.limiter.peek(caller, NOON)).minute.remaining).toBe(6);
  });

  test('saves by the next flush what could not be saved', async () => {
    let broken = true;
    const saved: bigint[] = [];
    const storage = {
      ...NO_STORAGE,
      async save(allowances: readonly { keyId: bigint }[]) {
        if (broken) throw new Error('out of service');
        saved.push(...allowances.map(({ keyId }) => keyId));
      },
    };
    const { limiter } = openLocalLimits(storage, RULES);
    await limiter.charge(callerWith(7n), NOON);
    expect(limiter.flush()).rejects.toThrow('out of service');
    broken = false;
    await limiter.flush();
    await limiter.flush();
    expect(saved).toEqual([7n]);
  });
});

describe('the limiters of several threads', () => {
  test('grant exactly what a plan and an address allow while all charge at once', async () => {
    const memory = allocateLimitMemory(10);
    const slots = createSlots(memory.keys, MAIN_THREAD);
    const allocator = createSlotAllocator(NO_STORAGE, slots);
    const perMinute = 20_000;
    const rules = { ...RULES, banRefusals: 1_000_000_000, anonymousPerMinute: perMinute };
    const slot = await allocator.slotOf(7n);
    const order: ChargeOrder = {
      memory,
      slot,
      rules,
      now: NOON,
      caller: callerWith(7n, perMinute),
      charges: perMinute,
    };
    await using threads = new AsyncDisposableStack();
    const started = [1, 2, 3].map((thread) => threads.use(startThread(thread, order)));
    await Promise.all(started.map(({ ready }) => ready));
    const charged: Charged[] = await Promise.all(started.map(({ charge }) => charge()));
    const sum = (of: (each: Charged) => number) => charged.reduce((all, each) => all + of(each), 0);
    expect(sum(({ byKey }) => byKey)).toBe(perMinute);
    expect(sum(({ byAddress }) => byAddress)).toBe(perMinute);
    // Each count was given to one thread only.
    const remaining = charged.flatMap(({ remainders }) => remainders);
    expect(new Set(remaining).size).toBe(perMinute);
    const [allowance] = await allocator.report([7n]).then(() => saved(slots, slot, 7n));
    expect(allowance).toBe(perMinute);
  });

  test('are not held up by a thread that died while it held a slot, and undo its charge', async () => {
    const memory = allocateLimitMemory(10);
    const allocator = createSlotAllocator(NO_STORAGE, createSlots(memory.keys, MAIN_THREAD));
    const slots = createSlots(memory.keys, 1);
    const limiter = createThreadLimiter(memory, slots, 1, allocator, RULES);
    await limiter.charge(callerWith(7n), NOON);
    const dying = createSlots(memory.keys, 2);
    const held = dying.hold(await allocator.slotOf(7n), 7n);
    if (held === undefined) throw new Error('the slot was held');
    held.minute.used = 55;
    let isDone = false;
    const later = Promise.resolve(limiter.charge(callerWith(7n), NOON)).finally(() => {
      isDone = true;
    });
    await Bun.sleep(5);
    expect(isDone).toBe(false);
    slots.freeHeldBy(2);
    expect((await later).quota.minute.remaining).toBe(58);
  });

  test('reuse the slots of families whose counts are saved', async () => {
    const saved = new Map<bigint, number>();
    const storage = {
      ...NO_STORAGE,
      async save(allowances: readonly { keyId: bigint; minute: { used: number } }[]) {
        for (const { keyId, minute } of allowances) saved.set(keyId, minute.used);
      },
    };
    const memory = allocateLimitMemory(4);
    const allocator = createSlotAllocator(storage, createSlots(memory.keys, MAIN_THREAD));
    const limiters = [1, 2].map((thread) =>
      createThreadLimiter(memory, createSlots(memory.keys, thread), thread, allocator, RULES),
    );
    for (let id = 1n; id <= 40n; id++) {
      for (const limiter of limiters) {
        const { quota } = await limiter.charge(callerWith(id), NOON);
        expect(quota.minute.limit).toBe(60);
      }
    }
    await allocator.flush();
    expect([...saved]).toEqual(Array.from({ length: 40 }, (_, n) => [BigInt(n + 1), 2]));
  });

  test('save what is charged while they save, before a flush is over', async () => {
    const { promise: saved, resolve } = Promise.withResolvers<void>();
    const used: number[] = [];
    const storage = {
      ...NO_STORAGE,
      async save(allowances: readonly { minute: { used: number } }[]) {
        used.push(...allowances.map(({ minute }) => minute.used));
        return saved;
      },
    };
    const memory = allocateLimitMemory(1);
    const slots = createSlots(memory.keys, MAIN_THREAD);
    const allocator = createSlotAllocator(storage, slots);
    const limiter = createThreadLimiter(memory, slots, MAIN_THREAD, allocator, RULES);
    await limiter.charge(callerWith(7n), NOON);
    const first = allocator.flush();
    await eventually(
      () => used.length,
      (count) => count === 1,
    );
    await limiter.charge(callerWith(7n), NOON);
    await limiter.charge(callerWith(7n), NOON);
    const last = allocator.flush();
    resolve();
    await Promise.all([first, last]);
    expect(used).toEqual([1, 3]);
  });
});

describe('the addresses that threads share', () => {
  test('each have a count of their own', () => {
    const groups = ['192.0.2.1', '0.0.0.0', '255.255.255.255', '0:0:0:0::/64', '2001:db8:0:1::/64'];
    groups.push('0:0:0:1::/64', 'ff00:0:0:0::/64', '', 'fe80::1%eth0');
    const identities = new Set(groups.map((group) => addressIdentity(group, 5n)));
    expect(identities.size).toBe(groups.length);
    expect(identities.has(0n)).toBe(false);
  });

  test('share counts beyond 100,000, and have new ones in the next minute', () => {
    const { addresses } = allocateLimitMemory(1);
    const one = createSharedAddressCounts(addresses, 1, { anonymousPerMinute: 60 });
    const other = createSharedAddressCounts(addresses, 2, { anonymousPerMinute: 60 });
    const nameOf = (n: number) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
    for (let n = 0; n < 100_000; n++) one.charge(nameOf(n), NOON);
    expect(other.peek(nameOf(7), NOON)?.minute.remaining).toBe(59);
    let refused = 0;
    for (let n = 100_000; n < 700_000; n++) {
      if (other.charge(nameOf(n), NOON)?.refusal !== undefined) refused++;
    }
    // 4,096 shared counts of 60 each.
    expect(refused).toBe(600_000 - 4_096 * 60);
    expect(one.peek(nameOf(7), NOON + MINUTE_MS)?.minute.remaining).toBe(60);
    expect(other.peek(nameOf(7), NOON)?.minute.remaining).toBe(59);
  });

  test('are not held up by a thread that died while it cleared a table', () => {
    const { addresses } = allocateLimitMemory(1);
    const header = new Int32Array(addresses, 8, 8);
    header[0] = 3;
    const counts = createSharedAddressCounts(addresses, 1, { anonymousPerMinute: 60 });
    expect(counts.charge('192.0.2.1', NOON)).toBeUndefined();
    freeAddressesHeldBy(addresses, 2);
    expect(counts.charge('192.0.2.1', NOON)?.quota.minute.remaining).toBe(59);
  });
});

/** The use of the minute of a family. */
function saved(slots: ReturnType<typeof createSlots>, slot: number, familyId: bigint): number[] {
  const counts = slots.hold(slot, familyId);
  if (counts === undefined) return [];
  const { used } = counts.minute;
  slots.release(false);
  return [used];
}
