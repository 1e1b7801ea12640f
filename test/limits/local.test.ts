import { describe, expect, test } from 'bun:test';
import type { AllowanceStorage, Limiter } from '../../src/domain/allowance.ts';
import { type Caller, callerOf } from '../../src/domain/api-key.ts';
import { MINUTE_MS } from '../../src/domain/clock.ts';
import type { Storage } from '../../src/domain/storage.ts';
import { createAddressCounts } from '../../src/limits/addresses.ts';
import { createLocalLimiter } from '../../src/limits/local.ts';
import { openStorage } from '../../src/storage/open.ts';
import { chosenEngine } from '../support/engines.ts';
import { eventuallyIs } from '../support/eventually.ts';
import { atOnceConformance } from './at-once-conformance.ts';
import { type LimiterUnderTest, limiterConformance, NOON, RULES } from './conformance.ts';
import { familyConformance } from './family-conformance.ts';

/** The limiter of a process over a real database. */
const openOne = (rules = RULES) =>
  openWith((storage) => [createLocalLimiter(storage.allowances, rules)]);

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

limiterConformance('local', openOne);
atOnceConformance('local', openOne);
familyConformance('local', openOne);

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

describe('the limiter of a process', () => {
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
    const limiter = createLocalLimiter(storage, RULES);
    await limiter.charge(callerWith(7n), NOON);
    expect(limiter.flush()).rejects.toThrow('out of service');
    broken = false;
    await limiter.flush();
    await limiter.flush();
    expect(saved).toEqual([7n]);
  });
});

test('a limiter forgets families whose counts are saved when it has too many', async () => {
  const saved = new Map<bigint, number>();
  const storage: AllowanceStorage = {
    ...NO_STORAGE,
    async save(allowances) {
      for (const { keyId, minute } of allowances) saved.set(keyId, minute.used);
    },
  };
  const limiter = createLocalLimiter(storage, RULES, 4);
  for (let id = 1n; id <= 40n; id++) {
    for (let n = 0; n < 2; n++) await limiter.charge(callerWith(id), NOON);
  }
  await limiter.flush();
  expect([...saved]).toEqual(Array.from({ length: 40 }, (_, n) => [BigInt(n + 1), 2]));
});

test('what is charged while a flush saves is saved by the next one', async () => {
  const { promise: saved, resolve } = Promise.withResolvers<void>();
  const used: number[] = [];
  const storage: AllowanceStorage = {
    ...NO_STORAGE,
    async save(allowances) {
      used.push(...allowances.map(({ minute }) => minute.used));
      return saved;
    },
  };
  const limiter = createLocalLimiter(storage, RULES, 1);
  await limiter.charge(callerWith(7n), NOON);
  const first = limiter.flush();
  await eventuallyIs(() => used.length, 1);
  await limiter.charge(callerWith(7n), NOON);
  await limiter.charge(callerWith(7n), NOON);
  const last = limiter.flush();
  resolve();
  await Promise.all([first, last]);
  expect(used).toEqual([1, 3]);
});

test('addresses beyond 100,000 share counts, and have new ones in the next minute', () => {
  const counts = createAddressCounts({ anonymousPerMinute: 60 });
  const nameOf = (n: number) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
  for (let n = 0; n < 100_000; n++) counts.charge(nameOf(n), NOON);
  expect(counts.peek(nameOf(7), NOON).minute.remaining).toBe(59);
  let refused = 0;
  for (let n = 100_000; n < 700_000; n++) {
    if (counts.charge(nameOf(n), NOON).refusal !== undefined) refused++;
  }
  // 4,096 shared counts of 60 each.
  expect(refused).toBe(600_000 - 4_096 * 60);
  expect(counts.peek(nameOf(7), NOON + MINUTE_MS).minute.remaining).toBe(60);
  expect(counts.peek(nameOf(7), NOON).minute.remaining).toBe(59);
});
