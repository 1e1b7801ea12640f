import { type Spread, spreadOf } from './statistics.ts';

/** Ways to do one thing, by name. What they give is used, so that no work is left out. */
export type Ways = Readonly<Record<string, () => unknown>>;

const ROUNDS = 15;
const ROUND_MS = 20;
const WARM_UP_CALLS = 50;

/** Times the ways in interleaved rounds of some milliseconds; gives microseconds a call. */
export function timeWays(ways: Ways): ReadonlyMap<string, Spread> {
  const times = new Map<string, number[]>();
  for (let round = -1; round < ROUNDS; round++) {
    for (const [name, way] of Object.entries(ways)) {
      const microseconds = timeRound(way);
      // The first round is for the compiler.
      if (round >= 0) times.set(name, [...(times.get(name) ?? []), microseconds]);
    }
  }
  return new Map([...times].map(([name, values]) => [name, spreadOf(values)]));
}

function timeRound(way: () => unknown): number {
  for (let call = 0; call < WARM_UP_CALLS; call++) kept = way();
  const begin = performance.now();
  let calls = 0;
  let elapsed = 0;
  do {
    // The clock is read only now and then, or it would be what is measured.
    for (let call = 0; call < 10; call++) kept = way();
    calls += 10;
    elapsed = performance.now() - begin;
  } while (elapsed < ROUND_MS);
  return (elapsed * 1_000) / calls;
}

/** The last result, where the compiler must suppose that somebody reads it. */
export let kept: unknown;
