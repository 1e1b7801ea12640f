import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Decision, Limiter, LimitRules } from '../../src/domain/allowance.ts';
import type { Caller } from '../../src/domain/api-key.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/clock.ts';
import { NaiveLimiter } from './model.ts';

/** A limiter under test, with the storage of its counts. */
export interface LimiterUnderTest extends AsyncDisposable {
  readonly limiter: Limiter;
  /** Closes or kills it, and opens it again on its stored counts. */
  restart(how?: 'cleanly' | 'by a kill'): Promise<void>;
  /** Creates a caller with its own key. */
  caller(perMinute: number, perDay: number): Promise<Caller>;
}

export type OpenLimiter = (rules: LimitRules) => Promise<LimiterUnderTest>;

export const RULES: LimitRules = {
  banRefusals: 60,
  banSeconds: 900,
  banMaxSeconds: 86_400,
  anonymousPerMinute: 60,
};

/** 10:00:00 on a day. */
export const NOON = Date.UTC(2027, 2, 3, 10);

/** A step of the random walk: time moves, a key is used, or the limiter restarts. */
type Step =
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'set back'; readonly ms: number }
  | {
      readonly kind: 'ask';
      readonly key: number;
      readonly times: number;
      /** All at once, not each after the response to the previous one. */
      readonly atOnce: boolean;
    }
  | { readonly kind: 'unban'; readonly key: number }
  | { readonly kind: 'restart' };

const key = fc.nat(2);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('pass'), ms: fc.nat(40 * SECOND_MS) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pass'), ms: fc.nat(30 * HOUR_MS) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('set back'), ms: fc.nat(MINUTE_MS) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('ask'),
      key,
      times: fc.integer({ min: 1, max: 9 }),
      atOnce: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unban'), key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart') }) },
);

/** The behaviour of every limiter, however it stores its counts. */
export function limiterConformance(name: string, open: OpenLimiter): void {
  describe(`the ${name} limiter`, () => {
    test('grants as many as the plan says in a minute, and counts down to 0', async () => {
      await using under = await open(RULES);
      const caller = await under.caller(60, 1_000);
      const remaining: number[] = [];
      for (let i = 0; i < 60; i++) {
        const { quota, refusal } = await under.limiter.charge(caller, NOON + i);
        expect(refusal).toBeUndefined();
        remaining.push(quota.minute.remaining);
      }
      expect(remaining).toEqual(Array.from({ length: 60 }, (_, i) => 59 - i));
      const { refusal, quota } = await under.limiter.charge(caller, NOON + MINUTE_MS - 1);
      expect(refusal).toBe('minute');
      expect(quota.minute).toEqual({ limit: 60, remaining: 0, resetsAt: NOON + MINUTE_MS });
      expect(quota.day?.remaining).toBe(940);
      const next = await under.limiter.charge(caller, NOON + MINUTE_MS);
      expect(next.refusal).toBeUndefined();
    });

    test('reports the day if both windows are used up, because it ends later', async () => {
      await using under = await open(RULES);
      const caller = await under.caller(5, 5);
      for (let i = 0; i < 5; i++) await under.limiter.charge(caller, NOON);
      const { refusal, quota } = await under.limiter.charge(caller, NOON);
      expect(refusal).toBe('day');
      expect(quota.day?.resetsAt).toBe(Date.UTC(2027, 2, 4));
      expect((await under.limiter.charge(caller, NOON + HOUR_MS)).refusal).toBe('day');
      expect((await under.limiter.charge(caller, Date.UTC(2027, 2, 4))).refusal).toBeUndefined();
    });

    test('looking is unmetered', async () => {
      await using under = await open(RULES);
      const caller = await under.caller(3, 9);
      for (let i = 0; i < 10; i++) await under.limiter.peek(caller, NOON);
      await under.limiter.charge(caller, NOON);
      const quota = await under.limiter.peek(caller, NOON);
      expect(quota.minute.remaining).toBe(2);
      expect(quota.day?.remaining).toBe(8);
    });

    test('one key uses nothing of another', async () => {
      await using under = await open(RULES);
      const [one, other] = [await under.caller(2, 10), await under.caller(2, 10)];
      for (let i = 0; i < 5; i++) await under.limiter.charge(one, NOON);
      expect((await under.limiter.charge(other, NOON)).quota.minute.remaining).toBe(1);
    });

    test('applies a changed plan at once and keeps the count', async () => {
      await using under = await open(RULES);
      const caller = await under.caller(2, 10);
      await under.limiter.charge(caller, NOON);
      await under.limiter.charge(caller, NOON);
      const bigger = { ...caller, plan: { ...caller.plan, perMinute: 5 } };
      expect((await under.limiter.charge(bigger, NOON)).quota.minute.remaining).toBe(2);
      const smaller = { ...caller, plan: { ...caller.plan, perMinute: 1 } };
      const { refusal, quota } = await under.limiter.charge(smaller, NOON);
      expect(refusal).toBe('minute');
      expect(quota.minute.remaining).toBe(0);
    });

    test('a clean restart loses nothing', async () => {
      await using under = await open(RULES);
      const caller = await under.caller(10, 20);
      for (let i = 0; i < 10; i++) await under.limiter.charge(caller, NOON);
      await under.restart();
      const { refusal, quota } = await under.limiter.charge(caller, NOON);
      expect(refusal).toBe('minute');
      expect(quota.day?.remaining).toBe(10);
    });

    test('concurrent requests are each counted once', async () => {
      await using under = await open(RULES);
      const caller = await under.caller(60, 1_000);
      const decisions = await Promise.all(
        Array.from({ length: 200 }, async () => under.limiter.charge(caller, NOON)),
      );
      const granted = decisions.filter(({ refusal }) => refusal === undefined);
      expect(granted).toHaveLength(60);
      const seen = granted.map(({ quota }) => quota.minute.remaining);
      expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i));
    });

    banConformance(open);
    addressConformance(open);

    test('agrees with the model on every random walk', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 60 }), (steps) => walk(open, steps)),
        { numRuns: 60 },
      );
    }, 60_000);
  });
}

