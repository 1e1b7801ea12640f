import type { ChangeLog } from '../domain/change-log.ts';

/** The time between two checks for changes of other processes. */
export const CHECK_MS = 20;

/** The time behind the waits. Tests move it. */
export interface WaitTime {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** Calls back again and again, after this many milliseconds each. Returns a function that stops it. */
  every(milliseconds: number, call: () => void): () => void;
  /** Calls back once everything that is ready now has been done. */
  soon(call: () => void): void;
}

export const systemTime: WaitTime = {
  now: () => performance.now(),
  every(milliseconds, call) {
    const timer = setInterval(call, milliseconds);
    return () => clearInterval(timer);
  },
  soon: (call) => void setImmediate(call),
};

/** Watches the change log while somebody waits. */
export type Watch = ReturnType<typeof createWatch>;

/**
 * Creates a watch that calls `check` after each commit of this process, and `tick` and `check` every
 * `everyMs` for the commits of others. One check runs at a time.
 */
export function createWatch(
  log: Pick<ChangeLog, 'listen'>,
  time: WaitTime,
  tick: () => void,
  check: () => Promise<void>,
  everyMs = CHECK_MS,
) {
  let stopTimer: (() => void) | undefined;
  let stopListening: (() => void) | undefined;
  let isChecking = false;
  /** A change came during a check, which may have missed it. */
  let mustCheckAgain = false;
  let isAnnounced = false;

  async function checkAlone(): Promise<void> {
    mustCheckAgain = true;
    if (isChecking) return;
    isChecking = true;
    while (mustCheckAgain) {
      mustCheckAgain = false;
      await check();
    }
    isChecking = false;
  }

  /** Checks once the responses of the writes have left. */
  function announce(): void {
    if (isAnnounced) return;
    isAnnounced = true;
    time.soon(() => {
      isAnnounced = false;
      void checkAlone();
    });
  }

  return {
    start(): void {
      if (stopTimer !== undefined) return;
      stopListening = log.listen(announce);
      stopTimer = time.every(everyMs, () => {
        tick();
        void checkAlone();
      });
    },
    stop(): void {
      stopTimer?.();
      stopListening?.();
      stopTimer = stopListening = undefined;
    },
  };
}
