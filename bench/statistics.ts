/** Median and quartiles of several measurements. */
export interface Spread {
  readonly median: number;
  readonly lower: number;
  readonly upper: number;
}

/** Throws for an empty list. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  /** The value below which this share lies, between two measurements if need be. */
  const at = (share: number): number => {
    const place = share * (sorted.length - 1);
    const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
    if (low === undefined || high === undefined) {
      throw new Error('there is nothing to take a median of');
    }
    return low + (high - low) * (place % 1);
  };
  return { median: at(0.5), lower: at(0.25), upper: at(0.75) };
}

/** Returns text like `12,345 (11,000–13,000)`, each number written by `format`. */
export function spreadText(
  { median, lower, upper }: Spread,
  format: (n: number) => string,
): string {
  return `${format(median)} (${format(lower)}–${format(upper)})`;
}
