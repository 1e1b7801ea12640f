import type { LoggedChange } from '../../domain/change-log.ts';
import { type Clock, SECOND_MS } from '../../domain/clock.ts';
import type { AttemptOutcome, DeliveryState, PendingDelivery } from '../../domain/delivery.ts';
import type { DeliveryStatus, TestOutcome, Webhook } from '../../domain/webhook.ts';
import type { FailureKind } from './failure-reasons.ts';
import { retryAfterMs, type Schedule } from './schedule.ts';
import { type SecretCipher, UnreadableSecret } from './secret-cipher.ts';
import type { WebhookOutcome, WebhookSender } from './sender.ts';
import { webhookHeaders } from './signature.ts';

/** The result of an attempt that was not cut off. */
export interface AttemptResult {
  readonly outcome: AttemptOutcome;
  readonly delivery: DeliveryState;
  /** The endpoint says that it is gone for ever. */
  readonly isGone: boolean;
}

/** Signs and sends one message. */
export type SendMessage = (
  webhook: Webhook,
  message: { readonly id: string; readonly body: string },
  signal?: AbortSignal,
) => Promise<WebhookOutcome>;

const GONE = 410;
const LIMITED = [429, 503];
const USER_AGENT = 'Petstore-Webhooks/1';

/** Creates the function that signs with every valid secret of a webhook and sends. */
export function createSendMessage(
  sender: Pick<WebhookSender, 'send'>,
  cipher: Pick<SecretCipher, 'decrypt'>,
  clock: Clock,
): SendMessage {
  return async (webhook, { id, body }, signal) => {
    const now = clock.now();
    let secrets: readonly string[];
    try {
      secrets = secretsOf(webhook, cipher, now);
    } catch (error) {
      if (!(error instanceof UnreadableSecret)) throw error;
      return { failure: 'unreadable_secret', reason: error.message, milliseconds: 0 };
    }
    const timestampSeconds = Math.floor(now / SECOND_MS);
    const signature = webhookHeaders({ id, timestampSeconds, body }, secrets);
    const headers = {
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      ...signature,
    };
    return await sender.send({ url: webhook.url, headers, body }, signal);
  };
}

/** Returns the secrets that sign now, the newest first. */
function secretsOf(
  { id, secret, oldSecret, oldSecretUntil }: Webhook,
  cipher: Pick<SecretCipher, 'decrypt'>,
  now: number,
): readonly string[] {
  const newest = cipher.decrypt(secret, id);
  const isOldValid = oldSecret !== null && oldSecretUntil !== null && now < oldSecretUntil;
  return isOldValid ? [newest, cipher.decrypt(oldSecret, id)] : [newest];
}

/** Sends `webhook.test`, which is no event: it has an id of its own, and is in no log. */
export async function sendTest(
  send: SendMessage,
  webhook: Webhook,
  now: number,
): Promise<TestOutcome> {
  const timestamp = new Date(now).toISOString();
  const data = { webhookId: Number(webhook.id) };
  const body = JSON.stringify({ type: 'webhook.test', timestamp, data });
  const outcome = await send(webhook, { id: `test_${crypto.randomUUID()}`, body });
  const { milliseconds } = outcome;
  if ('failure' in outcome) return { isDelivered: false, error: outcome.reason, milliseconds };
  const { status } = outcome;
  if (isSuccess(status)) return { isDelivered: true, status, milliseconds };
  return { isDelivered: false, status, error: rejection(status), milliseconds };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function rejection(status: number): string {
  return `The receiver responded with ${status}.`;
}

/** The parts of an attempt. */
export interface AttemptParts {
  readonly send: SendMessage;
  readonly schedule: Schedule;
  readonly clock: Clock;
  /** Returns an event as `/events` shows it. */
  bodyOf(change: LoggedChange): string;
}

/**
 * Makes an attempt at a delivery. Returns undefined if the signal cut it off: the receiver may or may
 * not have got it. Without a change the delivery has failed: its event was removed from the log.
 */
export async function attemptDelivery(
  { send, schedule, clock, bodyOf }: AttemptParts,
  webhook: Webhook,
  pending: PendingDelivery,
  change: LoggedChange | undefined,
  signal: AbortSignal,
): Promise<AttemptResult | undefined> {
  if (change === undefined) {
    const { attempts } = pending;
    const delivery = stateAfter(pending, 'failed', { attempts, error: REMOVED });
    return { outcome: 'expired', delivery, isGone: false };
  }
  const message = { id: String(pending.eventId), body: bodyOf(change) };
  const outcome = await send(webhook, message, signal);
  const now = clock.now();
  const attempts = pending.attempts + 1;
  if ('failure' in outcome) {
    if (outcome.failure === 'aborted') return undefined;
    const next = schedule.next(attempts, now);
    const delivery = stateAfterFailure(pending, next, { attempts, error: outcome.reason });
    return { outcome: outcomeOf(outcome.failure), delivery, isGone: false };
  }
  const { status, retryAfter, body } = outcome;
  const response = { responseStatus: status, responseBody: body === '' ? null : body };
  if (isSuccess(status)) {
    const result = { attempts, ...response, deliveredAt: now };
    const delivery = stateAfter(pending, 'delivered', result);
    return { outcome: 'delivered', delivery, isGone: false };
  }
  const isGone = status === GONE;
  const delay = LIMITED.includes(status) ? retryAfterMs(retryAfter, now) : 0;
  const next = isGone ? undefined : schedule.next(attempts, now, delay);
  const result = { attempts, ...response, error: rejection(status) };
  return { outcome: 'rejected', delivery: stateAfterFailure(pending, next, result), isGone };
}

const REMOVED = 'The event was removed from the log before it could be delivered.';

/** The parts of a delivery that an attempt determines. */
type Result = Pick<DeliveryState, 'attempts'> & Partial<DeliveryState>;

function stateAfter(
  { eventId, type, record, createdAt }: PendingDelivery,
  status: DeliveryStatus,
  result: Result,
): DeliveryState {
  return {
    ...{ eventId, type, record, createdAt, status, error: null },
    ...{ responseStatus: null, responseBody: null, nextAttemptAt: null, deliveredAt: null },
    ...result,
  };
}

/** Returns a delivery that is due again at `next`, or has failed for good if that is undefined. */
function stateAfterFailure(
  pending: PendingDelivery,
  next: number | undefined,
  result: Result,
): DeliveryState {
  if (next === undefined) return stateAfter(pending, 'failed', result);
  return stateAfter(pending, 'pending', { ...result, nextAttemptAt: next });
}

function outcomeOf(failure: FailureKind): AttemptOutcome {
  if (failure === 'timeout' || failure === 'unreadable_secret') return failure;
  return failure === 'refused_target' ? 'refused' : 'unreachable';
}
