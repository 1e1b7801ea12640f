import { describe, expect, test } from 'bun:test';
import { SECOND_MS } from '../../src/domain/clock.ts';
import { NOON, type OpenLimiter, RULES } from './conformance.ts';

/** The behaviour of every limiter for concurrent requests. */
export function atOnceConformance(name: string, open: OpenLimiter): void {
  describe(`the ${name} limiter, for concurrent requests,`, () => {
    test('grants, refuses and bans in order', async () => {
      await using under = await open(RULES);
      const caller = await under.caller(60, 1_000);
      await under.limiter.peek(caller, NOON);
      const decisions = await Promise.all(
        Array.from({ length: 300 }, async () => under.limiter.charge(caller, NOON)),
      );
      const remaining = decisions.slice(0, 60).map(({ quota }) => quota.minute.remaining);
      expect(remaining).toEqual(Array.from({ length: 60 }, (_, n) => 59 - n));
      expect(decisions.map(({ refusal }) => refusal)).toEqual([
        ...Array(60).fill(undefined),
        ...Array(60).fill('minute'),
        ...Array(180).fill('banned'),
      ]);
      // The refusal that completes the count sets the ban, and is not itself banned.
      expect(decisions.findIndex(({ setsBan }) => setsBan)).toBe(119);
      const { bannedUntil } = await under.limiter.peek(caller, NOON);
      expect(bannedUntil).toBe(NOON + RULES.banSeconds * SECOND_MS);
    });

    test('keeps their order across callers and kinds', async () => {
      await using under = await open(RULES);
      const [one, two] = [await under.caller(3, 9), await under.caller(60, 1_000)];
      const { limiter } = under;
      await Promise.all([limiter.peek(one, NOON), limiter.peek(two, NOON)]);
      const remaining = await Promise.all([
        limiter.charge(one, NOON),
        limiter.charge(two, NOON),
        limiter.peek(one, NOON),
        limiter.charge(one, NOON + 1),
        limiter.chargeAddress('192.0.2.1', NOON),
        limiter.charge(one, NOON + 1),
        limiter.charge(two, NOON),
        limiter.chargeAddress('192.0.2.1', NOON),
        limiter.peekAddress('192.0.2.2', NOON),
        limiter.charge(one, NOON),
      ]).then((found) =>
        found.map((each) => ('quota' in each ? each.quota : each).minute.remaining),
      );
      expect(remaining).toEqual([2, 59, 2, 1, 59, 0, 58, 58, 60, 0]);
    });
  });
}
