// Made from openapi.json by `npm run openapi`.
import { type ChangeOptions, Group, type PostOptions } from '../../group.ts';
import type { Int64 } from '../../json.ts';
import type { List } from '../../list.ts';
import type { CallOptions } from '../../transport.ts';
import type {
  CreatedWebhook,
  Delivery,
  ListDeliveriesQuery,
  ListWebhooksQuery,
  NewWebhook,
  TestOutcome,
  Webhook,
  WebhookChange,
} from '../types.ts';

/** `store.webhooks`. */
export class WebhookOperations extends Group {
  /** List webhooks. */
  list(query: ListWebhooksQuery = {}, options?: CallOptions): List<Webhook> {
    return this.listAt('/webhooks', query, options);
  }

  /** Create a webhook. */
  create(body: NewWebhook, options?: PostOptions): Promise<CreatedWebhook> {
    return this.postTo('/webhooks', body, options, true);
  }

  /** Get a webhook. */
  get(webhookId: Int64, options?: CallOptions): Promise<Webhook> {
    return this.readAt(`/webhooks/${webhookId}`, options);
  }

  /** Change a webhook. */
  update(
    webhookId: Int64,
    body: WebhookChange,
    options?: ChangeOptions<Webhook>,
  ): Promise<Webhook> {
    return this.changeAt('PATCH', `/webhooks/${webhookId}`, body, options, () =>
      this.get(webhookId, options),
    );
  }

  /** Delete a webhook. */
  delete(webhookId: Int64, options?: ChangeOptions<Webhook>): Promise<void> {
    return this.changeAt('DELETE', `/webhooks/${webhookId}`, undefined, options, () =>
      this.get(webhookId, options),
    );
  }

  /** Replace the secret of a webhook. */
  rotateSecret(webhookId: Int64, options?: PostOptions): Promise<CreatedWebhook> {
    return this.postTo(`/webhooks/${webhookId}/secret`, undefined, options);
  }

  /** Send a test to a webhook. */
  test(webhookId: Int64, options?: PostOptions): Promise<TestOutcome> {
    return this.postTo(`/webhooks/${webhookId}/test`, undefined, options);
  }

  /** List the deliveries of a webhook. */
  deliveries(
    webhookId: Int64,
    query: ListDeliveriesQuery = {},
    options?: CallOptions,
  ): List<Delivery> {
    return this.listAt(`/webhooks/${webhookId}/deliveries`, query, options);
  }

  /** Make a delivery again. */
  retryDelivery(webhookId: Int64, deliveryId: Int64, options?: PostOptions): Promise<Delivery> {
    return this.postTo(`/webhooks/${webhookId}/deliveries/${deliveryId}/retry`, undefined, options);
  }
}
