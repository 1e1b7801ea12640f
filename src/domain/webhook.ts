import type { ChangeType } from './change-log.ts';
import type { ChangeStamp } from './change-stamp.ts';
import { DAY_MS } from './clock.ts';
import { Failure } from './failure.ts';
import type { Page, PageRequest } from './page.ts';

/** The most webhooks that a deployment may have. */
export const WEBHOOKS_MAX = 1_000;
/** The most that belong to one family of keys. */
export const WEBHOOKS_OF_KEY_MAX = 20;
export const WEBHOOK_URL_MAX = 2_048;
export const WEBHOOK_DESCRIPTION_MAX = 1_000;

/** A replaced secret signs too for this long. */
export const OLD_SECRET_MS = DAY_MS;

/** Deliveries stay in the log for this long. */
export const DELIVERY_RETENTION_MS = 30 * DAY_MS;

export const WEBHOOK_STATUSES = ['enabled', 'disabled'] as const;
type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

/**
 * Why a webhook is disabled: somebody asked for it, its endpoint responded with 410, nothing has been
 * delivered for too long, the database is a copy of another one, or no key of its owner may have events
 * sent any more.
 */
export const DISABLED_REASONS = ['requested', 'gone', 'failing', 'copied', 'key'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** The same for operators, as the end of a sentence. */
export const DISABLED_BECAUSE: Readonly<Record<DisabledReason, string>> = {
  requested: 'on request',
  gone: 'the endpoint responded with 410',
  failing: 'nothing was delivered for 5 days',
  copied: 'the database was restored or copied',
  key: 'its API key has ended, or lacks the scope read or webhooks',
};

/** The secrets of a webhook, as stored: perhaps encrypted. */
interface StoredSecrets {
  readonly secret: string;
  /** The secret before the last rotation, and when it stops signing. */
  readonly oldSecret: string | null;
  readonly oldSecretUntil: number | null;
}

/** The members of a webhook that a change may set. */
export interface WebhookSettings extends StoredSecrets {
  readonly url: string;
  /** The types of events to send; null for all, including those of later releases. */
  readonly types: readonly ChangeType[] | null;
  readonly description: string | null;
  /** Null while it is enabled. */
  readonly disabledReason: DisabledReason | null;
}

/** An endpoint that gets events. Times are in milliseconds since the Unix epoch. */
export interface Webhook extends WebhookSettings {
  readonly id: bigint;
  /** The family of keys that it belongs to; null for the shop itself. */
  readonly ownerId: bigint | null;
  readonly createdAt: number;
  readonly lastSuccessAt: number | null;
  /** When the first attempt failed since the last success; null if none has. */
  readonly failingSince: number | null;
}

/** A webhook to store. */
export type NewWebhook = Pick<Webhook, 'url' | 'types' | 'description' | 'createdAt'> &
  Partial<Pick<Webhook, 'ownerId' | 'disabledReason'>>;

/** Returns whether events are sent to a webhook. */
export function webhookStatus({
  disabledReason,
}: Pick<WebhookSettings, 'disabledReason'>): WebhookStatus {
  return disabledReason === null ? 'enabled' : 'disabled';
}

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** An event for a webhook. */
export interface Delivery {
  readonly eventId: bigint;
  readonly type: ChangeType;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** The outcome of the last attempt: the response, or why there was none. */
  readonly responseStatus: number | null;
  /** The first KiB of the response. */
  readonly responseBody: string | null;
  readonly error: string | null;
  readonly createdAt: number;
  /** Null if it is due at once or waits for an earlier one of its record, and unless it is pending. */
  readonly nextAttemptAt: number | null;
  readonly deliveredAt: number | null;
}

/** The storage contract of webhooks and the log of their deliveries. */
export interface WebhookStorage {
  find(id: bigint): Promise<Webhook | undefined>;
  /** Returns a page of all webhooks in ascending order of id, or of those of an owner. */
  page(request: PageRequest, ownerId?: bigint): Promise<Page<Webhook>>;
  /**
   * Creates a webhook that gets the events from now on. `secretFor` returns the secret to store for
   * its id, encrypted if there is a key. Throws `conflict` if there are `WEBHOOKS_MAX`, or
   * `WEBHOOKS_OF_KEY_MAX` of its owner.
   */
  create(
    webhook: NewWebhook,
    secretFor: (id: bigint) => string,
    stamp?: ChangeStamp,
  ): Promise<Webhook>;
  /**
   * Stores what `change` returns for the current webhook, in one transaction. Returns undefined if
   * the webhook does not exist. Rethrows what `change` throws.
   */
  update(
    id: bigint,
    change: (current: Webhook) => WebhookSettings,
    stamp?: ChangeStamp,
  ): Promise<Webhook | undefined>;
  /**
   * Removes a webhook; `removeExpired` of `DeliveryStorage` later removes its deliveries. Returns
   * false if the webhook does not exist. Rethrows what `check` throws.
   */
  remove(id: bigint, check: (current: Webhook) => void, stamp?: ChangeStamp): Promise<boolean>;
  /** Returns a page of the deliveries of a webhook, newest first: `afterId` is an event id. */
  deliveries(webhookId: bigint, request: PageRequest): Promise<Page<Delivery & HasId>>;
  /** Makes a delivery of any status due at `at`. Returns undefined if it does not exist. */
  retry(webhookId: bigint, eventId: bigint, at: number): Promise<Delivery | undefined>;
}

/** Required by `pageOf`. The id of a delivery is that of its event: there is one for each webhook. */
interface HasId {
  readonly id: bigint;
}

/** The outcome of a message that was sent as a test. */
export interface TestOutcome {
  readonly isDelivered: boolean;
  /** The status of the response, if there was one. */
  readonly status?: number;
  readonly error?: string;
  readonly milliseconds: number;
}

/** What operations need of webhooks besides their storage. */
export interface WebhookService {
  /** Says why a URL must not be called, as the end of a sentence, or undefined. Resolves the name. */
  problemOf(url: string): Promise<string | undefined>;
  newSecret(): string;
  /** Returns the text to store for a secret: encrypted if there is a key. */
  encrypt(secret: string, webhookId: bigint): string;
  /** Returns whether a stored secret can sign. */
  isReadable(stored: string, webhookId: bigint): boolean;
  /** Throws `service_unavailable` while too many tests are in progress, or one of this webhook. */
  requireTestSlot(webhook: Webhook): void;
  /** Sends `webhook.test` now. Throws like `requireTestSlot`. */
  test(webhook: Webhook): Promise<TestOutcome>;
  /** Applies a change that was stored to deliveries from now on; undefined for a removal. */
  changed(id: bigint, webhook: Webhook | undefined): void;
}

/** The failure of a webhook beyond the limit. */
export function tooManyWebhooks(max: number): Failure {
  return new Failure(
    'conflict',
    `There are ${max} webhooks already: delete one that is no longer needed.`,
  );
}
