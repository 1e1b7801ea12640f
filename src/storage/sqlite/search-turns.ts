import type { Read } from './access.ts';

/** How long searches may take in one turn of the event loop, in milliseconds. */
const TURN_MS = 20;

/**
 * Lets searches take turns, so that other requests are served between them. Searches run until their
 * time in a turn of the event loop is over; the others wait, in the order in which they came. `now`
 * returns milliseconds from any origin.
 */
export function inTurns(read: Read, now = () => performance.now()): Read {
  const waiting: (() => void)[] = [];
  let takenMs = 0;
  let isNextPlanned = false;

  /** Searches now. */
  function take<T>(query: () => T): Promise<T> {
    if (!isNextPlanned) setImmediate(startTurn);
    isNextPlanned = true;
    return read(() => {
      const startedAt = now();
      try {
        return query();
      } finally {
        takenMs += now() - startedAt;
      }
    });
  }

  function startTurn(): void {
    isNextPlanned = false;
    takenMs = 0;
    while (takenMs < TURN_MS) {
      const next = waiting.shift();
      if (next === undefined) return;
      next();
    }
  }

  return (query) => {
    if (waiting.length === 0 && takenMs < TURN_MS) return take(query);
    return new Promise((resolve, reject) => {
      waiting.push(() => take(query).then(resolve, reject));
    });
  };
}
