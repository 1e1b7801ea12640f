import { SECOND_MS } from '../domain/clock.ts';

/**
 * Lets through one call a second, and tells it how many were held back since the one before. For
 * what may happen at every request while something is out of order, such as a disk that is full.
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
