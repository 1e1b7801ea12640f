import type { Timekeeper } from '../../src/http/awaited-bodies.ts';

/** A fake clock with its scheduled calls. */
export interface TestTime extends Timekeeper {
  advance(milliseconds: number): void;
  /** The number of waiting calls, and of all calls scheduled so far. */
  readonly waiting: number;
  readonly scheduled: number;
}

/** Creates a clock at 0. */
export function createTestTime(): TestTime {
  let time = 0;
  let scheduled = 0;
  let calls: { readonly at: number; call(): void }[] = [];
  return {
    now: () => time,
    wake(afterMs, call) {
      scheduled++;
      calls.push({ at: time + afterMs, call });
    },
    advance(milliseconds) {
      const end = time + milliseconds;
      for (;;) {
        const [next] = calls.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        calls = calls.filter((other) => other !== next);
        time = next.at;
        next.call();
      }
      time = end;
    },
    get waiting() {
      return calls.length;
    },
    get scheduled() {
      return scheduled;
    },
  };
}
