/** A timer that fires so much too late says that this process was busy, not who is waited for. */
const LATE_MS = 10;

interface Waiting {
  readonly since: number;
  /** Goes on without an answer. */
  giveUp(): void;
}

/** Watches over answers that are waited for, none of them for longer than a bound. */
export interface Deadlines {
  /** Begins to wait; gives what ends it. `giveUp` is called where nothing else ends it. */
  start(giveUp: () => void): () => void;
  /** Ends all waiting now. */
  giveUpAll(): void;
}

/** Makes a watch with one timer for all: they begin in order. `onMissed` is to give up. */
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
    // Answers may lie in the socket already: they get one more turn.
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
