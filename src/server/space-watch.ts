import { SECOND_MS } from '../domain/clock.ts';
import { isUnavailable } from '../domain/failure.ts';
import type { DatabaseSpace, Storage } from '../domain/storage.ts';
import type { Log } from '../telemetry/log.ts';

/** As often as Prometheus usually asks. */
const MEASURED_MS = 15 * SECOND_MS;

/** Knows how much space the database takes. */
export interface SpaceWatch {
  /** The last result; undefined before the first, or if it failed. */
  last(): DatabaseSpace | undefined;
  /** Stops measuring. */
  end(): void;
}

/**
 * Measures the database regularly, and not when somebody scrapes: a database or disk that hangs must not keep the
 * metrics from those who look for the reason. An outage of the database is logged by others.
 */
export function startSpaceWatch(
  storage: Pick<Storage, 'space'>,
  log: Pick<Log, 'error'>,
): SpaceWatch {
  let last: DatabaseSpace | undefined;
  let isMeasuring = false;
  let hasFailed = false;
  let hasEnded = false;

  async function measure(): Promise<void> {
    if (isMeasuring) return;
    isMeasuring = true;
    try {
      last = await storage.space();
      hasFailed = false;
    } catch (error) {
      last = undefined;
      if (!isUnavailable(error) && !hasFailed && !hasEnded)
        log.error('could not measure the database', error);
      hasFailed = true;
    } finally {
      isMeasuring = false;
    }
  }

  void measure();
  const timer = setInterval(measure, MEASURED_MS);
  return {
    last: () => last,
    end() {
      hasEnded = true;
      clearInterval(timer);
    },
  };
}
