/** Pseudo-random numbers, the same for the same seed (mulberry32). */
export interface Random {
  /** A whole number from 0 to just under `bound`. */
  below(bound: number): number;
  one<T>(items: readonly T[]): T | undefined;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;

  function below(bound: number): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  }

  return { below, one: (items) => items[below(items.length)] };
}
