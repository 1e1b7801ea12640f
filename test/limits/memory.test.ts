import { describe, expect, test } from 'bun:test';
import type { Limiter } from '../../src/domain/allowance.ts';
import type { Caller } from '../../src/domain/caller.ts';
import { MINUTE_MS } from '../../src/domain/clock.ts';
import { createMemoryLimiter } from '../../src/limits/memory.ts';
import { openStorage } from '../../src/storage/open.ts';
import { chosenEngine } from '../support/engines.ts';
import { atOnceConformance } from './at-once-conformance.ts';
import { type LimiterUnderTest, limiterConformance, NOON, RULES } from './conformance.ts';
import { familyConformance } from './family-conformance.ts';

/** The memory limiter over a real database. */
async function openMemory(rules = RULES): Promise<LimiterUnderTest> {
  const database = await chosenEngine().createDatabase();
  let storage = await openStorage(database.address, 'production');
  let limiter = createMemoryLimiter(storage.allowances, rules);
  let keys = 0;
  return {
    limiter: {
      charge: (caller, now) => limiter.charge(caller, now),
      look: (caller, now) => limiter.look(caller, now),
      chargeAddress: (group, now) => limiter.chargeAddress(group, now),
      lookAddress: (group, now) => limiter.lookAddress(group, now),
      flush: () => limiter.flush(),
      report: (keyIds) => limiter.report(keyIds),
      sharing: () => limiter.sharing(),
      close: () => limiter.close(),
    },
    async restart(how = 'cleanly') {
      if (how === 'cleanly') await limiter.flush();
      await storage.close();
      storage = await openStorage(database.address, 'production');
      limiter = createMemoryLimiter(storage.allowances, rules);
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
      const plan = { name: 'enterprise', perMinute, perDay } as const;
      return {
        keyId: key.id,
        familyId: key.id,
        scopes: key.scopes,
        plan,
        unbannedAt: null,
        name: 'a test',
        expiresAt: null,
      };
    },
    async [Symbol.asyncDispose]() {
      await storage.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

limiterConformance('memory', openMemory);
atOnceConformance('memory', openMemory);
familyConformance('memory', openMemory);

describe('the memory limiter by itself', () => {
  test('a kill loses only counts since the last flush', async () => {
    await using under = await openMemory();
    const caller = await under.caller(10, 100);
    for (let i = 0; i < 4; i++) await under.limiter.charge(caller, NOON);
    await under.limiter.flush();
    await under.limiter.charge(caller, NOON);
    await under.restart('by a kill');
    expect((await under.limiter.look(caller, NOON)).minute.remaining).toBe(6);
  });

  test('counts that could not be saved are saved by the next flush', async () => {
    let broken = true;
    const saved: bigint[] = [];
    const limiter = createMemoryLimiter(
      {
        find: () => undefined,
        list: () => [],
        save(allowances) {
          if (broken) throw new Error('out of service');
          saved.push(...allowances.map(({ keyId }) => keyId));
        },
      },
      RULES,
    );
    const plan = { name: 'free', perMinute: 60, perDay: 1_000 } as const;
    const caller: Caller = {
      keyId: 7n,
      familyId: 7n,
      scopes: ['read'],
      plan,
      unbannedAt: null,
      name: 'a test',
      expiresAt: null,
    };
    await limiter.charge(caller, NOON);
    const failing = async () => limiter.flush();
    expect(failing()).rejects.toThrow('out of service');
    broken = false;
    await limiter.flush();
    await limiter.flush();
    expect(saved).toEqual([7n]);
  });

  test('any number of keys takes bounded memory, and no count is lost', async () => {
    const looked: bigint[] = [];
    const limiter = createMemoryLimiter(
      {
        find(familyId) {
          looked.push(familyId);
          return undefined;
        },
        list: () => [],
        save: () => {},
      },
      RULES,
    );
    const plan = { name: 'free', perMinute: 60, perDay: 1_000 } as const;
    const key = (id: number): Caller => {
      const keyId = BigInt(id);
      return {
        keyId,
        familyId: keyId,
        scopes: ['read'],
        plan,
        unbannedAt: null,
        name: 'a test',
        expiresAt: null,
      };
    };
    await limiter.charge(key(1), NOON);
    for (let id = 2; id <= 100_001; id++) await limiter.look(key(id), NOON);
    looked.length = 0;
    // Unsaved states stay; of the others, the oldest was dropped.
    expect((await limiter.look(key(1), NOON)).minute.remaining).toBe(59);
    await limiter.look(key(3), NOON);
    await limiter.look(key(100_001), NOON);
    expect(looked).toEqual([]);
    await limiter.look(key(2), NOON);
    expect(looked).toEqual([2n]);

    await limiter.flush();
    await limiter.look(key(100_002), NOON);
    await limiter.look(key(1), NOON);
    expect(looked).toEqual([2n, 100_002n, 1n]);
  });

  test('any number of addresses takes bounded memory, and all are counted', async () => {
    await using under = await openMemory();
    const refused = await flood(under.limiter, 500_000);
    expect(refused).toBeGreaterThan(0);
    const fresh = await under.limiter.chargeAddress('198.51.100.7', NOON + MINUTE_MS);
    expect(fresh.quota.minute.remaining).toBe(59);
  });
});

/** Sends one request from each of `count` addresses; returns the number of refusals. */
async function flood(limiter: Limiter, addresses: number): Promise<number> {
  let refused = 0;
  for (let i = 0; i < addresses; i++) {
    const group = `2001:db8:${(i >> 16).toString(16)}:${(i & 0xffff).toString(16)}::/64`;
    const { refusal } = await limiter.chargeAddress(group, NOON);
    if (refusal !== undefined) refused++;
  }
  return refused;
}
