import type { PetStorage } from '../../domain/pet.ts';
import type { Records } from '../../domain/records.ts';
import type { Transactions } from '../statements.ts';
import { createAllowanceStorage } from './allowances.ts';
import { createCategoryStorage } from './categories.ts';
import { createDeliveryStorage } from './deliveries.ts';
import { createImportBatch } from './import-batch.ts';
import { createImportStorage } from './imports.ts';
import { createKeyStorage } from './keys.ts';
import { createListingStorage } from './listings.ts';
import { createOrderStorage } from './orders.ts';
import type { ImportBatch, RecordWrites } from './pets.ts';
import { createPhotoFileStorage } from './photo-files.ts';
import { createPhotoStorage } from './photos.ts';
import { createProfileStorage } from './profiles.ts';
import { createSessionStorage } from './sessions.ts';
import { createStatsStorage } from './stats.ts';
import { createUsageStorage } from './usage.ts';
import { createWebhookStorage } from './webhooks.ts';

/** Creates the records of an engine, which has animals in a form of its own. */
export function createRecords(
  transactions: Transactions,
  writes: RecordWrites,
  createPets: (importBatch: ImportBatch) => PetStorage,
): Records {
  const importBatch = createImportBatch(writes);
  return {
    pets: createPets(importBatch),
    profiles: createProfileStorage(transactions, writes),
    photos: createPhotoStorage(transactions, writes),
    listings: createListingStorage(transactions),
    categories: createCategoryStorage(transactions, writes.noted),
    orders: createOrderStorage(transactions, writes),
    keys: createKeyStorage(transactions),
    stats: createStatsStorage(transactions),
    webhooks: createWebhookStorage(transactions),
    imports: createImportStorage(transactions, importBatch),
  };
}

/** Creates what the service stores for itself. */
export function createOwnStorage(transactions: Transactions) {
  return {
    deliveries: createDeliveryStorage(transactions),
    allowances: createAllowanceStorage(transactions),
    usage: createUsageStorage(transactions),
    sessions: createSessionStorage(transactions),
    photoFiles: createPhotoFileStorage(transactions),
  };
}
