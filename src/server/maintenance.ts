import type { KeyCache } from '../auth/credential-cache.ts';
import type { SessionCache } from '../auth/session-cache.ts';
import type { Limiter } from '../domain/allowance.ts';
import { RESTORABLE_MS } from '../domain/audit.ts';
import { type Clock, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../domain/clock.ts';
import { isUnavailable } from '../domain/failure.ts';
import { RESULT_RETENTION_MS } from '../domain/idempotency.ts';
import { IMPORTS_KEPT_MS } from '../domain/import.ts';
import type { MaybePromise } from '../domain/maybe-promise.ts';
import type { Storage } from '../domain/storage.ts';
import { USAGE_PERIODS, type UsageCounter, usageExpiry } from '../domain/usage.ts';
import { DELIVERY_RETENTION_MS } from '../domain/webhook.ts';
import type { Photos } from '../photos/photos.ts';
import { createDescriptorCheck } from '../telemetry/descriptors.ts';
import type { Log } from '../telemetry/log.ts';

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

/** Interval of searches for imports whose process has stopped. */
const ABANDONED_IMPORTS_MS = 5 * SECOND_MS;

/** Events that webhooks still need stay for this long beyond their time. */
const UNDELIVERED_MS = 7 * DAY_MS;

/** Rows removed by one step of a sweep: a few milliseconds of work on SQLite. */
export const SWEPT_AT_ONCE = 100;
/** The pause between two steps, in milliseconds, lets requests through. */
export const SWEEP_PAUSE_MS = 10;

/** Steps of the sweep of photos at a time. With more files, it goes on at the next time. */
const PHOTO_STEPS = 100;

/** What the sweeps need. */
interface SweepParts {
  readonly storage: Pick<
    Storage,
    | 'enquiries'
    | 'idempotency'
    | 'changes'
    | 'usage'
    | 'sessions'
    | 'imports'
    | 'deliveries'
    | 'removedPets'
  >;
  /** Events are kept for this long, in milliseconds. */
  readonly eventsKeepMs: number;
  /** The same of enquiries. */
  readonly enquiriesKeepMs: number;
  /** The audit is kept for this long, likewise. */
  readonly auditKeepMs: number;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info'>;
}

/** `isFenced` returns the result of the last `refresh`. */
type Fence = { refresh(): Promise<void>; isFenced(): boolean };

interface MaintenanceParts extends SweepParts {
  readonly limiter: Limiter;
  readonly storage: Storage;
  readonly photos: Pick<Photos, 'sweep'>;
  readonly fence: Fence;
  /** Measures how the numbering of changes keeps up. */
  readonly lag: { refresh(): Promise<void> };
  readonly log: Log;
}

/** Periodic work while the service runs. */
export interface Maintenance {
  /** Stops the timers and writes the remaining counts. */
  end(): Promise<void>;
}

/** Periodic work of a thread that serves requests. */
export interface ServingMaintenance extends Maintenance {
  /** Stores the usage that this thread has counted. */
  storeUsage(): Promise<void>;
}

/** Runs work that fails for now and is tried again at its next turn. An outage is logged once for each work. */
function createAttempts(log: Pick<Log, 'error'>, fence: Pick<Fence, 'isFenced'>) {
  const failing = new Set<string>();
  async function attempt(what: string, work: () => MaybePromise<unknown>): Promise<void> {
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
    async write(what: string, work: () => MaybePromise<unknown>): Promise<void> {
      if (!fence.isFenced()) await attempt(what, work);
    },
  };
}

interface ServingMaintenanceParts {
  readonly keys: Pick<KeyCache, 'flush'>;
  readonly sessions: Pick<SessionCache, 'flush'>;
  readonly usage: Pick<UsageCounter, 'flush'>;
  readonly fence: Pick<Fence, 'isFenced'>;
  readonly log: Pick<Log, 'error'>;
}

/** Starts the periodic work of each thread that serves requests. */
export function startServingMaintenance({
  keys,
  sessions,
  usage,
  fence,
  log,
}: ServingMaintenanceParts): ServingMaintenance {
  const { write } = createAttempts(log, fence);
  const storeUsage = () => write('save the usage of keys', usage.flush);
  async function flush(): Promise<void> {
    // Together, so that they share a commit on SQLite.
    await Promise.all([
      write('save when keys were last used', keys.flush),
      write('save when sessions were last used', sessions.flush),
      storeUsage(),
    ]);
  }
  const timer = setInterval(oneAtATime(flush), FLUSH_MS);
  return {
    storeUsage,
    async end() {
      clearInterval(timer);
      await flush();
    },
  };
}

/** Starts the periodic work of the process. */
export function startMaintenance({
  limiter,
  storage,
  photos,
  fence,
  lag,
  eventsKeepMs,
  enquiriesKeepMs,
  auditKeepMs,
  clock,
  log,
}: MaintenanceParts): Maintenance {
  let isEnding = false;
  const { attempt, write } = createAttempts(log, fence);
  const flush = () => write('save counts of requests', limiter.flush);
  const sweeps = createSweeps({
    ...{ storage, eventsKeepMs, enquiriesKeepMs, auditKeepMs, clock, log },
    isEnding: () => isEnding,
  });
  async function sweep(): Promise<void> {
    await write('remove expired results', sweeps.results);
    await write('remove expired events', sweeps.events);
    await write('remove changes that nobody asks for', sweeps.audit);
    await write('forget removed animals', sweeps.removedPets);
    await write('remove expired usage', sweeps.usage);
    await write('erase old enquiries', sweeps.enquiries);
    await write('remove ended sessions', sweeps.sessions);
    await write('remove old imports', sweeps.imports);
    await write('remove expired deliveries', sweeps.deliveries);
    await write('remove files of photos', sweepPhotos);
  }
  async function sweepPhotos(): Promise<void> {
    for (let step = 0; step < PHOTO_STEPS && !isEnding; step++) {
      if (await photos.sweep()) return;
      await Bun.sleep(SWEEP_PAUSE_MS);
    }
  }
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
  const timers = [
    setInterval(oneAtATime(flush), FLUSH_MS),
    setInterval(oneAtATime(sweep), MINUTE_MS),
    setInterval(oneAtATime(optimize), OPTIMIZE_MS),
    setInterval(oneAtATime(refreshFence), FENCE_MS),
    setInterval(oneAtATime(lag.refresh), LAG_MS),
    setInterval(oneAtATime(failAbandoned), ABANDONED_IMPORTS_MS),
    setInterval(createDescriptorCheck(log), DESCRIPTORS_MS),
  ];

  return {
    async end() {
      isEnding = true;
      for (const timer of timers) clearInterval(timer);
      await flush();
    },
  };
}

/** Creates the removal of rows whose time is over, in small steps with pauses. */
function createSweeps({
  storage,
  eventsKeepMs,
  enquiriesKeepMs,
  auditKeepMs,
  clock,
  log,
  isEnding,
}: SweepParts & { isEnding(): boolean }) {
  /** Repeats a step until it removes fewer than it may. Returns the number removed. */
  async function inSteps(step: () => MaybePromise<number>): Promise<number> {
    let removed = 0;
    while (!isEnding()) {
      const count = await step();
      removed += count;
      if (count < SWEPT_AT_ONCE) break;
      await Bun.sleep(SWEEP_PAUSE_MS);
    }
    return removed;
  }

  return {
    results: () =>
      inSteps(() =>
        storage.idempotency.removeExpired(clock.now() - RESULT_RETENTION_MS, SWEPT_AT_ONCE),
      ),
    async usage() {
      for (const period of USAGE_PERIODS) {
        const expiry = usageExpiry(period, clock.now());
        await inSteps(() => storage.usage.removeExpired(period, expiry, SWEPT_AT_ONCE));
      }
    },
    enquiries: () =>
      inSteps(() => {
        const now = clock.now();
        const [expiry, sentBefore] = [now - enquiriesKeepMs, now - HOUR_MS];
        return storage.enquiries.removeExpired(expiry, sentBefore, SWEPT_AT_ONCE);
      }),
    sessions: () => inSteps(() => storage.sessions.removeEnded(clock.now(), SWEPT_AT_ONCE)),
    imports: () =>
      inSteps(() => storage.imports.removeExpired(clock.now() - IMPORTS_KEPT_MS, SWEPT_AT_ONCE)),
    deliveries: () =>
      inSteps(() =>
        storage.deliveries.removeExpired(clock.now() - DELIVERY_RETENTION_MS, SWEPT_AT_ONCE),
      ),
    audit: () =>
      inSteps(() => storage.changes.removeFromAudit(clock.now() - auditKeepMs, SWEPT_AT_ONCE)),
    removedPets: () =>
      inSteps(() => storage.removedPets.removeExpired(clock.now() - RESTORABLE_MS, SWEPT_AT_ONCE)),
    async events() {
      const expiry = clock.now() - eventsKeepMs;
      const needed = await storage.deliveries.neededAfter();
      const remove = (before: number, upTo?: bigint) =>
        inSteps(() => storage.changes.removeExpired(before, SWEPT_AT_ONCE, upTo));
      let removed = await remove(expiry, needed);
      // What webhooks still need stays, but not for ever.
      if (needed !== undefined) removed += await remove(expiry - UNDELIVERED_MS);
      if (removed > 0) log.info('events older than PETSTORE_EVENTS_KEEP were removed', { removed });
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
