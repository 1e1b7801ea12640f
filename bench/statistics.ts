/** Median and range of several measurements. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Throws for an empty list. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const [min, low, high, max] = [0, Math.floor(middle), Math.ceil(middle), -1].map((index) =>
    sorted.at(index),
  );
  if (min === undefined || low === undefined || high === undefined || max === undefined) {
    throw new Error('there is nothing to take a median of');
  }
  return { median: (low + high) / 2, min, max };
}

/** Returns text like `12,345 (11,000–13,000)`, each number written by `format`. */
export function spreadText({ median, min, max }: Spread, format: (n: number) => string): string {
  return `${format(median)} (${format(min)}–${format(max)})`;
}
