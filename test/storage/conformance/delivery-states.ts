import type { DeliveryState, WebhookProgress } from '../../../src/domain/delivery.ts';
import type { Storage } from '../../../src/domain/storage.ts';

/** When test deliveries were made. */
export const DELIVERED_AT = 1_800_000_001_000;

/** A delivery that arrived at the first attempt. */
export function delivered(eventId: bigint, parts: Partial<DeliveryState> = {}): DeliveryState {
  return {
    ...{ eventId, type: 'pet.created', record: `pet ${eventId}`, status: 'delivered' },
    ...{ attempts: 1, responseStatus: 200, responseBody: null, error: null },
    ...{ createdAt: DELIVERED_AT, nextAttemptAt: null, deliveredAt: DELIVERED_AT },
    ...parts,
  };
}

/** A delivery that is still to be made. */
export function pending(eventId: bigint, parts: Partial<DeliveryState> = {}): DeliveryState {
  return delivered(eventId, {
    ...{ status: 'pending', attempts: 0, responseStatus: null, deliveredAt: null },
    ...parts,
  });
}

/** The progress of a webhook of which nothing has failed. */
export function progressOf(
  webhookId: bigint,
  parts: Partial<WebhookProgress> = {},
): WebhookProgress {
  const untried = { position: 0n, deliveries: [], lastSuccessAt: null, failingSince: null };
  return { webhookId, ...untried, ...parts };
}

/** Stores progress of a webhook as a new deliverer that has claimed it. Returns its id. */
export async function held(
  { deliveries }: Storage,
  webhookId: bigint,
  progress: Partial<WebhookProgress> = {},
): Promise<bigint> {
  const id = await deliveries.register();
  const { webhooks } = await deliveries.survey();
  await deliveries.claim(
    id,
    webhooks.filter((each) => each.id === webhookId),
  );
  const kept = await deliveries.record(id, [progressOf(webhookId, progress)]);
  if (!kept.has(webhookId)) throw new Error(`webhook ${webhookId} is not free`);
  return id;
}
