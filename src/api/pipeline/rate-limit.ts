import type { Decision, Limiter, QuotaStatus } from '../../domain/allowance.ts';
import type { Caller } from '../../domain/caller.ts';
import { type Clock, SECOND_MS } from '../../domain/clock.ts';
import { Failure } from '../../domain/failure.ts';
import { type MaybePromise, thenDo, thenWith } from '../../domain/maybe-promise.ts';
import type { UsageCounter } from '../../domain/usage.ts';
import { type CountBannedLookup, createBannedLookups } from './banned-lookups.ts';
import type { ClientAddresses, ClientAddressParts } from './client-addresses.ts';
import { secondsUntil } from './rate-limit-headers.ts';
import type { RequestContext } from './request-context.ts';

/** The dependencies of the stage. */
export interface RateLimitParts extends ClientAddressParts {
  readonly limiter: Limiter;
  readonly clock: Clock;
  readonly usage: UsageCounter;
  /** By default each pipeline counts for itself. */
  readonly countBannedLookup?: CountBannedLookup | undefined;
}

/**
 * Charges a request to its caller, or to the address if there is no caller, and stores the quota
 * status in the context. Throws a 429 if the limit is used up. An unmetered request is charged to
 * nobody, and is refused only if it is repeated too often during a ban.
 */
export type ApplyRateLimit = (
  context: RequestContext,
  caller: Caller | undefined,
  unmetered: boolean,
) => MaybePromise<void>;

/** Creates the stage that enforces the limits. */
export function createRateLimit(
  {
    limiter,
    clock,
    usage,
    countBannedLookup = createBannedLookups(),
  }: Omit<RateLimitParts, 'proxies' | 'peerOf'>,
  addresses: ClientAddresses,
): ApplyRateLimit {
  /** Grants every lookup of a key that is not banned. */
  function decideLookup(keyId: bigint, quota: QuotaStatus): MaybePromise<Decision> {
    if (quota.bannedUntil === undefined) return granted(quota);
    return thenDo(countBannedLookup(keyId, quota.at), (isGranted) => ({
      quota,
      refusal: isGranted ? undefined : 'banned',
    }));
  }

  function decide(
    context: RequestContext,
    caller: Caller | undefined,
    unmetered: boolean,
    now: number,
  ): MaybePromise<Decision> {
    if (caller !== undefined) {
      if (!unmetered) return limiter.charge(caller, now);
      const { keyId } = caller;
      return thenDo(limiter.look(caller, now), (quota) => decideLookup(keyId, quota));
    }
    const address = addresses.addressOf(context.request);
    if (unmetered) return thenDo(limiter.lookAddress(address, now), granted);
    return thenDo(limiter.chargeAddress(address, now), (decision) => {
      const { refusal, quota } = decision;
      if (refusal !== undefined) addresses.noteRefused(address, quota.minute.resetsAt);
      return decision;
    });
  }

  function storeDecision(context: RequestContext, decision: Decision): void {
    context.decision = decision;
    const { caller, isCharged, decidedAt } = context;
    const refusal = refusalOf(decision);
    if (refusal === undefined) {
      if (isCharged && caller !== undefined) usage.count(caller.keyId, decidedAt, 'requests');
      return;
    }
    if (caller !== undefined) usage.count(caller.keyId, decidedAt, 'refused');
    context.isCharged = false;
    throw refusal;
  }

  return function applyRateLimit(context, caller, unmetered) {
    const now = clock.now();
    context.caller ??= caller;
    context.isCharged = caller !== undefined && !unmetered;
    context.decidedAt = now;
    return thenWith(decide(context, caller, unmetered, now), context, storeDecision);
  };
}

function granted(quota: QuotaStatus): Decision {
  return { quota, refusal: undefined };
}

/** Returns the failure of a refusal, or undefined if the request is allowed. */
export function refusalOf({ refusal, quota }: Decision): Failure | undefined {
  const now = quota.at;
  switch (refusal) {
    case undefined:
      return undefined;
    case 'banned': {
      const until = quota.bannedUntil ?? now;
      return refused(
        'api_key_banned',
        until,
        now,
        'This API key is banned because it kept sending requests over its limit',
      );
    }
    case 'day': {
      const { limit, resetsAt } = quota.day ?? quota.minute;
      return refused(
        'rate_limit_day',
        resetsAt,
        now,
        `The limit of ${limit} requests a day is used up`,
      );
    }
    case 'minute': {
      const { limit, resetsAt } = quota.minute;
      return refused(
        'rate_limit_minute',
        resetsAt,
        now,
        `The limit of ${limit} requests a minute is used up`,
      );
    }
  }
}

function refused(
  code: 'api_key_banned' | 'rate_limit_day' | 'rate_limit_minute',
  until: number,
  now: number,
  reason: string,
): Failure {
  const retryAfterSeconds = secondsUntil(until, now);
  const at = `${new Date(Math.ceil(until / SECOND_MS) * SECOND_MS).toISOString().slice(0, 19)}Z`;
  const message = `${reason}; try again in ${retryAfterSeconds} s, at ${at}, and no earlier.`;
  return new Failure(code, message, { retryAfterSeconds });
}
