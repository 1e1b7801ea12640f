import type { LoggedChange } from './change-log.ts';
import { type Delivery, DISABLED_REASONS, type DisabledReason, type Webhook } from './webhook.ts';

/** The right to deliver. One process of the deployment has it: the leader. */
export interface Lease {
  /** Grows whenever a process takes the lease. */
  readonly term: bigint;
  /** Grows while the leader lives; 0 if there is none. */
  readonly heartbeat: bigint;
}

/** A webhook as every process sees it regularly. */
export interface WebhookVersion {
  readonly id: bigint;
  /** Null while it is enabled. */
  readonly disabledReason: DisabledReason | null;
  /** Grows when somebody changes the webhook or asks for a retry. */
  readonly revision: bigint;
  /** None of the keys that it belongs to may receive events now, so nothing may be sent. */
  readonly isOrphan: boolean;
}

/** The lease and all webhooks at one moment. */
export interface DeliverySnapshot {
  readonly lease: Lease;
  readonly webhooks: readonly WebhookVersion[];
}

/** A webhook with everything that the leader needs. */
export interface LoadedWebhook {
  readonly webhook: Webhook;
  readonly revision: bigint;
  /** Every event up to this one has a delivery, or is not wanted. Later ones may have a delivery, too. */
  readonly position: bigint;
}

/** How far a webhook has been read from the change log. */
interface WebhookPosition {
  readonly webhookId: bigint;
  readonly position: bigint;
}

/** An event that a webhook is to get. */
export interface NewDelivery extends Pick<Delivery, 'eventId' | 'type' | 'createdAt'> {
  readonly webhookId: bigint;
  /** Names the record that the event is about: events of one record stay in order. */
  readonly record: string;
}

/** The next delivery of a record: earlier ones are delivered or have failed. */
export interface NextDelivery extends Pick<Delivery, 'eventId' | 'attempts' | 'nextAttemptAt'> {
  /** Undefined if the event was removed from the change log. */
  readonly change: LoggedChange | undefined;
}

/** What is pending for a webhook. */
export interface PendingDeliveries {
  readonly webhookId: bigint;
  readonly count: number;
  /** When the oldest event was made. */
  readonly oldestAt: number;
  /** Those that are due in the order of their events, then those that are due later, at most `limit`. */
  readonly next: readonly NextDelivery[];
}

/** A delivery after an attempt. */
export type AttemptedDelivery = Omit<Delivery, 'type' | 'createdAt'>;

/** An attempt to store, and what it says about the endpoint. */
export interface AttemptRecord {
  readonly webhookId: bigint;
  readonly delivery: AttemptedDelivery;
  /** Null if nothing was ever delivered. */
  readonly lastSuccessAt: number | null;
  readonly failingSince: number | null;
  /** Set to disable the webhook, with the time of that. */
  readonly disable: { readonly reason: DisabledReason; readonly at: number } | undefined;
  /** The endpoint was down and works again, so everything pending for it becomes due. */
  readonly hasRecovered: boolean;
}

/**
 * The storage contract of deliveries. The leader shows by a heartbeat that it is alive. When that stops, another process
 * takes the lease and begins a new term; nothing is stored for an earlier one.
 * No time of day is compared, so clocks that differ do no harm.
 */
export interface DeliveryStorage {
  /** Returns the lease and all webhooks as they are at `now`. */
  snapshot(now: number): Promise<DeliverySnapshot>;
  /** Disables those of these webhooks that are enabled at `now`, with the reason `key`, unless the term is over. */
  disableOrphans(term: bigint, ids: readonly bigint[], now: number): Promise<void>;
  /** Takes the lease if it is still as it was seen. Returns the new term. */
  takeLease(seen: Lease): Promise<bigint | undefined>;
  /** Shows that the leader lives. Returns false if its term is over. */
  renewLease(term: bigint): Promise<boolean>;
  /** Gives the lease back, unless its term is over. */
  releaseLease(term: bigint): Promise<void>;
  /** Returns those of these webhooks that are enabled. */
  load(ids: readonly bigint[]): Promise<readonly LoadedWebhook[]>;
  /**
   * Adds deliveries, pending and due at once, except those that exist. Other work waits meanwhile, so
   * there should be few. Returns false if the term is over.
   */
  add(term: bigint, deliveries: readonly NewDelivery[]): Promise<boolean>;
  /** Stores positions, unless the term is over. */
  savePositions(term: bigint, positions: readonly WebhookPosition[]): Promise<void>;
  /** Returns what is pending at `now` for these webhooks, with at most `limit` deliveries of each. */
  pending(
    webhookIds: readonly bigint[],
    now: number,
    limit: number,
  ): Promise<readonly PendingDeliveries[]>;
  /** Stores attempts in one transaction. Returns false if the term is over. */
  record(term: bigint, attempts: readonly AttemptRecord[]): Promise<boolean>;
  /**
   * Returns the id after which the change log is still needed by an enabled webhook; undefined if
   * there is none.
   */
  neededAfter(): Promise<bigint | undefined>;
  /**
   * Removes deliveries created at or before `time` that are not pending for an enabled webhook, and
   * those of removed webhooks; at most `most` of them. Returns the number removed. Other work waits
   * meanwhile, so `most` should be small.
   */
  removeExpired(time: number, most: number): Promise<number>;
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
type WebhookState = (typeof WEBHOOK_STATES)[number];

/** The deliveries of a process, for the metrics. */
export interface DeliveryReport {
  /** All webhooks of the deployment, by state; undefined until they are read first. */
  readonly webhooks: Readonly<Record<WebhookState, number>> | undefined;
  /** Webhooks that this process delivers to: all that are enabled, or none. */
  readonly held: number;
  /** Attempts in progress. */
  readonly sending: number;
  /** Pending deliveries: about 1,000 for each webhook at most. */
  readonly queued: number;
  /** The age of the oldest of them in milliseconds; 0 if there is none. */
  readonly oldestMs: number;
  readonly attempts: Readonly<Record<AttemptOutcome, number>>;
}
