import type { Operation } from '../contract/operation.ts';
import { alertOperations } from './alerts.ts';
import { animalOperations } from './animals.ts';
import { auditOperations, petHistoryOperations } from './audit.ts';
import { categoryOperations } from './categories.ts';
import { channelSendingOperations } from './channel-sendings.ts';
import { channelOperations } from './channels.ts';
import { enquiryOperations } from './enquiries.ts';
import { eventOperations } from './events.ts';
import { importOperations } from './imports.ts';
import { keyOperations } from './keys.ts';
import { listingOperations } from './listings.ts';
import { orderOperations } from './orders.ts';
import { peopleOperations } from './people.ts';
import { petOperations } from './pets.ts';
import { photoOperations } from './photos.ts';
import { profileOperations } from './profiles.ts';
import { shopOperations } from './shop.ts';
import { statsOperations } from './stats.ts';
import { reportOperations } from './stay-report.ts';
import { stayOperations } from './stays.ts';
import { taskOperations } from './tasks.ts';
import { keyUsageOperations, usageOperations } from './usage.ts';
import { webhookDeliveryOperations } from './webhook-deliveries.ts';
import { webhookOperations } from './webhooks.ts';
import { workOperations } from './work.ts';

export { EVENT_SCHEMAS } from './events.ts';

/** Every operation of the interface, in the order of the document. */
export const operations: readonly Operation[] = [
  ...petOperations,
  ...petHistoryOperations,
  ...animalOperations,
  ...stayOperations,
  ...profileOperations,
  ...photoOperations,
  ...listingOperations,
  ...reportOperations,
  ...categoryOperations,
  ...importOperations,
  ...orderOperations,
  ...workOperations,
  ...enquiryOperations,
  ...alertOperations,
  ...channelOperations,
  ...channelSendingOperations,
  ...shopOperations,
  ...statsOperations,
  ...eventOperations,
  ...usageOperations,
  ...keyOperations,
  ...keyUsageOperations,
  ...peopleOperations,
  ...auditOperations,
  ...taskOperations,
  ...webhookOperations,
  ...webhookDeliveryOperations,
];