/** Walks a limiter and the model side by side over keys with small plans. */
async function walk(open: OpenLimiter, steps: readonly Step[]): Promise<void> {
  const rules = { ...RULES, banRefusals: 7, banMaxSeconds: 3_600 };
  await using under = await open(rules);
  const keys = await Promise.all(
    [2, 5, 8].map(async (perMinute) => ({
      caller: await under.caller(perMinute, 3 * perMinute),
      model: new NaiveLimiter(rules),
    })),
  );
  let now = NOON;
  let latest = now;
  for (const at of steps) {
    if (at.kind === 'pass') now += at.ms;
    // Clocks are set back a little; the promise covers the previous window.
    if (at.kind === 'set back') now = Math.max(now - at.ms, latest - MINUTE_MS);
    latest = Math.max(latest, now);
    if (at.kind === 'restart') await under.restart();
    if (at.kind === 'unban') {
      const unbanned = keys[at.key];
      if (unbanned === undefined) continue;
      // An unban takes effect once for each timestamp, so timestamps must differ.
      latest = now = Math.max(now, latest) + 1;
      unbanned.caller = { ...unbanned.caller, unbannedAt: now };
      unbanned.model.unban();
    }
    if (at.kind !== 'ask') continue;
    const subject = keys[at.key];
    if (subject === undefined) continue;
    const charge = async () => under.limiter.charge(subject.caller, now);
    // Requests that come while a key is being read may overtake each other.
    if (at.atOnce) await under.limiter.peek(subject.caller, now);
    const decisions: Promise<Decision>[] = [];
    for (let i = 0; i < at.times; i++) {
      const decision = charge();
      if (!at.atOnce) await decision;
      decisions.push(decision);
    }
    for (const { refusal, quota } of await Promise.all(decisions)) {
      const real = {
        refusal,
        minuteRemaining: quota.minute.remaining,
        dayRemaining: quota.day?.remaining,
        bannedUntil: quota.bannedUntil,
      };
      expect(real).toEqual(subject.model.charge(subject.caller.plan, now));
    }
  }
}

