/** How often the clock looks at the time, in milliseconds. */
const BEAT_MS = 5;
/** A beat that took longer came late, because the machine had other work. */
const BEAT_MAX_MS = 20;

/**
 * A clock that goes on only while the machine lets this process go on: what is measured with it holds
 * on a busy machine as well. It starts at 0 and goes until it is disposed of.
 */
export interface ProcessClock extends Disposable {
  /** Milliseconds, as exact as a beat. */
  now(): number;
}

/** Starts a clock for what this process waits for. */
export function startProcessClock(): ProcessClock {
  let time = 0;
  let last = performance.now();
  let cpu = process.cpuUsage();
  const beat = () => {
    const now = performance.now();
    const { user, system } = process.cpuUsage(cpu);
    // Its own work, too, may keep it from a beat.
    time += Math.min(now - last, Math.max(BEAT_MAX_MS, (user + system) / 1_000));
    last = now;
    cpu = process.cpuUsage();
  };
  const timer = setInterval(beat, BEAT_MS);
  return {
    now() {
      beat();
      return time;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** How long the processor worked for this process while it did something, in milliseconds. */
export function processorTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
