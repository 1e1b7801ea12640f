import { DAY_MS } from '../../domain/clock.ts';
import type { DisabledReason, Webhook } from '../../domain/webhook.ts';
import type { AttemptResult } from './attempt.ts';

/** An endpoint without a success for this long is disabled. */
export const FAILING_MAX_MS = 5 * DAY_MS;
/** After this number of failures in a row an endpoint counts as down. */
export const DOWN_AFTER = 20;
/** Attempts at once at an endpoint that works. */
const AT_ONCE_MAX = 8;

/** The health of an endpoint, and its consequences. */
export interface EndpointHealth {
  readonly lastSuccessAt: number | null;
  readonly failingSince: number | null;
  /** The last attempt failed. */
  readonly isFailing: boolean;
  /** It only fails: while events wait for it, they are attempted again and nothing new is read. */
  readonly isDown: boolean;
  /** The number of attempts that may be under way: it grows with each success. */
  readonly atOnce: number;
  /** Set once the endpoint must be disabled. */
  readonly disable: DisabledReason | undefined;
  /** Returns true if the endpoint was down and works again. */
  note(result: AttemptResult, now: number): boolean;
}

/** Creates the health of an endpoint. */
export function createEndpointHealth({
  lastSuccessAt: storedSuccess,
  failingSince: storedFailure,
}: Pick<Webhook, 'lastSuccessAt' | 'failingSince'>): EndpointHealth {
  let lastSuccessAt = storedSuccess;
  let failingSince = storedFailure;
  let failures = 0;
  let atOnce = 1;
  let disable: DisabledReason | undefined;

  return {
    get lastSuccessAt() {
      return lastSuccessAt;
    },
    get failingSince() {
      return failingSince;
    },
    get isFailing() {
      return failures > 0;
    },
    get isDown() {
      return failures >= DOWN_AFTER;
    },
    get atOnce() {
      return atOnce;
    },
    get disable() {
      return disable;
    },
    note({ outcome, isGone }, now) {
      if (outcome === 'delivered') {
        const wasDown = failures >= DOWN_AFTER;
        lastSuccessAt = now;
        failingSince = null;
        failures = 0;
        atOnce = Math.min(atOnce + 1, AT_ONCE_MAX);
        return wasDown;
      }
      failures++;
      atOnce = 1;
      failingSince ??= now;
      if (isGone) disable = 'gone';
      else if (now - failingSince >= FAILING_MAX_MS) disable ??= 'failing';
      return false;
    },
  };
}
