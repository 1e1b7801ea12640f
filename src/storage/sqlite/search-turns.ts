import type { Page, PageRequest } from '../../domain/page.ts';
import type { Pet } from '../../domain/pet.ts';
import type { NameFilter } from '../name-part.ts';
import type { Read } from './access.ts';

/** How long searches may take in one turn of the event loop, in milliseconds. */
const TURN_MS = 20;

/**
 * Lets searches take turns, so that other requests are served between them. Searches run until their
 * time in a turn of the event loop is over; the others wait, in the order in which they came. `now`
 * returns milliseconds from any origin.
 */
export function takingTurns(
  search: (filter: NameFilter, page: PageRequest) => Page<Pet>,
  read: Read,
  now = () => performance.now(),
): (filter: NameFilter, page: PageRequest) => Promise<Page<Pet>> {
  const waiting: (() => void)[] = [];
  let takenMs = 0;
  let isNextPlanned = false;

  /** Searches at once: the promise is that of the result. */
  function take(filter: NameFilter, page: PageRequest): Promise<Page<Pet>> {
    if (!isNextPlanned) setImmediate(startTurn);
    isNextPlanned = true;
    return read(() => {
      const startedAt = now();
      try {
        return search(filter, page);
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

  return (filter, page) => {
    if (waiting.length === 0 && takenMs < TURN_MS) return take(filter, page);
    return new Promise((resolve, reject) => {
      waiting.push(() => take(filter, page).then(resolve, reject));
    });
  };
}
