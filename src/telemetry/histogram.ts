/** Values sorted into buckets as they come, in numbers that are there from the beginning. */
export interface Histogram {
  /** The upper ends of the buckets, ascending; a value that is equal to one belongs to it. */
  readonly bounds: readonly number[];
  /** How many values lie in each bucket, and last how many lie above them all. */
  readonly counts: Float64Array;
  sum(): number;
  observe(value: number): void;
}

/** Makes an empty histogram. */
export function createHistogram(bounds: readonly number[]): Histogram {
  const counts = new Float64Array(bounds.length + 1);
  let sum = 0;
  return {
    bounds,
    counts,
    sum: () => sum,
    observe(value) {
      let bucket = 0;
      // Small values come first: nearly every request ends in the first buckets.
      while (value > (bounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
      counts[bucket] = (counts[bucket] ?? 0) + 1;
      sum += value;
    },
  };
}
