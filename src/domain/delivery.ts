import type { ChangeType } from './change-log.ts';
import type { MaybePromise } from './maybe-promise.ts';
import { type Delivery, DISABLED_REASONS, type DisabledReason, type Webhook } from './webhook.ts';

/** A webhook as the division of work sees it. */
export interface SurveyedWebhook {
  readonly id: bigint;
  /** Null while it is enabled. */
  readonly disabledReason: DisabledReason | null;
  /** The deliverer that delivers for it, perhaps a dead one. */
  readonly delivererId: bigint | null;
  /** Grows when somebody changes the webhook or asks for a retry. */
  readonly revision: bigint;
}

/** A process that delivers. */
export interface Deliverer {
  readonly id: bigint;
  /** Grows while it lives. */
  readonly beat: bigint;
}

/** All webhooks, and all processes that deliver or did so until they were killed. */
export interface Survey {
  readonly webhooks: readonly SurveyedWebhook[];
  readonly deliverers: readonly Deliverer[];
}

/** An event that has still to be delivered, and was attempted or has to wait for another one. */
export interface PendingDelivery
  extends Pick<Delivery, 'eventId' | 'type' | 'attempts' | 'createdAt' | 'nextAttemptAt'> {
  /** Names the record that the event is about: events of one record stay in order. */
  readonly record: string;
}

/** A webhook with all that its deliverer has to know. */
export interface HeldWebhook {
  readonly webhook: Webhook;
  readonly revision: bigint;
  /** Every event up to this one is delivered, has failed, is pending, or is not wanted. */
  readonly position: bigint;
  readonly pending: readonly PendingDelivery[];
  /** Events after `position` that are delivered or have failed. */
  readonly settled: readonly bigint[];
}

/** The state of a delivery to store. */
export interface DeliveryState extends Delivery, Pick<PendingDelivery, 'record'> {}

/** Progress at a webhook since its deliverer last stored it. */
export interface WebhookProgress {
  readonly webhookId: bigint;
  readonly position: bigint;
  readonly deliveries: readonly DeliveryState[];
  /** Null if nothing was ever delivered. */
  readonly lastSuccessAt: number | null;
  readonly failingSince: number | null;
  /** Set to disable the webhook. */
  readonly disable?: DisabledReason;
}

/**
 * The storage contract of those who deliver. Each process that delivers is a deliverer with a row. A
 * webhook names its deliverer, which is the only one to deliver for it. A deliverer that dies stops its
 * beat; the others then remove its row, which frees its webhooks. No time of day is compared, so
 * clocks that differ do no harm.
 */
export interface DeliveryStorage {
  survey(): MaybePromise<Survey>;
  /** Adds a deliverer and returns its id, which is never given again. */
  register(): MaybePromise<bigint>;
  /** Shows that a deliverer lives. Returns false if its row was removed: it holds nothing any more. */
  beat(delivererId: bigint): MaybePromise<boolean>;
  /** Removes a deliverer, unless its beat has grown past `beat`. Frees its webhooks. */
  removeDeliverer(deliverer: Deliverer): MaybePromise<void>;
  /** Takes enabled webhooks that are free, and still as they were surveyed. */
  claim(delivererId: bigint, free: readonly SurveyedWebhook[]): MaybePromise<void>;
  /** Frees webhooks that the deliverer holds. */
  release(delivererId: bigint, ids: readonly bigint[]): MaybePromise<void>;
  /** Returns those of these webhooks that are enabled and that the deliverer holds. */
  load(delivererId: bigint, ids: readonly bigint[]): MaybePromise<readonly HeldWebhook[]>;
  /**
   * Stores progress in one transaction. Returns the ids of the webhooks that the deliverer still holds;
   * nothing is stored of the others.
   */
  record(
    delivererId: bigint,
    progress: readonly WebhookProgress[],
  ): MaybePromise<ReadonlySet<bigint>>;
  /**
   * Returns the id after which the change log is still needed by an enabled webhook; undefined if
   * there is none.
   */
  neededAfter(): MaybePromise<bigint | undefined>;
  /**
   * Removes deliveries created at or before `time` that are not pending for an enabled webhook, and
   * those of removed webhooks; at most `most` of them. Returns the number removed. Other work waits
   * meanwhile, so `most` should be small.
   */
  removeExpired(time: number, most: number): MaybePromise<number>;
}

/**
 * Outcomes of attempts. With `unreadable_secret` nothing was sent; `expired` counts events that were
 * removed from the change log before they could be delivered.
 */
export const ATTEMPT_OUTCOMES = [
  'delivered',
  'rejected',
  'timeout',
  'unreachable',
  'refused',
  'unreadable_secret',
  'expired',
] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** A webhook is enabled, or disabled for a reason. */
export const WEBHOOK_STATES = ['enabled', ...DISABLED_REASONS] as const;
export type WebhookState = (typeof WEBHOOK_STATES)[number];

/** The deliveries of a process, for the metrics. */
export interface DeliveryReport {
  /** All webhooks of the deployment, by state; undefined until the first look at them. */
  readonly webhooks: Readonly<Record<WebhookState, number>> | undefined;
  /** Webhooks that this process delivers to. */
  readonly held: number;
  /** Attempts that are under way. */
  readonly sending: number;
  /** Events that wait, are sent, or are not stored yet: at most 1,000 for each webhook. */
  readonly queued: number;
  /** The age of the oldest of them in milliseconds; 0 if there is none. */
  readonly oldestMs: number;
  readonly attempts: Readonly<Record<AttemptOutcome, number>>;
}

/** The record of an event that is about all records: it stays in order with each of them. */
export const EVERY_RECORD = '*';

/** Returns the name of the record that an event is about. */
export function recordOf(change: {
  readonly type: ChangeType;
  readonly pet?: { readonly id: bigint };
  readonly category?: { readonly id: bigint };
  readonly order?: { readonly id: bigint };
}): string {
  if (change.pet !== undefined) return `pet ${change.pet.id}`;
  if (change.category !== undefined) return `category ${change.category.id}`;
  return change.order === undefined ? EVERY_RECORD : `order ${change.order.id}`;
}
