import type { Clock } from '../../src/domain/clock.ts';

/** A clock that only moves when a test moves it. */
export interface TestClock extends Clock {
  advance(milliseconds: number): void;
  set(time: number): void;
  /** Holds the time, so that other threads can read it with `clockIn`. */
  readonly memory: SharedArrayBuffer;
}

/** A time long before the sunset of any operation, and not at the start of a minute or day. */
const START = Date.UTC(2027, 0, 15, 12, 0, 30, 250);

export function createTestClock(start = START): TestClock {
  const memory = new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT);
  const time = new Float64Array(memory);
  time[0] = start;
  const { now } = clockIn(memory);
  return {
    now,
    memory,
    advance(milliseconds) {
      time[0] = now() + milliseconds;
    },
    set(to) {
      time[0] = to;
    },
  };
}

/** Returns the clock whose time this memory holds. */
export function clockIn(memory: SharedArrayBuffer): Clock {
  const time = new Float64Array(memory);
  return { now: () => time[0] ?? Number.NaN };
}
