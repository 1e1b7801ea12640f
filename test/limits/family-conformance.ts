import { describe, expect, test } from 'bun:test';
import type { Caller } from '../../src/domain/api-key.ts';
import { NOON, type OpenLimiter, RULES } from './conformance.ts';

/** The behaviour of every limiter for a key and its successors. */
export function familyConformance(name: string, open: OpenLimiter): void {
  describe(`the ${name} limiter, for a key and its successor,`, () => {
    const successorOf = (caller: Caller): Caller => ({ ...caller, keyId: caller.keyId + 1_000n });

    test('shares one count of the minute and of the day', async () => {
      await using under = await open(RULES);
      const old = await under.caller(4, 9);
      const successor = successorOf(old);
      await under.limiter.charge(old, NOON);
      const { quota } = await under.limiter.charge(successor, NOON);
      expect([quota.minute.remaining, quota.day?.remaining]).toEqual([2, 7]);
      await under.limiter.charge(old, NOON);
      await under.restart();
      expect((await under.limiter.charge(successor, NOON)).quota.minute.remaining).toBe(0);
      expect((await under.limiter.charge(old, NOON)).refusal).toBe('minute');
      expect((await under.limiter.peek(old, NOON)).day?.remaining).toBe(5);
      const [stored, ...others] = await under.limiter.report([old.familyId, successor.keyId]);
      expect(others).toEqual([]);
      expect(stored).toMatchObject({ keyId: old.familyId, day: { used: 4 } });
    });

    test('counts concurrent requests together', async () => {
      await using under = await open(RULES);
      const old = await under.caller(60, 1_000);
      const callers = [old, successorOf(old)];
      await under.limiter.peek(old, NOON);
      const decisions = await Promise.all(
        Array.from({ length: 100 }, (_, i) => under.limiter.charge(callers[i % 2] ?? old, NOON)),
      );
      const granted = decisions.filter(({ refusal }) => refusal === undefined);
      const remaining = granted.map(({ quota }) => quota.minute.remaining);
      expect(remaining.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i));
    });

    test('counts each against its own plan', async () => {
      await using under = await open(RULES);
      const old = await under.caller(5, 10);
      const successor = { ...successorOf(old), plan: { ...old.plan, perMinute: 3 } };
      for (let i = 0; i < 4; i++) await under.limiter.charge(old, NOON);
      expect((await under.limiter.charge(successor, NOON)).refusal).toBe('minute');
      expect((await under.limiter.charge(old, NOON)).refusal).toBeUndefined();
    });

    test('bans both, and lifts the ban of both', async () => {
      await using under = await open(RULES);
      const old = await under.caller(1, 10);
      const successor = successorOf(old);
      for (let i = 0; i < 1 + RULES.banRefusals; i++) await under.limiter.charge(old, NOON);
      expect((await under.limiter.charge(successor, NOON)).refusal).toBe('banned');
      const unbanned = { ...successor, unbannedAt: NOON + 1 };
      expect((await under.limiter.peek(unbanned, NOON + 2)).bannedUntil).toBeUndefined();
      expect((await under.limiter.peek(old, NOON + 2)).bannedUntil).toBeUndefined();
    });
  });
}
