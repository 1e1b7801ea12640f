import { FREE_WAIT_MIN_S, type QuotaStatus } from '../../domain/allowance.ts';
import type { Caller } from '../../domain/api-key.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/clock.ts';
import type { MaybePromise } from '../../domain/maybe-promise.ts';
import { createPlaces } from '../../domain/places.ts';
import type { HttpResponse } from '../../http/response.ts';
import type { ApplyRateLimit } from './rate-limit.ts';
import type { RequestContext } from './request-context.ts';

const WAIT = /(?:^|&)wait=(\d+)(?:&|$)/;

/**
 * Creates the stage in place of the rate limit for long waits, which are charged only if what they waited
 * for has happened. A client that waits for changes of a
 * quiet shop would otherwise use up its day for nothing.
 *
 * It cannot be used to send more than the plan allows: such a wait needs requests left in the plan,
 * and is charged like any other if it ends early for any reason. In one thread a key has as many
 * places as could end in vain in a minute within its plan; further waits are charged when they
 * arrive.
 */
export function createFreeWaits(applyRateLimit: ApplyRateLimit) {
  const places = createPlaces();

  /** Serves a request: charges it afterwards, unless its wait was in vain. */
  async function chargeUnlessVain(
    context: RequestContext,
    caller: Caller,
    next: (context: RequestContext) => MaybePromise<HttpResponse>,
  ): Promise<HttpResponse> {
    await applyRateLimit(context, caller, true);
    if (context.decision === undefined || isUsedUp(context.decision.quota)) {
      // It is refused now, and counts as any refusal.
      await applyRateLimit(context, caller, false);
      return next(context);
    }
    let response: HttpResponse;
    try {
      response = await next(context);
    } catch (error) {
      await applyRateLimit(context, caller, false);
      throw error;
    }
    const isVain = context.waitedInVain && !context.request.signal.aborted;
    await applyRateLimit(context, caller, isVain);
    return response;
  }

  return {
    /** Takes a place for a request. Returns false if it is to be charged when it arrives. */
    admit({ operation, target }: RequestContext, { familyId, plan }: Caller): boolean {
      if (operation?.waits !== true) return false;
      const seconds = Number(WAIT.exec(target.query)?.[1] ?? 0);
      if (seconds < FREE_WAIT_MIN_S) return false;
      const max = Math.ceil((plan.perMinute * FREE_WAIT_MIN_S * SECOND_MS) / MINUTE_MS);
      return places.take(familyId, max);
    },
    /** Serves a request that was admitted. */
    serve: (...request: Parameters<typeof chargeUnlessVain>) =>
      chargeUnlessVain(...request).finally(() => places.release(request[1].familyId)),
  };
}

function isUsedUp({ minute, day, bannedUntil }: QuotaStatus): boolean {
  return bannedUntil !== undefined || minute.remaining === 0 || day?.remaining === 0;
}
