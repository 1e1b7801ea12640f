import { type Spread, spreadOf } from './statistics.ts';

/** Alternatives for one task, by name. Their results are used, so that the compiler drops no work. */
export type Ways = Readonly<Record<string, () => unknown>>;

const ROUNDS = 15;
const ROUND_MS = 20;
const WARM_UP_CALLS = 50;

/** Times the alternatives in short interleaved rounds. Returns microseconds per call. */
export function timeWays(ways: Ways): ReadonlyMap<string, Spread> {
  const times = new Map<string, number[]>();
  for (let round = -1; round < ROUNDS; round++) {
    for (const [name, way] of Object.entries(ways)) {
      const microseconds = timeRound(way);
      // The first round only warms up the compiler.
      if (round >= 0) times.set(name, [...(times.get(name) ?? []), microseconds]);
    }
  }
  return new Map([...times].map(([name, values]) => [name, spreadOf(values)]));
}

function timeRound(way: () => unknown): number {
  for (let call = 0; call < WARM_UP_CALLS; call++) sink = way();
  const startedAt = performance.now();
  let calls = 0;
  let elapsed = 0;
  do {
    // Reading the clock for every call would distort the result.
    for (let call = 0; call < 10; call++) sink = way();
    calls += 10;
    elapsed = performance.now() - startedAt;
  } while (elapsed < ROUND_MS);
  return (elapsed * 1_000) / calls;
}

/** The last result. It is exported, so the compiler must assume that somebody reads it. */
export let sink: unknown;
