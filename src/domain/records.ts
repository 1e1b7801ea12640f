import type { KeyStorage } from './api-key.ts';
import type { CategoryStorage } from './category.ts';
import type { ImportStorage } from './import.ts';
import type { ListingStorage } from './listing.ts';
import type { OrderStorage } from './order.ts';
import type { PetStorage } from './pet.ts';
import type { PhotoStorage } from './photo.ts';
import type { ProfileStorage } from './profile.ts';
import type { StatsStorage } from './stats.ts';
import type { WebhookStorage } from './webhook.ts';

/** The records that the interface reads and writes. */
export interface Records {
  readonly pets: PetStorage;
  readonly profiles: ProfileStorage;
  readonly photos: PhotoStorage;
  readonly listings: ListingStorage;
  readonly categories: CategoryStorage;
  readonly orders: OrderStorage;
  readonly keys: KeyStorage;
  readonly stats: StatsStorage;
  readonly webhooks: WebhookStorage;
  readonly imports: ImportStorage;
}
