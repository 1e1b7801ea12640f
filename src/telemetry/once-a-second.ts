import { SECOND_MS } from '../domain/clock.ts';

/**
 * Lets one call a second through, with the number of calls held back since the last one. For events
 * that may occur on every request while something is broken, such as a full disk.
 */
export function onceASecond<A extends readonly unknown[]>(
  call: (heldBack: number, ...given: A) => void,
  now: () => number = () => performance.now(),
): (...given: A) => void {
  let lastAt = Number.NEGATIVE_INFINITY;
  let heldBack = 0;
  return (...given) => {
    const at = now();
    if (at - lastAt < SECOND_MS) {
      heldBack++;
      return;
    }
    const before = heldBack;
    lastAt = at;
    heldBack = 0;
    call(before, ...given);
  };
}
