import type { AlertStorage } from './alert.ts';
import type { AnimalStorage } from './animal.ts';
import type { KeyStorage } from './api-key.ts';
import type { AuditStorage, RemovedPetStorage } from './audit.ts';
import type { CategoryStorage } from './category.ts';
import type { ChannelStorage } from './channel.ts';
import type { EnquiryStorage } from './enquiry.ts';
import type { ImportStorage } from './import.ts';
import type { ListingStorage } from './listing.ts';
import type { OrderStorage } from './order.ts';
import type { PersonStorage } from './person.ts';
import type { PetStorage } from './pet.ts';
import type { PhotoStorage } from './photo.ts';
import type { ProfileStorage } from './profile.ts';
import type { SessionStorage } from './session.ts';
import type { ShopStorage } from './shop.ts';
import type { StatsStorage } from './stats.ts';
import type { StayStorage } from './stay.ts';
import type { TaskStorage } from './task.ts';
import type { WebhookStorage } from './webhook.ts';
import type { WorkStorage } from './work.ts';

/** The records that the interface reads and writes. */
export interface Records {
  readonly pets: PetStorage;
  readonly removedPets: RemovedPetStorage;
  readonly audit: AuditStorage;
  readonly stays: StayStorage;
  readonly animals: AnimalStorage;
  readonly profiles: ProfileStorage;
  readonly photos: PhotoStorage;
  readonly listings: ListingStorage;
  readonly categories: CategoryStorage;
  readonly orders: OrderStorage;
  readonly enquiries: EnquiryStorage;
  readonly alerts: AlertStorage;
  readonly shop: ShopStorage;
  readonly keys: KeyStorage;
  readonly sessions: SessionStorage;
  readonly people: PersonStorage;
  readonly stats: StatsStorage;
  readonly work: WorkStorage;
  readonly webhooks: WebhookStorage;
  readonly tasks: TaskStorage;
  readonly channels: ChannelStorage;
  readonly imports: ImportStorage;
}
