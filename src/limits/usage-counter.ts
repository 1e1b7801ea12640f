import { HOUR_MS } from '../domain/clock.ts';
import { isInDoubt } from '../domain/failure.ts';
import {
  type HourUsage,
  type PeriodUsage,
  periodStart,
  type UsageCounter,
  type UsageCounts,
  type UsageRange,
  type UsageStorage,
} from '../domain/usage.ts';

/** Hours of keys that are stored in one transaction: a few milliseconds of work on SQLite. */
const STORED_AT_ONCE = 250;
/** The most hours of keys that wait while nothing can be stored. Further ones are lost. */
const WAITING_MAX = 100_000;

/** The counts of a key in an hour, still growing. */
type Bucket = { -readonly [K in keyof HourUsage]: HourUsage[K] };

/**
 * Creates a counter. A killed process loses the counts since the last flush. Counts are never stored
 * twice: if a commit is in doubt, they are taken for stored. `observe` learns of new requests about
 * once a second.
 */
export function createUsageCounter(
  storage: UsageStorage,
  observe: (keyId: bigint, requests: number) => void = () => {},
): UsageCounter {
  /** The latest hour of each key since the last flush. */
  let current = new Map<bigint, Bucket>();
  /** Hours that have given way to another: the next one, or an earlier one after the clock was set back. */
  let left: Bucket[] = [];
  /** Hours to store, by key and hour. */
  const waiting = new Map<string, Bucket>();
  /** A flush and a list must not overlap, or counts would be missing from the list, or in it twice. */
  let last: Promise<unknown> = Promise.resolve();

  function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  }

  function open(keyId: bigint, at: number): Bucket {
    const replaced = current.get(keyId);
    if (replaced !== undefined) left.push(replaced);
    const start = periodStart('hour', at);
    const bucket = { keyId, start, requests: 0, refused: 0, errors: 0 };
    current.set(keyId, bucket);
    return bucket;
  }

  function collect(): void {
    for (const bucket of [...left, ...current.values()]) {
      observe(bucket.keyId, bucket.requests + bucket.refused);
      const id = `${bucket.keyId} ${bucket.start}`;
      const known = waiting.get(id);
      if (known !== undefined) add(known, bucket);
      else if (waiting.size < WAITING_MAX) waiting.set(id, bucket);
    }
    left = [];
    current = new Map();
  }

  async function store(): Promise<void> {
    collect();
    while (waiting.size > 0) {
      const slice = [...waiting.entries().take(STORED_AT_ONCE)];
      const remove = () => slice.forEach(([id]) => void waiting.delete(id));
      try {
        await storage.add(slice.map(([, bucket]) => bucket));
        remove();
      } catch (error) {
        if (isInDoubt(error)) remove();
        throw error;
      }
    }
  }

  async function list(keyId: bigint, range: UsageRange): Promise<readonly PeriodUsage[]> {
    const { period, from, to } = range;
    const stored = await storage.list(keyId, range);
    const byStart = new Map(stored.map((usage) => [usage.start, { ...usage }]));
    collect();
    for (const bucket of waiting.values()) {
      const start = periodStart(period, bucket.start);
      if (bucket.keyId !== keyId || start < from || start >= to) continue;
      const known = byStart.get(start);
      if (known !== undefined) add(known, bucket);
      else byStart.set(start, { start, ...countsOf(bucket) });
    }
    return [...byStart.values()].sort((a, b) => a.start - b.start);
  }

  return {
    count(keyId, at, outcome) {
      let bucket = current.get(keyId);
      if (bucket === undefined || at < bucket.start || at >= bucket.start + HOUR_MS) {
        bucket = open(keyId, at);
      }
      bucket[outcome]++;
    },
    list: (keyId, range) => oneAtATime(() => list(keyId, range)),
    flush: () => oneAtATime(store),
  };
}

function countsOf({ requests, refused, errors }: UsageCounts) {
  return { requests, refused, errors };
}

function add(sum: { -readonly [K in keyof UsageCounts]: number }, counts: UsageCounts): void {
  sum.requests += counts.requests;
  sum.refused += counts.refused;
  sum.errors += counts.errors;
}
