import type { Operation } from '../contract/operation.ts';
import { categoryOperations } from './categories.ts';
import { eventOperations } from './events.ts';
import { importOperations } from './imports.ts';
import { keyOperations } from './keys.ts';
import { listingOperations } from './listings.ts';
import { orderOperations } from './orders.ts';
import { petHistoryOperations } from './pet-history.ts';
import { petOperations } from './pets.ts';
import { photoOperations } from './photos.ts';
import { profileOperations } from './profiles.ts';
import { statsOperations } from './stats.ts';
import { keyUsageOperations, usageOperations } from './usage.ts';
import { webhookDeliveryOperations } from './webhook-deliveries.ts';
import { webhookOperations } from './webhooks.ts';

export { EVENT_SCHEMAS } from './events.ts';

/** Every operation of the interface, in the order of the document. */
export const operations: readonly Operation[] = [
  ...petOperations,
  ...petHistoryOperations,
  ...profileOperations,
  ...photoOperations,
  ...listingOperations,
  ...categoryOperations,
  ...importOperations,
  ...orderOperations,
  ...statsOperations,
  ...eventOperations,
  ...usageOperations,
  ...keyOperations,
  ...keyUsageOperations,
  ...webhookOperations,
  ...webhookDeliveryOperations,
];
