import type { RequestsInProgress } from '../api/pipeline/admission.ts';
import type { KeyCache } from '../auth/credential-cache.ts';
import type { SessionCache } from '../auth/session-cache.ts';
import type { Limiter } from '../domain/allowance.ts';
import { type Clock, MINUTE_MS, SECOND_MS } from '../domain/clock.ts';
import { isUnavailable } from '../domain/failure.ts';
import type { Storage } from '../domain/storage.ts';
import type { UsageCounter } from '../domain/usage.ts';
import { every, type Task } from '../jobs/scheduler.ts';
import { createDescriptorCheck } from '../telemetry/descriptors.ts';
import type { Log } from '../telemetry/log.ts';
import { createRetention, type Retention, type SweepParts } from './sweeps.ts';

/** Interval for writing counts and times of last use. A killed process loses at most this much. */
const FLUSH_MS = SECOND_MS;

/** Interval of small optimizing steps. While there is work, they take a hundredth of the time. */
const OPTIMIZE_MS = 200;

/** Interval of checks of the fence: a server whose database has moved must stop within a second. */
const FENCE_MS = 250;

/** Interval of checks of the free file descriptors. */
const DESCRIPTORS_MS = 250;

/** Interval of checks that the numbering of changes keeps up. */
const LAG_MS = SECOND_MS;

/** Interval of measurements of the database: as often as Prometheus usually asks. */
const SPACE_MS = 15 * SECOND_MS;

/** Interval of searches for imports whose process has stopped. */
const ABANDONED_IMPORTS_MS = 5 * SECOND_MS;

/** `isFenced` returns the result of the last `refresh`. */
type Fence = { refresh(): Promise<void>; isFenced(): boolean };

interface MaintenanceParts extends Omit<SweepParts, 'isEnding'> {
  readonly limiter: Limiter;
  readonly storage: Storage;
  readonly fence: Fence;
  /** How the numbering of changes keeps up. */
  readonly lag: Pick<Fence, 'refresh'>;
  /** How much space the database takes. */
  readonly space: Pick<Fence, 'refresh'>;
  readonly log: Log;
}

/** Creates a query of the database for the metrics, which is not made when somebody scrapes: it may hang. */
export function createMeasurement<T>(query: () => Promise<T>) {
  let last: T | undefined;
  return {
    /** Returns the last result; undefined before the first, or if it failed. */
    last: () => last,
    /** Makes the query. That the database is unavailable is reported by others. */
    async refresh(): Promise<void> {
      try {
        last = await query();
      } catch (error) {
        last = undefined;
        if (!isUnavailable(error)) throw error;
      }
    },
  };
}

/** Periodic work of a process. */
export type ProcessMaintenance = ReturnType<typeof startMaintenance>;

/** Runs work that is repeated anyway, so failures are only logged; an outage once for each kind of work. */
function createAttempts(log: Pick<Log, 'error'>, fence: Pick<Fence, 'isFenced'>) {
  const failing = new Set<string>();
  async function attempt(what: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      failing.delete(what);
    } catch (error) {
      if (isUnavailable(error) && failing.has(what)) return;
      failing.add(what);
      log.error(`could not ${what}; trying again`, error);
    }
  }
  return {
    attempt,
    /** A fenced database refuses every write. */
    async write(what: string, work: () => Promise<unknown>): Promise<void> {
      if (!fence.isFenced()) await attempt(what, work);
    },
  };
}

interface ServingMaintenanceParts {
  readonly keys: Pick<KeyCache, 'flush'>;
  readonly sessions: Pick<SessionCache, 'flush'>;
  readonly usage: Pick<UsageCounter, 'flush'>;
  readonly fence: Pick<Fence, 'isFenced'>;
  readonly inProgress: Pick<RequestsInProgress, 'report'>;
  readonly log: Pick<Log, 'error' | 'warn'>;
}

/** Returns a function that logs how many requests were refused since its last call, if any. */
function tellsRefusals({ inProgress, log }: Pick<ServingMaintenanceParts, 'inProgress' | 'log'>) {
  let told = 0;
  return () => {
    const { refusedInProgress, inProgress: now } = inProgress.report();
    const refused = refusedInProgress - told;
    if (refused === 0) return;
    told = refusedInProgress;
    log.warn('requests were refused: the service is overloaded', { refused, inProgress: now });
  };
}

