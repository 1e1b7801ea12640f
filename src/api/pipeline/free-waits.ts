import { FREE_WAIT_MIN_S, FREE_WAITS_MAX, type QuotaStatus } from '../../domain/allowance.ts';
import type { Caller } from '../../domain/api-key.ts';
import { createFairPlaces } from '../../domain/fair-places.ts';
import type { HttpResponse } from '../../http/response.ts';
import type { ApplyRateLimit } from './rate-limit.ts';
import type { RequestContext } from './request-context.ts';

const WAIT = /(?:^|&)wait=(\d+)(?:&|$)/;

/**
 * Creates the stage that stands in for the rate limit where a request asks for a long wait. One that finds events on
 * arrival is charged as any other, one that has to wait is not: following a shop must not use up a day's requests.
 *
 * Nobody sends more than the plan allows with it: such a wait needs requests left in the plan, a key has few at once,
 * and a client that leaves early is charged.
 */
export function createFreeWaits(applyRateLimit: ApplyRateLimit) {
  const places = createFairPlaces({ perHolder: FREE_WAITS_MAX });

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

  /** Serves a request as a free wait; undefined if it is to be charged when it arrives. */
  return (...request: Parameters<typeof chargeUnlessWaiting>) => {
    const [{ operation, target }, { familyId }] = request;
    if (operation?.waits !== true) return undefined;
    const seconds = Number(WAIT.exec(target.query)?.[1] ?? 0);
    const release = seconds >= FREE_WAIT_MIN_S ? places.take(familyId) : undefined;
    return release && chargeUnlessWaiting(...request).finally(release);
  };
}

function isUsedUp({ minute, day, bannedUntil }: QuotaStatus): boolean {
  return bannedUntil !== undefined || minute.remaining === 0 || day?.remaining === 0;
}
