import type { Records } from '../../domain/records.ts';
import type { Transactions } from '../statements.ts';
import { createAlertStorage } from './alerts.ts';
import { createAllowanceStorage } from './allowances.ts';
import { createAnimalStorage } from './animals.ts';
import { createAuditStorage } from './audit.ts';
import { createCategoryStorage } from './categories.ts';
import { createChannelStorage } from './channels.ts';
import { createDeliveryStorage } from './deliveries.ts';
import { createEnquiryStorage } from './enquiries.ts';
import { createImportBatch } from './import-batch.ts';
import { createImportStorage } from './imports.ts';
import { createKeyStorage } from './keys.ts';
import { createListingStorage } from './listings.ts';
import { createMailStorage } from './mails.ts';
import { createOrderStorage } from './orders.ts';
import { createPersonStorage } from './people.ts';
import { createPetRecords, type OwnAnimals } from './pets.ts';
import { createPhotoFileStorage, createPhotoStorage } from './photos.ts';
import { createProfileStorage } from './profiles.ts';
import { createRemovedPetStorage } from './removed-pets.ts';
import { createRetentionStorage } from './retention.ts';
import { createSessionStorage } from './sessions.ts';
import { createShopStorage } from './shop.ts';
import { createStatsStorage } from './stats.ts';
import { createStayStorage } from './stays.ts';
import { createTaskStorage } from './tasks.ts';
import { createUsageStorage } from './usage.ts';
import { createWebhookStorage } from './webhooks.ts';
import { createWorkStorage } from './work.ts';

/**
 * Creates the records of an engine, which does some things with animals in a form of its own. Each is created when it is
 * first used: on PostgreSQL a transaction has records of its own, and needs few of them.
 */
export function createRecords(transactions: Transactions, own: OwnAnimals): Records {
  const importBatch = createImportBatch(own.addAll);
  const creators: { readonly [Name in keyof Records]: () => Records[Name] } = {
    pets: () => createPetRecords(transactions, own, importBatch),
    removedPets: () => createRemovedPetStorage(transactions),
    audit: () => createAuditStorage(transactions),
    stays: () => createStayStorage(transactions),
    animals: () => createAnimalStorage(transactions),
    profiles: () => createProfileStorage(transactions),
    photos: () => createPhotoStorage(transactions),
    listings: () => createListingStorage(transactions),
    categories: () => createCategoryStorage(transactions),
    orders: () => createOrderStorage(transactions),
    enquiries: () => createEnquiryStorage(transactions),
    alerts: () => createAlertStorage(transactions),
    shop: () => createShopStorage(transactions),
    keys: () => createKeyStorage(transactions),
    sessions: () => createSessionStorage(transactions),
    people: () => createPersonStorage(transactions),
    stats: () => createStatsStorage(transactions),
    work: () => createWorkStorage(transactions),
    webhooks: () => createWebhookStorage(transactions),
    tasks: () => createTaskStorage(transactions),
    channels: () => createChannelStorage(transactions),
    imports: () => createImportStorage(transactions, importBatch),
  };
  const created = new Map<PropertyKey, unknown>();
  const createOnce = (name: keyof Records) => created.getOrInsertComputed(name, creators[name]);
  return new Proxy(creators as unknown as Records, {
    get: (_, name) =>
      Object.hasOwn(creators, name) ? createOnce(name as keyof Records) : undefined,
  });
}

/** Creates what the service stores for itself. */
export function createOwnStorage(transactions: Transactions) {
  return {
    deliveries: createDeliveryStorage(transactions),
    allowances: createAllowanceStorage(transactions),
    usage: createUsageStorage(transactions),
    photoFiles: createPhotoFileStorage(transactions),
    mails: createMailStorage(transactions),
    retention: createRetentionStorage(transactions),
  };
}
