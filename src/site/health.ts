import type { Limiter } from '../domain/allowance.ts';
import { SECOND_MS } from '../domain/clock.ts';
import { Failure, isUnavailable } from '../domain/failure.ts';
import type { Fence, Obstacle, Storage } from '../domain/storage.ts';
import { type WritableJson, writeJson } from '../http/json.ts';
import { type HttpResponse, JSON_TYPE } from '../http/response.ts';
import type { Log } from '../telemetry/log.ts';

/** Health checks for a load balancer. */
export type Health = ReturnType<typeof createHealth>;

/** The parts that are checked. */
interface HealthParts {
  readonly storage: Pick<Storage, 'ping' | 'tryWrite'>;
  readonly limiter: Pick<Limiter, 'sharing'>;
  readonly log: Pick<Log, 'warn' | 'info'>;
  /** The version and the commit, for those who look whether an upgrade has arrived. */
  readonly release: Readonly<Record<string, string>>;
  isDraining(): boolean;
  readonly fence: Pick<Fence, 'obstacle'>;
  /** Milliseconds of a monotonic clock. Tests inject their own. */
  readonly now?: () => number;
}

/** The state of one part. Anybody may read the reason: no address, no name, no cause. */
type Check = { readonly ok: true } | { readonly ok: false; readonly reason: string };

const OK: Check = { ok: true };
const REASONS: Readonly<Record<Obstacle, string>> = {
  moved: 'the database was moved',
  upgraded: 'a later release has migrated the database',
  replaced: 'the database is not the one that was opened',
};
const RETRY_SECONDS = '2';
/**
 * A check of the database is reused for this many milliseconds: anybody may ask without a key, and
 * proxies ask every 200 ms at most.
 */
const FRESH_MS = 250;
/** The same of the check that writes. */
const WRITTEN_MS = 10 * SECOND_MS;

/** Creates the health checks. Each change of the storage's state is logged once. */
export function createHealth(parts: HealthParts) {
  const { limiter, release, isDraining, fence } = parts;
  const recentStorageCheck = createStorageCheck(parts);
  let wasReady: boolean | undefined;

  /** Never makes the service unready: without the shared engine, each instance counts alone. */
  function checkLimits(): Check {
    if (limiter.sharing()?.shared !== false) return OK;
    return { ok: false, reason: 'shared limits are out of reach; this instance counts alone' };
  }

  function checkServing(): Check {
    if (isDraining()) return { ok: false, reason: 'the service is stopping' };
    const { obstacle } = fence;
    return obstacle === undefined ? OK : { ok: false, reason: REASONS[obstacle] };
  }

  /** Returns 200 if the service can serve, else 503. The body says what is wrong with each part. */
  async function ready(): Promise<HttpResponse> {
    const checks = {
      storage: await recentStorageCheck(),
      limits: checkLimits(),
      serving: checkServing(),
    };
    const isReady = checks.storage.ok && checks.serving.ok;
    wasReady = isReady;
    return responseWith(isReady ? 200 : 503, {
      ...{ status: isReady ? 'ready' : 'not ready', ...release, checks },
    });
  }

  return {
    /** Returns 200 while the process responds at all. */
    live: () => responseWith(200, { status: 'live' }),
    ready,
    /** The result of the last check; undefined before the first. */
    wasReady: () => wasReady,
  };
}

/** Creates the check of the database. A call shares a running or a recent check. */
function createStorageCheck({ storage, log, now = () => performance.now() }: HealthParts) {
  let wasUp = true;
  let latest: Promise<Check> | undefined;
  let freshUntil = Number.NEGATIVE_INFINITY;
  let written: Promise<void> | undefined;
  let writtenUntil = Number.NEGATIVE_INFINITY;

  /** Throws what kept the last write from being made. */
  function recentWrite(): Promise<void> {
    if (written === undefined || now() >= writtenUntil) {
      written = storage.tryWrite();
      writtenUntil = now() + WRITTEN_MS;
    }
    return written;
  }

  async function check(): Promise<Check> {
    try {
      await storage.ping();
      await recentWrite();
      if (!wasUp) log.info('the database responds again');
      wasUp = true;
      return OK;
    } catch (error) {
      const cause = error instanceof Failure ? error.details.cause : error;
      if (wasUp) log.warn('the database does not answer', { err: cause });
      wasUp = false;
      const reason = isUnavailable(error) ? 'does not answer' : 'refuses what requests need';
      return { ok: false, reason: `the database ${reason}` };
    }
  }

  return (): Promise<Check> => {
    if (latest !== undefined && now() < freshUntil) return latest;
    freshUntil = Number.POSITIVE_INFINITY;
    latest = check().finally(() => {
      freshUntil = now() + FRESH_MS;
    });
    return latest;
  };
}

function responseWith(status: 200 | 503, value: WritableJson): HttpResponse {
  const headers = {
    'content-type': JSON_TYPE,
    ...(status === 503 && { 'retry-after': RETRY_SECONDS }),
  };
  return { status, body: writeJson(value), headers, unlogged: true };
}
