import type { Decision, Limiter, Standing } from '../domain/allowance.ts';
import type { Caller } from '../domain/caller.ts';
import { SECOND_MS } from '../domain/clock.ts';
import { Failure } from '../domain/failure.ts';
import type { Later } from '../domain/later.ts';
import { after } from '../domain/later.ts';
import { secondsUntil } from './rate-limit-headers.ts';

/** Who is charged for a request: the holder of a key, or the address it came from. */
export type Payer = { readonly caller: Caller } | { readonly address: string };

/** Charges a request, or where it is free only looks: then the decision never refuses. */
export function charge(
  limiter: Limiter,
  payer: Payer,
  free: boolean,
  now: number,
): Later<Decision> {
  if ('caller' in payer) {
    if (!free) return limiter.charge(payer.caller, now);
    return after(limiter.look(payer.caller, now), granted);
  }
  if (!free) return limiter.chargeAddress(payer.address, now);
  return after(limiter.lookAddress(payer.address, now), granted);
}

function granted(standing: Standing): Decision {
  return { standing, refusal: undefined };
}

/** The failure that a refusal means, or undefined where the request was let through. */
export function refusalOf({ refusal, standing }: Decision, now: number): Failure | undefined {
  switch (refusal) {
    case undefined:
      return undefined;
    case 'banned': {
      const until = standing.bannedUntil ?? now;
      return refused(
        'api_key_banned',
        until,
        now,
        'This API key is banned for sending on while it was over its limit',
      );
    }
    case 'day': {
      const { limit, resetsAt } = standing.day ?? standing.minute;
      return refused(
        'rate_limit_day',
        resetsAt,
        now,
        `The limit of ${limit} requests a day is used up`,
      );
    }
    case 'minute': {
      const { limit, resetsAt } = standing.minute;
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
  const message = `${reason}; try again in ${retryAfterSeconds} s, at ${at}, and not before.`;
  return new Failure(code, message, { retryAfterSeconds });
}
