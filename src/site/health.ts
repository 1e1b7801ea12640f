import type { Limiter } from '../domain/allowance.ts';
import { Failure } from '../domain/failure.ts';
import type { Storage } from '../domain/storage.ts';
import { type WritableJson, writeJson } from '../http/json.ts';
import { type HttpResponse, JSON_TYPE } from '../http/response.ts';
import type { Log } from '../telemetry/log.ts';

/** Whether the service lives, and whether it can serve: what a load balancer asks. */
export interface Health {
  /** 200 as long as the process answers at all. */
  live(): HttpResponse;
  /** 200 when it can serve, else 503; the body says of each part what is wrong with it. */
  ready(): Promise<HttpResponse>;
}

/** What is looked at. */
export interface HealthParts {
  readonly storage: Pick<Storage, 'ping'>;
  readonly limiter: Pick<Limiter, 'sharing'>;
  readonly log: Pick<Log, 'warn' | 'info'>;
  isDraining(): boolean;
  isFenced(): boolean;
  /** Milliseconds of a clock that never steps; a test brings its own. */
  readonly now?: () => number;
}

/** How one part is. Reasons are for everybody: no address, no name, nothing of the cause. */
type Check = { readonly ok: true } | { readonly ok: false; readonly reason: string };

const OK: Check = { ok: true };
const RETRY_SECONDS = '2';
/**
 * How long an answer of the database holds, in milliseconds: nobody needs a key to ask, and proxies
 * ask every 200 ms at most.
 */
const FRESH_MS = 250;

/** Makes the checks. What the storage says goes to the log, once for each change. */
export function createHealth(parts: HealthParts): Health {
  const { storage, limiter, log, isDraining, isFenced } = parts;
  const now = parts.now ?? (() => performance.now());
  let wasUp = true;
  let storageCheck: Promise<Check> | undefined;
  let freshUntil = Number.NEGATIVE_INFINITY;

  /** The check that is under way, or was made a moment ago; else a new one. */
  function recentStorageCheck(): Promise<Check> {
    if (storageCheck !== undefined && now() < freshUntil) return storageCheck;
    freshUntil = Number.POSITIVE_INFINITY;
    storageCheck = checkStorage().finally(() => {
      freshUntil = now() + FRESH_MS;
    });
    return storageCheck;
  }

  async function checkStorage(): Promise<Check> {
    try {
      await storage.ping();
      if (!wasUp) log.info('the database answers again');
      wasUp = true;
      return OK;
    } catch (error) {
      const cause = error instanceof Failure ? error.details.cause : error;
      if (wasUp) log.warn('the database does not answer', { err: cause });
      wasUp = false;
      return { ok: false, reason: 'the database does not answer' };
    }
  }

  /** Never a reason not to be ready: without what they share, instances count alone. */
  function checkLimits(): Check {
    if (limiter.sharing()?.shared !== false) return OK;
    return { ok: false, reason: 'shared limits are out of reach; this instance counts alone' };
  }

  function checkServing(): Check {
    if (isDraining()) return { ok: false, reason: 'the service is stopping' };
    return isFenced() ? { ok: false, reason: 'the shop moved to another database' } : OK;
  }

  async function ready(): Promise<HttpResponse> {
    const checks = {
      storage: await recentStorageCheck(),
      limits: checkLimits(),
      serving: checkServing(),
    };
    const isReady = checks.storage.ok && checks.serving.ok;
    return answerOf(isReady ? 200 : 503, { status: isReady ? 'ready' : 'not ready', checks });
  }

  return { live: () => answerOf(200, { status: 'live' }), ready };
}

function answerOf(status: 200 | 503, value: WritableJson): HttpResponse {
  const headers = {
    'content-type': JSON_TYPE,
    ...(status === 503 && { 'retry-after': RETRY_SECONDS }),
  };
  return { status, body: writeJson(value), headers };
}
