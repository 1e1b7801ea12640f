import type { PetStorage } from '../../domain/pet.ts';
import type { Records } from '../../domain/records.ts';
import type { Transactions } from '../statements.ts';
import { createAlertStorage } from './alerts.ts';
import { createAllowanceStorage } from './allowances.ts';
import { createAnimalStorage } from './animals.ts';
import { createAuditStorage } from './audit.ts';
import { createCategoryStorage } from './categories.ts';
import type { NoteAudit } from './change.ts';
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
import type { ImportBatch, RecordWrites } from './pets.ts';
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

/** Creates the records of an engine, which has animals in a form of its own. */
export function createRecords(
  transactions: Transactions,
  writes: RecordWrites,
  createPets: (importBatch: ImportBatch) => PetStorage,
): Records {
  const importBatch = createImportBatch(writes);
  return {
    pets: createPets(importBatch),
    removedPets: createRemovedPetStorage(transactions, writes),
    audit: createAuditStorage(transactions),
    stays: createStayStorage(transactions, writes),
    animals: createAnimalStorage(transactions),
    profiles: createProfileStorage(transactions, writes),
    photos: createPhotoStorage(transactions, writes),
    listings: createListingStorage(transactions),
    categories: createCategoryStorage(transactions, writes.noted),
    orders: createOrderStorage(transactions, writes),
    enquiries: createEnquiryStorage(transactions, writes),
    alerts: createAlertStorage(transactions),
    shop: createShopStorage(transactions, writes),
    keys: createKeyStorage(transactions, writes.noteAudit),
    sessions: createSessionStorage(transactions),
    people: createPersonStorage(transactions, writes.noteAudit),
    stats: createStatsStorage(transactions),
    work: createWorkStorage(transactions),
    webhooks: createWebhookStorage(transactions, writes.noteAudit),
    tasks: createTaskStorage(transactions),
    channels: createChannelStorage(transactions, writes.noteAudit),
    imports: createImportStorage(transactions, importBatch, writes.noteAudit),
  };
}

/** Creates what the service stores for itself. */
export function createOwnStorage(transactions: Transactions, noteAudit: NoteAudit) {
  return {
    deliveries: createDeliveryStorage(transactions, noteAudit),
    allowances: createAllowanceStorage(transactions),
    usage: createUsageStorage(transactions),
    photoFiles: createPhotoFileStorage(transactions),
    mails: createMailStorage(transactions),
    retention: createRetentionStorage(transactions),
  };
}