/** Starts the periodic work of serving requests. */
export function startServingMaintenance({
  keys,
  sessions,
  usage,
  fence,
  ...parts
}: ServingMaintenanceParts) {
  const { write } = createAttempts(parts.log, fence);
  const telling = setInterval(tellsRefusals(parts), SECOND_MS);
  async function flush(): Promise<void> {
    // Together, so that they share a commit on SQLite.
    await Promise.all([
      write('save when keys were last used', keys.flush),
      write('save when sessions were last used', sessions.flush),
      write('save the usage of keys', usage.flush),
    ]);
  }
  const timer = setInterval(oneAtATime(flush), FLUSH_MS);
  return {
    /** Stops the timers and writes the remaining counts. */
    async end() {
      clearInterval(timer);
      clearInterval(telling);
      await flush();
    },
  };
}

/** Starts the periodic work of the process. */
export function startMaintenance(given: MaintenanceParts) {
  const { limiter, fence, lag, space, ...parts } = given;
  const { storage, clock, log } = parts;
  let isEnding = false;
  const { attempt, write } = createAttempts(log, fence);
  const flush = () => write('save counts of requests', limiter.flush);
  const retention = createRetention({ ...parts, isEnding: () => isEnding });
  // Before this process writes records, whose times prove nothing about the clock.
  void write('compare the clock with the newest record', async () => {
    try {
      await retention.look();
    } catch (error) {
      // A start that fails closes the database under it.
      if (!isEnding) throw error;
    }
  });
  /** Errors are ignored: requests report an unavailable database. */
  const optimize = () =>
    write('optimize the database', async () => {
      try {
        await storage.optimize();
      } catch (error) {
        if (!isUnavailable(error)) throw error;
      }
    });
  const failAbandoned = () =>
    write('end abandoned imports', () => storage.imports.failAbandoned(clock.now()));
  const refreshFence = () => attempt('check whether the database can be used', fence.refresh);
  const measureLag = () => attempt('measure how late events are', lag.refresh);
  const measureSpace = () => attempt('measure the database', space.refresh);
  void measureSpace();
  const timers = [
    setInterval(oneAtATime(flush), FLUSH_MS),
    setInterval(oneAtATime(optimize), OPTIMIZE_MS),
    setInterval(oneAtATime(refreshFence), FENCE_MS),
    setInterval(oneAtATime(measureLag), LAG_MS),
    setInterval(oneAtATime(measureSpace), SPACE_MS),
    setInterval(oneAtATime(failAbandoned), ABANDONED_IMPORTS_MS),
    setInterval(createDescriptorCheck(log), DESCRIPTORS_MS),
  ];

  return {
    retention: { task: retentionTask(retention, clock), report: retention.report },
    /** Stops the timers and writes the remaining counts. */
    async end() {
      isEnding = true;
      for (const timer of timers) clearInterval(timer);
      await flush();
    },
  };
}

/** The task that erases what is due every minute, but not in the first, so that a mistake can still be stopped. */
function retentionTask(retention: Retention, clock: Clock): Task {
  const isDue = every(MINUTE_MS);
  let notBefore = clock.now() + MINUTE_MS;
  return {
    name: 'retention',
    what: 'erase expired records',
    dueAt(last, now) {
      // A clock that was set back must not put it off.
      notBefore = Math.min(notBefore, now + MINUTE_MS);
      return Math.max(isDue(last, now), notBefore);
    },
    async run(signal) {
      const failed: Error[] = [];
      await retention.run(async (what, work) => {
        try {
          await work();
        } catch (cause) {
          failed.push(new Error(`could not ${what}`, { cause }));
        }
      }, signal);
      const [first] = failed;
      if (first === undefined) return;
      throw new Error(failed.map(({ message }) => message).join('; '), { cause: first.cause });
    },
  };
}

/** Skips a turn while the previous one still waits for the database. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let underWay = false;
  return async () => {
    if (underWay) return;
    underWay = true;
    await work();
    underWay = false;
  };
}
