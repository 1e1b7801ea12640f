import type { KeyCache } from './api/pipeline/key-cache.ts';
import type { Limiter } from './domain/allowance.ts';
import { type Clock, MINUTE_MS, SECOND_MS } from './domain/clock.ts';
import { isUnavailable } from './domain/failure.ts';
import { RESULT_RETENTION_MS } from './domain/idempotency.ts';
import type { MaybePromise } from './domain/maybe-promise.ts';
import type { Storage } from './domain/storage.ts';
import { watchDescriptors } from './telemetry/descriptors.ts';
import type { Log } from './telemetry/log.ts';

/** How often counts and times of last use are written down: what a kill may forget. */
const FLUSH_MS = SECOND_MS;

/** How often a little is put in order: where there is something, that takes a hundredth of the time. */
const TIDY_MS = 200;

/** How often the seal is looked for: a server whose shop moved must stop within a second. */
const SEAL_MS = 250;

/** How often it is seen whether there are free file descriptors. */
const DESCRIPTORS_MS = 250;

/** Results that one step of the sweep removes: a few milliseconds of work on SQLite. */
const SWEPT_AT_ONCE = 100;
/** The pause between two steps, in milliseconds: requests go on meanwhile. */
const SWEEP_PAUSE_MS = 10;

/** What upkeep is done of. */
interface MaintenanceParts {
  readonly keys: KeyCache;
  readonly limiter: Limiter;
  readonly storage: Storage;
  /** Knows whether the database is sealed, as far as it has looked. */
  readonly fence: { look(): Promise<void>; isFenced(): boolean };
  readonly clock: Clock;
  readonly log: Log;
}

/** What is done now and then while the service runs. */
export interface Maintenance {
  /** Stops, and writes down what is owed. */
  end(): Promise<void>;
}

/** Starts the upkeep. */
export function startMaintenance({
  keys,
  limiter,
  storage,
  fence,
  clock,
  log,
}: MaintenanceParts): Maintenance {
  let isEnding = false;

  /** One that fails is tried again at its next turn. */
  async function attempt(what: string, work: () => MaybePromise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      log.error(`could not ${what}; trying again`, error);
    }
  }
  /** A sealed database refuses every write. */
  async function write(what: string, work: () => MaybePromise<unknown>): Promise<void> {
    if (!fence.isFenced()) await attempt(what, work);
  }
  async function writeBack(): Promise<void> {
    await write('write down when keys were used', keys.flush);
    await write('write down counts of requests', limiter.flush);
  }
  const sweep = () =>
    write('remove results that are kept no longer', async () => {
      const step = () =>
        storage.idempotency.removeExpired(clock.now() - RESULT_RETENTION_MS, SWEPT_AT_ONCE);
      while (!isEnding && (await step()) === SWEPT_AT_ONCE) await Bun.sleep(SWEEP_PAUSE_MS);
    });
  /** Nobody waits for this: of a database that does not answer, those who ask it are told. */
  const optimize = () =>
    write('put the database in order', async () => {
      try {
        await storage.optimize();
      } catch (error) {
        if (!isUnavailable(error)) throw error;
      }
    });
  const look = () => attempt('see whether the database is sealed', fence.look);
  const descriptors = watchDescriptors(log);
  const timers = [
    setInterval(oneAtATime(writeBack), FLUSH_MS),
    setInterval(oneAtATime(sweep), MINUTE_MS),
    setInterval(oneAtATime(optimize), TIDY_MS),
    setInterval(oneAtATime(look), SEAL_MS),
    setInterval(descriptors.look, DESCRIPTORS_MS),
  ];

  return {
    async end() {
      isEnding = true;
      for (const timer of timers) clearInterval(timer);
      descriptors.end();
      await writeBack();
    },
  };
}

/** Leaves a turn out while the one before still waits for the database. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let underWay = false;
  return async () => {
    if (underWay) return;
    underWay = true;
    await work();
    underWay = false;
  };
}
