import type { Clock } from '../../src/domain/clock.ts';

/** A clock that only moves when a test moves it. */
export interface TestClock extends Clock {
  advance(milliseconds: number): void;
  set(time: number): void;
}

/** A time long before the sunset of any operation, and not at the start of a minute or day. */
const START = Date.UTC(2027, 0, 15, 12, 0, 30, 250);

export function createTestClock(start = START): TestClock {
  let time = start;
  return {
    now: () => time,
    advance(milliseconds) {
      time += milliseconds;
    },
    set(to) {
      time = to;
    },
  };
}
