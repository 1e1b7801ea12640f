/** If a timer fires later than this, this process was busy, and the engine may be fine. */
const LATE_MS = 10;

interface Waiting {
  readonly since: number;
  /** Continues without a reply. */
  giveUp(): void;
}

/** Bounds how long replies are awaited. */
export interface Deadlines {
  /** Starts a wait and returns a function that ends it. Otherwise `giveUp` is called. */
  start(giveUp: () => void): () => void;
  /** Gives up all waits now. */
  giveUpAll(): void;
}

/** Creates deadlines with one timer for all, since they start in order. `onMissed` must give up. */
export function createDeadlines(boundMs: number, onMissed: () => void): Deadlines {
  const waiting = new Set<Waiting>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let due = 0;

  function arm(ms: number): void {
    due = performance.now() + ms;
    timer = setTimeout(check, ms);
  }

  function check(): void {
    timer = undefined;
    const [oldest] = waiting;
    if (oldest === undefined) return;
    const now = performance.now();
    const left = oldest.since + boundMs - now;
    // Replies may be in the socket already: give them one more turn.
    if (now - due > LATE_MS) arm(LATE_MS);
    else if (left > 0) arm(left);
    else onMissed();
  }

  return {
    start(giveUp) {
      const own: Waiting = { since: performance.now(), giveUp };
      waiting.add(own);
      if (timer === undefined) arm(boundMs);
      return () => waiting.delete(own);
    },
    giveUpAll() {
      clearTimeout(timer);
      timer = undefined;
      for (const { giveUp } of waiting) giveUp();
      waiting.clear();
    },
  };
}
