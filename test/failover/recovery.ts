/** The service takes writes again within this time once the cluster does. */
export const RECOVERY_MS = 5_000;
/** Without a commit for this long, the cluster took no writes. */
const OUTAGE_MS = 1_000;

/**
 * Returns the longest time without an acknowledged write of the service while the cluster took writes without
 * a break. All times are in milliseconds and in order; the first and the last `acknowledged` are the
 * ends of the observation.
 */
export function longestLag(acknowledged: readonly number[], commits: readonly number[]): number {
  const outages = pairsOf(commits).filter(([from, to]) => to - from > OUTAGE_MS);
  const lags = pairsOf(acknowledged).map(([from, to]) => {
    const ends = outages.filter((outage) => outage[0] < to).map((outage) => outage[1]);
    return to - Math.min(to, Math.max(from, ...ends));
  });
  return Math.max(0, ...lags);
}

function pairsOf(times: readonly number[]): (readonly [number, number])[] {
  return times.slice(1).map((to, i) => [times[i] ?? to, to]);
}
