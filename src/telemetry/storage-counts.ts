import type { ChangeLog } from '../domain/change-log.ts';
import { SECOND_MS } from '../domain/clock.ts';
import { isUnavailable } from '../domain/failure.ts';
import type { Storage, StorageObserver } from '../domain/storage.ts';
import {
  by,
  counter,
  createHistogram,
  gauge,
  type Histogram,
  histogram,
  type Metric,
} from './exposition.ts';

/** In seconds: from a row in memory to the time limits of the storage. */
const DURATIONS = [0.000_1, 0.000_25, 0.001, 0.002_5, 0.01, 0.025, 0.1, 0.25, 1, 2.5];
/** Writes per transaction, at most 512. */
const COMMIT_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/**
 * Methods of a storage that no call of the interface waits for, and `trackChanges`: every request
 * catches up with the changes, and SQLite does so in less time than timing takes.
 */
const UNTIMED: ReadonlySet<string> = new Set<keyof Storage | `changes.${keyof ChangeLog}`>([
  'trackChanges',
  'changes.listen',
  'changes.lag',
  'reset',
  'optimize',
  'space',
  'pool',
  'schema',
  'id',
  'close',
]);

/** The counts of one method. */
interface MethodCounts {
  readonly durations: Histogram;
  failures: number;
}

/** Creates counts of the calls and commits of a storage of this engine. */
export function createStorageCounts(engine: string) {
  const methods = new Map<string, MethodCounts>();
  const commits = createHistogram(COMMIT_SIZES);
  let pool: Storage['pool'] = () => undefined;

  /** Returns an object with the same members, its own functions timed, and so on inside groups. */
  function timedMembers<T extends object>(object: T, prefix = ''): T {
    const members = Object.entries(object).map(([name, value]) => {
      const method = `${prefix}${name}`;
      if (UNTIMED.has(method)) return [name, value];
      if (typeof value === 'function') return [name, timedCall(countsOf(method), value)];
      return [name, timedMembers(value, `${method}.`)];
    });
    return Object.fromEntries(members); // The same members, each around the same function.
  }

  function countsOf(method: string): MethodCounts {
    const counts = { durations: createHistogram(DURATIONS), failures: 0 };
    methods.set(method, counts);
    return counts;
  }

  return {
    observer: { committed: commits.observe } satisfies StorageObserver,
    /** Returns a storage that does the same, and times its calls. */
    timed(storage: Storage): Storage {
      pool = storage.pool;
      return timedMembers(storage);
    },
    metrics: [
      ...callMetrics(engine, methods),
      histogram(
        'petstore_storage_commit_writes',
        'Writes per transaction (embedded database).',
        () => (engine === 'sqlite' ? commits : undefined),
      ),
      ...poolMetrics(() => pool()),
    ],
  };
}

/** Durations and failures of the methods that have been called. */
function callMetrics(engine: string, methods: ReadonlyMap<string, MethodCounts>): Metric[] {
  const called = () =>
    [...methods].filter(([, { durations }]) => durations.counts.some((count) => count > 0));
  return [
    histogram(
      'petstore_storage_duration_seconds',
      'Duration of database calls; for writes, until they are on disk.',
      () => called().map(([method, { durations }]) => [{ engine, method }, durations] as const),
    ),
    counter(
      'petstore_storage_failures_total',
      'Calls that failed because the database was unreachable, too slow, full or damaged.',
      () => called().map(([method, { failures }]) => [{ engine, method }, failures] as const),
    ),
  ];
}

/** The use of the connections to a database server. Without a pool there are no samples. */
function poolMetrics(pool: Storage['pool']): Metric[] {
  return [
    gauge('petstore_storage_connections', 'Connections to the database server, by state.', () => {
      const use = pool();
      return by('state', ['in_use', 'idle'], use && { in_use: use.inUse, idle: use.idle });
    }),
    gauge(
      'petstore_storage_waiting',
      'Calls that wait for a connection to the database server.',
      () => pool()?.waiting,
    ),
  ];
}

/** Returns the same function, timed. It stays synchronous if the function is. */
function timedCall<Values extends unknown[], Result>(
  counts: MethodCounts,
  call: (...values: Values) => Result,
): (...values: Values) => Result {
  function end(startedAt: number, error?: unknown): void {
    counts.durations.observe((performance.now() - startedAt) / SECOND_MS);
    if (error !== undefined && isUnavailable(error)) counts.failures++;
  }

  return (...values) => {
    const startedAt = performance.now();
    let result: Result;
    try {
      result = call(...values);
    } catch (error) {
      end(startedAt, error);
      throw error;
    }
    if (result instanceof Promise) {
      // The caller gets the original promise, and with it any rejection.
      result.then(
        () => end(startedAt),
        (error) => end(startedAt, error),
      );
    } else end(startedAt);
    return result;
  };
}
