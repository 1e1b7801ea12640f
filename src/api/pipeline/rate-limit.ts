import type { Decision, Limiter, QuotaStatus } from '../../domain/allowance.ts';
import type { Caller } from '../../domain/api-key.ts';
import { type Clock, SECOND_MS } from '../../domain/clock.ts';
import { Failure } from '../../domain/failure.ts';
import type { UsageCounter } from '../../domain/usage.ts';
import type { ClientAddresses, ClientAddressParts } from '../../http/client-address.ts';
import type { RequestContext } from './request-context.ts';

/** The dependencies of the stage. */
export interface RateLimitParts extends ClientAddressParts {
  readonly limiter: Limiter;
  readonly clock: Clock;
  readonly usage: UsageCounter;
}

/**
 * Charges a request to its caller, or to the address if there is no caller, and stores the quota
 * status in the context. Throws a 429 if the limit is used up. An unmetered request is charged to
 * nobody, and is never refused.
 */
export type ApplyRateLimit = (
  context: RequestContext,
  caller: Caller | undefined,
  unmetered: boolean,
) => Promise<void>;

/** Creates the stage that enforces the limits. */
export function createRateLimit(
  { limiter, clock, usage }: Omit<RateLimitParts, 'proxies' | 'peerOf'>,
  addresses: ClientAddresses,
): {
  readonly applyRateLimit: ApplyRateLimit;
  /** Charges a caller: at once, if this process counts by itself. */
  chargeAtOnce(context: RequestContext, caller: Caller): Promise<void> | undefined;
} {
  async function decide(
    context: RequestContext,
    caller: Caller | undefined,
    unmetered: boolean,
    now: number,
  ): Promise<Decision> {
    if (caller !== undefined) {
      if (!unmetered) return limiter.charge(caller, now);
      return granted(await limiter.peek(caller, now));
    }
    const address = addresses.addressOf(context.request);
    if (unmetered) return granted(await limiter.peekAddress(address, now));
    const decision = await limiter.chargeAddress(address, now);
    const { refusal, quota } = decision;
    if (refusal !== undefined) addresses.noteRefused(address, quota.minute.resetsAt);
    return decision;
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

  function start(context: RequestContext, caller: Caller | undefined, unmetered: boolean): number {
    context.caller ??= caller;
    context.isCharged = caller !== undefined && !unmetered;
    context.decidedAt = clock.now();
    return context.decidedAt;
  }

  return {
    async applyRateLimit(context, caller, unmetered) {
      const now = start(context, caller, unmetered);
      storeDecision(context, await decide(context, caller, unmetered, now));
    },
    chargeAtOnce(context, caller) {
      const decision = limiter.charge(caller, start(context, caller, false));
      if (decision instanceof Promise)
        return decision.then((later) => storeDecision(context, later));
      storeDecision(context, decision);
      return undefined;
    },
  };
}

function granted(quota: QuotaStatus): Decision {
  return { quota, refusal: undefined };
}

/** Returns the failure of a refusal, or undefined if the request is allowed. */
export function refusalOf({ refusal, quota }: Decision): Failure | undefined {
  const { at, minute, day = minute, bannedUntil = at } = quota;
  if (refusal === undefined) return undefined;
  if (refusal === 'banned') {
    const reason = 'This API key is banned because it kept sending requests over its limit';
    return refused('api_key_banned', bannedUntil, at, reason);
  }
  const { limit, resetsAt } = { minute, day }[refusal];
  const reason = `The limit of ${limit} requests a ${refusal} is used up`;
  return refused(`rate_limit_${refusal}`, resetsAt, at, reason);
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

/** Returns the whole seconds from `now` until `at`, rounded up, at least 1. */
export function secondsUntil(at: number, now: number): number {
  return Math.max(1, Math.ceil((at - now) / SECOND_MS));
}
