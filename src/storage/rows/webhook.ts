import { CHANGE_TYPES, type ChangeType } from '../../domain/change-log.ts';
import type { DeliveryState, PendingDelivery, SurveyedWebhook } from '../../domain/delivery.ts';
import type {
  Delivery,
  DeliveryStatus,
  DisabledReason,
  NewWebhook,
  Webhook,
  WebhookSettings,
} from '../../domain/webhook.ts';
import { bigintOrNull, numberOrNull } from './nullable.ts';

/** A webhook as a row, without the columns of those who deliver. */
export interface WebhookRow {
  readonly id: bigint;
  readonly url: string;
  readonly types: string | null;
  readonly description: string | null;
  readonly disabled_reason: DisabledReason | null;
  readonly secret: string;
  readonly old_secret: string | null;
  readonly old_secret_until: bigint | null;
  readonly created_at: bigint;
  readonly last_success_at: bigint | null;
  readonly failing_since: bigint | null;
}

/** The columns of a `WebhookRow`. */
export const WEBHOOK_COLUMNS = `id, url, types, description, disabled_reason, secret, old_secret,
  old_secret_until, created_at, last_success_at, failing_since`;

/** A webhook with what its deliverer has to know. */
export interface HeldRow extends WebhookRow {
  readonly revision: bigint;
  readonly position: bigint;
}

/** The columns that a change of a webhook may set. */
export const WEBHOOK_SETTINGS = [
  'url',
  'types',
  'description',
  'disabled_reason',
  'secret',
  'old_secret',
  'old_secret_until',
  'failing_since',
] as const;

/** The webhook in a row. */
export function webhookOf(row: WebhookRow): Webhook {
  const stored = row.types?.split(',');
  return {
    id: row.id,
    url: row.url,
    types: stored === undefined ? null : CHANGE_TYPES.filter((type) => stored.includes(type)),
    description: row.description,
    disabledReason: row.disabled_reason,
    secret: row.secret,
    oldSecret: row.old_secret,
    oldSecretUntil: numberOrNull(row.old_secret_until),
    createdAt: Number(row.created_at),
    lastSuccessAt: numberOrNull(row.last_success_at),
    failingSince: numberOrNull(row.failing_since),
  };
}

/** The values of a changed row in the order of `WEBHOOK_SETTINGS`. */
export function webhookSettingsValues(
  current: Webhook,
  settings: WebhookSettings,
): (string | bigint | null)[] {
  // A webhook that is enabled again has not failed yet.
  const isEnabled = current.disabledReason !== null && settings.disabledReason === null;
  return [
    settings.url,
    settings.types?.join() ?? null,
    settings.description,
    settings.disabledReason,
    settings.secret,
    settings.oldSecret,
    bigintOrNull(settings.oldSecretUntil),
    bigintOrNull(isEnabled ? null : current.failingSince),
  ];
}

/** The columns that have a value when a webhook is stored, besides those that start as constants. */
export const NEW_WEBHOOK_COLUMNS = ['url', 'types', 'description', 'created_at'] as const;

/** The values of a new row in the order of `NEW_WEBHOOK_COLUMNS`. */
export function newWebhookValues({ url, types, description, createdAt }: NewWebhook) {
  return [url, types?.join() ?? null, description, BigInt(createdAt)] as const;
}

/** A webhook as the division of work sees it. */
export interface SurveyedRow {
  readonly id: bigint;
  readonly disabled_reason: DisabledReason | null;
  readonly deliverer_id: bigint | null;
  readonly revision: bigint;
}

export function surveyedOf(row: SurveyedRow): SurveyedWebhook {
  const { id, disabled_reason, deliverer_id: delivererId, revision } = row;
  return { id, disabledReason: disabled_reason, delivererId, revision };
}

/** The columns of a delivery besides its webhook, in the order of `deliveryValues`. */
export const DELIVERY_COLUMNS = [
  'event_id',
  'type',
  'record',
  'status',
  'attempts',
  'response_status',
  'response_body',
  'error',
  'created_at',
  'next_attempt_at',
  'delivered_at',
] as const;

/** The values of a delivery in the order of `DELIVERY_COLUMNS`. */
export function deliveryValues(delivery: DeliveryState): (string | bigint | null)[] {
  return [
    delivery.eventId,
    delivery.type,
    delivery.record,
    delivery.status,
    BigInt(delivery.attempts),
    bigintOrNull(delivery.responseStatus),
    delivery.responseBody,
    delivery.error,
    BigInt(delivery.createdAt),
    bigintOrNull(delivery.nextAttemptAt),
    bigintOrNull(delivery.deliveredAt),
  ];
}

/** The columns that a later attempt changes. */
export const ATTEMPT_COLUMNS = [
  'status',
  'attempts',
  'response_status',
  'response_body',
  'error',
  'next_attempt_at',
  'delivered_at',
] as const;

/** A delivery as a row. */
export interface DeliveryRow {
  readonly event_id: bigint;
  readonly type: ChangeType;
  readonly record: string;
  readonly status: DeliveryStatus;
  readonly attempts: bigint;
  readonly response_status: bigint | null;
  readonly response_body: string | null;
  readonly error: string | null;
  readonly created_at: bigint;
  readonly next_attempt_at: bigint | null;
  readonly delivered_at: bigint | null;
}

/** The delivery in a row. Its id is that of its event. */
export function deliveryOf(row: DeliveryRow): Delivery & { readonly id: bigint } {
  return {
    id: row.event_id,
    eventId: row.event_id,
    type: row.type,
    status: row.status,
    attempts: Number(row.attempts),
    responseStatus: numberOrNull(row.response_status),
    responseBody: row.response_body,
    error: row.error,
    createdAt: Number(row.created_at),
    nextAttemptAt: numberOrNull(row.next_attempt_at),
    deliveredAt: numberOrNull(row.delivered_at),
  };
}

/** The columns of a pending delivery. */
export const PENDING_COLUMNS = 'event_id, type, record, attempts, created_at, next_attempt_at';

/** A pending delivery as a row. */
export type PendingRow = Pick<
  DeliveryRow,
  'event_id' | 'type' | 'record' | 'attempts' | 'created_at' | 'next_attempt_at'
>;

export function pendingOf(row: PendingRow): PendingDelivery {
  const { event_id: eventId, type, record } = row;
  return {
    ...{ eventId, type, record },
    attempts: Number(row.attempts),
    createdAt: Number(row.created_at),
    nextAttemptAt: numberOrNull(row.next_attempt_at),
  };
}
