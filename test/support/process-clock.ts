/** The interval at which the clock reads the time, in milliseconds. */
const BEAT_MS = 5;
/** A longer beat was late, because the machine had other work. */
const BEAT_MAX_MS = 20;

/**
 * A clock that only advances while this process can run, so that measurements hold on a busy
 * machine. It starts at 0 and runs until it is disposed of.
 */
export interface ProcessClock extends Disposable {
  /** Milliseconds, with the precision of one beat. */
  now(): number;
}

/** Starts a clock for the time that this process waits. */
export function startProcessClock(): ProcessClock {
  let time = 0;
  let last = performance.now();
  let cpu = process.cpuUsage();
  const beat = () => {
    const now = performance.now();
    const { user, system } = process.cpuUsage(cpu);
    // The process's own work may also delay a beat.
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

/** CPU time that this process used for some work, in milliseconds. */
export function processorTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