function banConformance(open: OpenLimiter): void {
  const MINUTE = MINUTE_MS;

  /** Uses the plan up and is refused often enough for a ban; returns the time of the last refusal. */
  async function earnBan(limiter: Limiter, caller: Caller, at: number): Promise<void> {
    while ((await limiter.charge(caller, at)).refusal === undefined);
    for (let i = 1; i < RULES.banRefusals; i++) {
      expect((await limiter.charge(caller, at)).refusal).toBe('minute');
    }
  }

  test('60 refusals within a minute ban a key; the next request meets the ban', async () => {
    await using under = await open(RULES);
    const caller = await under.caller(1, 1_000);
    await earnBan(under.limiter, caller, NOON);
    const { refusal, quota } = await under.limiter.charge(caller, NOON + 5);
    expect(refusal).toBe('banned');
    expect(quota.bannedUntil).toBe(NOON + 15 * MINUTE);
    // Requests during the ban neither extend it nor count.
    await under.limiter.charge(caller, NOON + 14 * MINUTE);
    expect((await under.limiter.charge(caller, NOON + 15 * MINUTE - 1)).refusal).toBe('banned');
    const after = await under.limiter.charge(caller, NOON + 15 * MINUTE);
    expect(after.refusal).toBeUndefined();
    expect(after.quota.day?.remaining).toBe(998);
  });

  test('59 refusals in one minute and 59 in the next ban nobody', async () => {
    await using under = await open(RULES);
    const caller = await under.caller(1, 1_000);
    for (const minute of [0, 1]) {
      for (let i = 0; i < 60; i++) await under.limiter.charge(caller, NOON + minute * MINUTE);
    }
    expect((await under.limiter.peek(caller, NOON + MINUTE)).bannedUntil).toBeUndefined();
  });

  test('bans double within a day, up to 24 hours, and start over after a quiet day', async () => {
    await using under = await open(RULES);
    const caller = await under.caller(1, 1_000);
    let at = NOON;
    const lengths: number[] = [];
    for (let i = 0; i < 9; i++) {
      await earnBan(under.limiter, caller, at);
      const until = (await under.limiter.peek(caller, at)).bannedUntil ?? at;
      lengths.push((until - at) / MINUTE);
      at = until;
    }
    expect(lengths).toEqual([15, 30, 60, 120, 240, 480, 960, 1440, 1440]);
    at += DAY_MS;
    await earnBan(under.limiter, caller, at);
    expect((await under.limiter.peek(caller, at)).bannedUntil).toBe(at + 15 * MINUTE);
  });

  test('an unban ends the ban, and resets the doubling and the refusals', async () => {
    await using under = await open(RULES);
    const caller = await under.caller(1, 1_000);
    await earnBan(under.limiter, caller, NOON);
    const unbanned = { ...caller, unbannedAt: NOON + 1 };
    expect((await under.limiter.peek(unbanned, NOON + 2)).bannedUntil).toBeUndefined();
    await earnBan(under.limiter, unbanned, NOON + MINUTE);
    const { bannedUntil } = await under.limiter.peek(unbanned, NOON + MINUTE);
    expect(bannedUntil).toBe(NOON + 16 * MINUTE);
  });

  test('a ban and its doubling outlive a restart', async () => {
    await using under = await open(RULES);
    const caller = await under.caller(1, 1_000);
    await earnBan(under.limiter, caller, NOON);
    await under.restart();
    expect((await under.limiter.charge(caller, NOON + MINUTE)).refusal).toBe('banned');
    const later = NOON + 15 * MINUTE;
    await earnBan(under.limiter, caller, later);
    expect((await under.limiter.peek(caller, later)).bannedUntil).toBe(later + 30 * MINUTE);
  });
}

function addressConformance(open: OpenLimiter): void {
  test('an address without a key has a minute window only, and no ban', async () => {
    await using under = await open({ ...RULES, anonymousPerMinute: 3 });
    const seen = [];
    for (let i = 0; i < 70; i++) {
      const { refusal, quota } = await under.limiter.chargeAddress('192.0.2.1', NOON);
      seen.push(refusal);
      expect(quota.day).toBeUndefined();
      expect(quota.bannedUntil).toBeUndefined();
    }
    expect(seen.filter((refusal) => refusal === undefined)).toHaveLength(3);
    expect(new Set(seen.slice(3))).toEqual(new Set(['minute']));
    const other = await under.limiter.chargeAddress('192.0.2.2', NOON);
    expect(other.quota.minute).toEqual({ limit: 3, remaining: 2, resetsAt: NOON + MINUTE_MS });
    const next = await under.limiter.chargeAddress('192.0.2.1', NOON + MINUTE_MS);
    expect(next.refusal).toBeUndefined();
    expect((await under.limiter.peekAddress('192.0.2.1', NOON)).minute.remaining).toBe(0);
  });
}
