// Made from openapi.json by `npm run openapi`.
import type { Event } from './shared-events.ts';

/** A webhook to create. */
export interface NewWebhook {
  /** Where events are sent, with `https`. */
  url: string;
  /** The types of events to send; null for all, also those that are added later. */
  types?: readonly Event['type'][] | null | undefined;
  /** What the webhook is for, or null. */
  description?: string | null | undefined;
}

/** The changes to make to a webhook. */
export interface WebhookChange {
  /** Where events are sent, with `https`. */
  url?: string | undefined;
  /** The types of events to send; null for all, also those that are added later. */
  types?: readonly Event['type'][] | null | undefined;
  /** What the webhook is for, or null. */
  description?: string | null | undefined;
  /** `enabled` starts again where it stopped. */
  status?: 'enabled' | 'disabled' | undefined;
}

/** An endpoint that gets events, without its secret. */
export interface Webhook {
  /** Unique identifier assigned by the service on creation. */
  id: number;
  /** Where events are sent, with `https`. */
  url: string;
  /** The types of events to send; null for all, also those that are added later. */
  types: readonly Event['type'][] | null;
  /** What the webhook is for, or null. */
  description: string | null;
  /** Whether events are sent. */
  status: 'enabled' | 'disabled';
  /**
   * Why it is disabled: a request, a 410 of its endpoint (`gone`), five days without a success
   * (`failing`), a database that was restored or copied (`copied`), or an API key that has ended,
   * or lacks `read` or `webhooks` (`key`). Null while it is enabled.
   */
  disabledReason: 'requested' | 'gone' | 'failing' | 'copied' | 'key' | null;
  /**
   * Id of the API key that it belongs to, of which a rotated key is a successor; null if it is the
   * shop's own.
   */
  keyId: number | null;
  /** When the webhook was created, in UTC. */
  createdAt: string;
}

/** A webhook with a new secret. */
export interface CreatedWebhook extends Webhook {
  /** Signs the requests. Save it now: it is not shown again. */
  secret: string;
}

/** The outcome of a test. */
export interface TestOutcome {
  /** Whether a 2xx response arrived in time. */
  delivered: boolean;
  /** Status of the response, if there was one. */
  status?: number | undefined;
  /** What went wrong. */
  error?: string | undefined;
  /** How long it took. */
  milliseconds: number;
}

/** An event for a webhook. */
export interface Delivery {
  /** Identifier of the delivery, unique within its webhook. */
  id: number;
  /** Id of the event, which is also its `webhook-id`. */
  eventId: number;
  /** The type of the event. */
  type: Event['type'];
  /** Delivery status. */
  status: 'pending' | 'delivered' | 'failed';
  /** Attempts so far. */
  attempts: number;
  /** Status of the last response; null if there was none. */
  responseStatus: number | null;
  /** The first KiB of the last response. */
  responseBody: string | null;
  /** Why the last attempt failed; null if it did not. */
  error: string | null;
  /** When the event was made, in UTC. */
  createdAt: string;
  /**
   * When the next attempt is due; null if there is none, if it is due at once, or if it waits for
   * an earlier event of the same record, in UTC.
   */
  nextAttemptAt: string | null;
  /** When it was delivered, or null, in UTC. */
  deliveredAt: string | null;
}

/** What to list. */
export interface ListWebhooksQuery {
  /** The largest number of items on a page. */
  limit?: number | undefined;
}

/** What to list. */
export interface ListDeliveriesQuery {
  /** The largest number of items on a page. */
  limit?: number | undefined;
}
