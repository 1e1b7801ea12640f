/** Counts values by bucket, in memory that is allocated once. */
export interface Histogram {
  /** The inclusive upper bounds of the buckets, ascending. */
  readonly bounds: readonly number[];
  /** The number of values in each bucket, and last those above all bounds. */
  readonly counts: Float64Array;
  sum(): number;
  observe(value: number): void;
}

/** Creates an empty histogram. */
export function createHistogram(bounds: readonly number[]): Histogram {
  const counts = new Float64Array(bounds.length + 1);
  let sum = 0;
  return {
    bounds,
    counts,
    sum: () => sum,
    observe(value) {
      let bucket = 0;
      // Linear search: nearly every request falls into the first buckets.
      while (value > (bounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
      counts[bucket] = (counts[bucket] ?? 0) + 1;
      sum += value;
    },
  };
}
