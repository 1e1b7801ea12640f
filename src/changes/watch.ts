import type { ChangeLog } from '../domain/change-log.ts';

/** The time between two looks for changes of other processes. */
export const LOOK_MS = 20;

/** The time behind the waits. Tests move it. */
export interface WaitTime {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** Calls back again and again, after this many milliseconds each. Returns what ends it. */
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
export interface Watch {
  start(): void;
  stop(): void;
}

/**
 * Creates a watch that calls `look` after each commit of this process, and `tick` and `look` every
 * `everyMs` for the commits of others. One look runs at a time.
 */
export function createWatch(
  log: Pick<ChangeLog, 'listen'>,
  time: WaitTime,
  tick: () => void,
  look: () => Promise<void>,
  everyMs = LOOK_MS,
): Watch {
  let stopTimer: (() => void) | undefined;
  let stopListening: (() => void) | undefined;
  let isLooking = false;
  /** A change came during a look, which may have missed it. */
  let mustLookAgain = false;
  let isAnnounced = false;

  async function lookAlone(): Promise<void> {
    mustLookAgain = true;
    if (isLooking) return;
    isLooking = true;
    while (mustLookAgain) {
      mustLookAgain = false;
      await look();
    }
    isLooking = false;
  }

  /** Looks once the responses of the writes have left. */
  function announce(): void {
    if (isAnnounced) return;
    isAnnounced = true;
    time.soon(() => {
      isAnnounced = false;
      void lookAlone();
    });
  }

  return {
    start() {
      if (stopTimer !== undefined) return;
      stopListening = log.listen(announce);
      stopTimer = time.every(everyMs, () => {
        tick();
        void lookAlone();
      });
    },
    stop() {
      stopTimer?.();
      stopListening?.();
      stopTimer = stopListening = undefined;
    },
  };
}
