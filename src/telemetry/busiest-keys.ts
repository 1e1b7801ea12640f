import { MINUTE_MS, SECOND_MS } from '../domain/clock.ts';
import { gauge, type Metric } from './exposition.ts';

/** Keys in the metric: the number of series must not grow with the number of keys. */
const SHOWN = 10;
/** Keys that are followed. */
const KEYS_MAX = 10_000;
/** Requests a second below which a key is forgotten. */
const RATE_MIN = 0.001;

/** Finds the keys that send the most requests. */
export interface BusiestKeys {
  /** Notes requests of a key since it was last noted. */
  note(keyId: bigint, requests: number): void;
  readonly metrics: readonly Metric[];
}

/** Creates an empty list. `now` returns milliseconds of a monotonic clock. */
export function createBusiestKeys(now: () => number = () => performance.now()): BusiestKeys {
  /** Requests a second as of `at`, as an average in which the last minute counts most. */
  const rates = new Map<bigint, { rate: number; at: number }>();

  function currentRate(keyId: bigint, at: number): number {
    const known = rates.get(keyId);
    return known === undefined ? 0 : known.rate * Math.exp((known.at - at) / MINUTE_MS);
  }

  function current(): readonly (readonly [keyId: bigint, rate: number])[] {
    const at = now();
    const all = Array.from(rates.keys(), (keyId) => [keyId, currentRate(keyId, at)] as const);
    for (const [keyId, rate] of all) if (rate < RATE_MIN) rates.delete(keyId);
    return all.filter(([, rate]) => rate >= RATE_MIN).sort(([, a], [, b]) => b - a);
  }

  return {
    note(keyId, requests) {
      if (rates.size >= KEYS_MAX && !rates.has(keyId) && current().length >= KEYS_MAX) return;
      const at = now();
      const rate = currentRate(keyId, at) + requests / (MINUTE_MS / SECOND_MS);
      rates.set(keyId, { rate, at });
    },
    metrics: [
      gauge(
        'petstore_key_requests_per_second',
        'Requests a second of the ten busiest API keys, refused ones included, averaged over about a minute. Keys have their ids: `petstore keys list` shows the names.',
        () =>
          current()
            .slice(0, SHOWN)
            .map(([keyId, rate]) => [{ key: String(keyId) }, rate] as const),
      ),
    ],
  };
}
