import type { LimitRules, Refusal } from '../../src/domain/allowance.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/clock.ts';
import type { Plan } from '../../src/domain/plan.ts';

/** The model's decision on a request. */
export interface Expected {
  readonly refusal: Refusal | undefined;
  readonly minuteRemaining: number;
  readonly dayRemaining: number;
  readonly bannedUntil: number | undefined;
}

/**
 * The limiter as one would explain it on paper. It forgets nothing: it has a count for every minute
 * and every day, a list of all refusals, and a list of all bans.
 */
export class NaiveLimiter {
  readonly #rules: LimitRules;
  readonly #used = new Map<string, number>();
  #refusals: number[] = [];
  #bans: { until: number }[] = [];

  constructor(rules: LimitRules) {
    this.#rules = rules;
  }

  unban(): void {
    this.#refusals = [];
    this.#bans = [];
  }

  charge(plan: Plan, now: number): Expected {
    const minute = `minute ${Math.floor(now / MINUTE_MS)}`;
    const day = `day ${Math.floor(now / DAY_MS)}`;
    const used = (window: string) => this.#used.get(window) ?? 0;
    const bannedUntil = this.#bans.map(({ until }) => until).find((until) => now < until);

    let refusal: Refusal | undefined;
    if (bannedUntil !== undefined) refusal = 'banned';
    else if (used(day) >= plan.perDay) refusal = 'day';
    else if (used(minute) >= plan.perMinute) refusal = 'minute';

    if (refusal === undefined) {
      this.#used.set(minute, used(minute) + 1);
      this.#used.set(day, used(day) + 1);
    } else if (refusal !== 'banned') {
      this.#countRefusal(now);
    }
    return {
      refusal,
      minuteRemaining: Math.max(0, plan.perMinute - used(minute)),
      dayRemaining: Math.max(0, plan.perDay - used(day)),
      bannedUntil,
    };
  }

  #countRefusal(now: number): void {
    const { banRefusals, banSeconds, banMaxSeconds } = this.#rules;
    const minute = Math.floor(now / MINUTE_MS);
    this.#refusals = this.#refusals.filter((at) => Math.floor(at / MINUTE_MS) === minute);
    this.#refusals.push(now);
    if (this.#refusals.length < banRefusals) return;
    const last = this.#bans.at(-1);
    if (last !== undefined && now - last.until >= DAY_MS) this.#bans = [];
    const seconds = Math.min(banSeconds * 2 ** this.#bans.length, banMaxSeconds);
    this.#bans.push({ until: now + seconds * SECOND_MS });
    this.#refusals = [];
  }
}
