import type { Decision, Limiter, Standing } from '../../domain/allowance.ts';
import type { Caller } from '../../domain/caller.ts';
import { type Clock, SECOND_MS } from '../../domain/clock.ts';
import { Failure } from '../../domain/failure.ts';
import { after, afterWith, type Later } from '../../domain/maybe-promise.ts';
import { createBannedLookups } from './banned-lookups.ts';
import type { Exchange } from './request-context.ts';
import { secondsUntil } from './rate-limit-headers.ts';
import type { Strangers, StrangersParts } from './client-addresses.ts';

/** What the stage is made of. */
export interface AdmissionParts extends StrangersParts {
  readonly limiter: Limiter;
  readonly clock: Clock;
}

/**
 * Charges a request to its caller, or to the address of a stranger, and notes in the exchange
 * where they stand. Throws the refusal of one that is over the limit; what is free is refused only
 * during a ban, where it is asked for too often.
 */
export type Admit = (
  exchange: Exchange,
  caller: Caller | undefined,
  free: boolean,
) => Later<Standing>;

/** Makes the stage that holds callers to their limits. */
export function createAdmission(
  { limiter, clock }: Pick<AdmissionParts, 'limiter' | 'clock'>,
  strangers: Strangers,
): Admit {
  const decideLookup = createBannedLookups();

  function decide(
    exchange: Exchange,
    caller: Caller | undefined,
    free: boolean,
    now: number,
  ): Later<Decision> {
    if (caller !== undefined) {
      if (!free) return limiter.charge(caller, now);
      const { keyId } = caller;
      return after(limiter.look(caller, now), (standing) => decideLookup(keyId, standing));
    }
    const address = strangers.addressOf(exchange.request);
    if (free) return after(limiter.lookAddress(address, now), granted);
    return after(limiter.chargeAddress(address, now), (decision) => {
      const { refusal, standing } = decision;
      if (refusal !== undefined) strangers.noteRefused(address, standing.minute.resetsAt);
      return decision;
    });
  }

  return function admit(exchange, caller, free) {
    const now = clock.now();
    exchange.caller ??= caller;
    exchange.decidedAt = now;
    return afterWith(decide(exchange, caller, free, now), exchange, noteDecision);
  };
}

function noteDecision(exchange: Exchange, decision: Decision): Standing {
  exchange.decision = decision;
  const refusal = refusalOf(decision);
  if (refusal !== undefined) throw refusal;
  return decision.standing;
}

function granted(standing: Standing): Decision {
  return { standing, refusal: undefined };
}

/** The failure that a refusal means, or undefined where the request was let through. */
export function refusalOf({ refusal, standing }: Decision): Failure | undefined {
  const now = standing.at;
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
