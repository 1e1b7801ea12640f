import { CHECK_MS, type WaitTime } from '../../src/events/watch.ts';

/** A time that a test moves. What is to be done soon is done at once. */
export function createMovedTime() {
  const timers = new Set<() => void>();
  let now = 0;
  const time: WaitTime = {
    now: () => now,
    every(_milliseconds, call) {
      timers.add(call);
      return () => timers.delete(call);
    },
    soon: (call) => void setImmediate(call),
  };
  return {
    time,
    timers,
    /** Lets time pass until the next look, and waits until the look is done. */
    async advance(milliseconds = CHECK_MS) {
      now += milliseconds;
      for (const call of timers) call();
      await settled();
    },
  };
}

/** Everything that is ready has been done. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
}
