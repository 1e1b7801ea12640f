import type { LoggedChange } from '../domain/change-log.ts';
import { type Clock, DAY_MS, SECOND_MS } from '../domain/clock.ts';
import type { AttemptedDelivery, AttemptOutcome, NextDelivery } from '../domain/delivery.ts';
import type { Webhook } from '../domain/webhook.ts';
import type { AttemptResult } from '../jobs/line.ts';
import type { Schedule } from '../jobs/schedule.ts';
import type { FailureKind } from './client.ts';
import { isSuccess, rejection, type SendMessage } from './message.ts';

/** A `Retry-After` delays an attempt by at most this, in milliseconds. */
const RETRY_AFTER_MAX_MS = DAY_MS;
const GONE = 410;
const LIMITED = [429, 503];
const REMOVED = 'The event was removed from the log before it could be delivered.';

/** The parts of an attempt. */
export interface AttemptParts {
  readonly send: SendMessage;
  readonly schedule: Schedule;
  readonly clock: Clock;
  /** Returns an event as `/events` shows it. */
  bodyOf(change: LoggedChange): string;
}

/** The result of an attempt that was not cut off. */
export interface WebhookResult extends AttemptResult {
  readonly delivery: AttemptedDelivery;
  readonly outcome: AttemptOutcome;
  /** The endpoint says that it is gone for ever. */
  readonly isGone: boolean;
}

/**
 * Makes an attempt at a delivery. Returns undefined if the signal cut it off: the receiver may or may
 * not have got it. Without a change the delivery has failed: its event was removed from the log.
 */
export async function attemptDelivery(
  { send, schedule, clock, bodyOf }: AttemptParts,
  webhook: Webhook,
  { eventId, attempts: earlier, change }: NextDelivery,
  signal: AbortSignal,
): Promise<Omit<WebhookResult, 'status'> | undefined> {
  const before: AttemptedDelivery = {
    eventId,
    status: 'failed',
    attempts: earlier,
    responseStatus: null,
    responseBody: null,
    error: null,
    nextAttemptAt: null,
    deliveredAt: null,
  };
  if (change === undefined) {
    return { outcome: 'expired', delivery: { ...before, error: REMOVED }, isGone: false };
  }
  const outcome = await send(webhook, { id: String(eventId), body: bodyOf(change) }, signal);
  const now = clock.now();
  const attempts = earlier + 1;
  if ('failure' in outcome) {
    if (outcome.failure === 'aborted') return undefined;
    const failed = { ...before, attempts, error: outcome.reason };
    const delivery = dueAt(schedule(attempts, now), failed);
    return { outcome: outcomeOf(outcome.failure), delivery, isGone: false };
  }
  const { status, retryAfter, body } = outcome;
  const responseBody = body === '' ? null : body;
  const responded = { ...before, attempts, responseStatus: status, responseBody };
  if (isSuccess(status)) {
    const delivery = { ...responded, status: 'delivered' as const, deliveredAt: now };
    return { outcome: 'delivered', delivery, isGone: false };
  }
  const isGone = status === GONE;
  const delayMs = LIMITED.includes(status) ? retryAfterMs(retryAfter, now) : 0;
  const next = isGone ? undefined : schedule(attempts, now, delayMs);
  const delivery = dueAt(next, { ...responded, error: rejection(status) });
  return { outcome: 'rejected', delivery, isGone };
}

/** Returns a delivery that is due again at `next`, or has failed for good if that is undefined. */
function dueAt(next: number | undefined, failed: AttemptedDelivery): AttemptedDelivery {
  return next === undefined ? failed : { ...failed, status: 'pending', nextAttemptAt: next };
}

function outcomeOf(failure: FailureKind): AttemptOutcome {
  if (failure === 'timeout' || failure === 'unreadable_secret') return failure;
  return failure === 'refused_target' ? 'refused' : 'unreachable';
}

/**
 * Returns the milliseconds that a `Retry-After` header asks for (RFC 9110, section 10.2.3), at most a
 * day; 0 if it cannot be read.
 */
function retryAfterMs(header: string | undefined, now: number): number {
  const text = header?.trim() ?? '';
  const wanted = /^\d{1,10}$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - now;
  return Number.isNaN(wanted) ? 0 : Math.min(Math.max(wanted, 0), RETRY_AFTER_MAX_MS);
}
