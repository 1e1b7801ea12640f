import { FREE_WAIT_MIN_S, FREE_WAITS_MAX, type QuotaStatus } from '../../domain/allowance.ts';
import type { Caller } from '../../domain/api-key.ts';
import { createPlaces } from '../../domain/places.ts';
import type { HttpResponse } from '../../http/response.ts';
import type { ApplyRateLimit } from './rate-limit.ts';
import type { RequestContext } from './request-context.ts';

const WAIT = /(?:^|&)wait=(\d+)(?:&|$)/;

/**
 * Creates the stage in place of the rate limit for long waits: one that finds events on arrival is charged as any other
 * request, one that has to wait is not. Otherwise a client that follows a shop would use up its day.
 *
 * It cannot be used to send more than the plan allows: such a wait needs requests left in the plan, a key has few at once,
 * and a client that leaves early is charged.
 */
export function createFreeWaits(applyRateLimit: ApplyRateLimit) {
  const places = createPlaces();

  async function chargeUnlessWaiting(
    context: RequestContext,
    caller: Caller,
    next: (context: RequestContext) => Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    await applyRateLimit(context, caller, true);
    if (context.decision === undefined || isUsedUp(context.decision.quota)) {
      // It is refused now, and counts as any refusal.
      await applyRateLimit(context, caller, false);
      return next(context);
    }
    let isFree = false;
    try {
      const response = await next(context);
      isFree = context.hasWaited && !context.request.signal.aborted;
      return response;
    } finally {
      await applyRateLimit(context, caller, isFree);
    }
  }

  return {
    /** Takes a place for a request. Returns false if it is to be charged when it arrives. */
    admit({ operation, target }: RequestContext, { familyId }: Caller): boolean {
      if (operation?.waits !== true) return false;
      const seconds = Number(WAIT.exec(target.query)?.[1] ?? 0);
      return seconds >= FREE_WAIT_MIN_S && places.take(familyId, FREE_WAITS_MAX);
    },
    /** Serves a request that was admitted. */
    serve: (...request: Parameters<typeof chargeUnlessWaiting>) =>
      chargeUnlessWaiting(...request).finally(() => places.release(request[1].familyId)),
  };
}

function isUsedUp({ minute, day, bannedUntil }: QuotaStatus): boolean {
  return bannedUntil !== undefined || minute.remaining === 0 || day?.remaining === 0;
}
