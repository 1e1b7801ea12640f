// Made from openapi.json by `npm run openapi`.
import type { Answer, Category, Pet, Shop } from './shared.ts';
import type { PublicPhoto, PublicProfile } from './shared-profiles.ts';
import type { OrderStatus } from './shared-words.ts';

/** A change. */
export type Event =
  | PetEvent
  | CategoryEvent
  | OrderEvent
  | ProfileEvent
  | PhotoEvent
  | StayEvent
  | ShopEvent
  | EnquiryEvent
  | ResetEvent;

/** A change of an animal. `data` is the animal right after it, or as it last was. */
export interface PetEvent {
  /** Position of the event. Grows from one event to the next, not always by 1. */
  id: number;
  /** When the change was made, in UTC. */
  timestamp: string;
  /** What happened. */
  type: 'pet.created' | 'pet.updated' | 'pet.deleted' | 'pet.restored';
  data: Pet;
}

/** A change of a category. `data` is the category right after it, or as it last was. */
export interface CategoryEvent {
  /** Position of the event. Grows from one event to the next, not always by 1. */
  id: number;
  /** When the change was made, in UTC. */
  timestamp: string;
  /** What happened. */
  type: 'category.created' | 'category.updated' | 'category.deleted';
  data: Category;
}

/** A change of an adoption, as it was right after it. */
export interface OrderEvent {
  /** Position of the event. Grows from one event to the next, not always by 1. */
  id: number;
  /** When the change was made, in UTC. */
  timestamp: string;
  /** What happened. */
  type: 'order.placed' | 'order.updated';
  data: EventOrder;
}

/** An adoption without its personal data. */
export interface EventOrder {
  /** Unique identifier assigned by the service when the order is placed. */
  id: number;
  /** Id of the animal. */
  petId: number;
  status: OrderStatus;
  /** When the order was placed, in UTC. */
  placedAt: string;
  /** When it last changed, in UTC. */
  updatedAt: string;
  /**
   * The answers of the enquiry that it came from to the questions of the shop. Personal data: only
   * keys with the scope `write` see it.
   */
  answers?: readonly Answer[] | undefined;
}

/** A change of a profile, as it was right after it. */
export interface ProfileEvent {
  /** Position of the event. Grows from one event to the next, not always by 1. */
  id: number;
  /** When the change was made, in UTC. */
  timestamp: string;
  /** What happened. */
  type: 'profile.updated';
  data: EventProfile;
}

/** The profile of an animal, without private fields. */
export interface EventProfile {
  /** Id of the animal. */
  petId: number;
  profile: PublicProfile;
}

/**
 * A change of a photo. `data` has the photo right after it, or as it last was. The photos that
 * make room for it have no events of their own.
 */
export interface PhotoEvent {
  /** Position of the event. Grows from one event to the next, not always by 1. */
  id: number;
  /** When the change was made, in UTC. */
  timestamp: string;
  /** What happened. */
  type: 'photo.added' | 'photo.updated' | 'photo.removed';
  data: EventPhoto;
}

/** A photo of an animal, without its addresses. */
export interface EventPhoto {
  /** Id of the animal. */
  petId: number;
  photo: PublicPhoto;
}

/**
 * A stay of an animal began or ended, or an ended one is open again. The first stay begins with
 * `pet.created`.
 */
export interface StayEvent {
  /** Position of the event. Grows from one event to the next, not always by 1. */
  id: number;
  /** When the change was made, in UTC. */
  timestamp: string;
  /** What happened. */
  type: 'stay.started' | 'stay.ended';
  data: EventStay;
}

/** A stay, without how the animal came and left. */
export interface EventStay {
  /** Id of the animal. */
  petId: number;
  /** Id of the stay. */
  stayId: number;
  /** The day on which the animal came. */
  intakeDate: string;
  /** The day on which it left; null while it is here. */
  outcomeDate: string | null;
}

/** A change of what the public is told about the shop, as it was right after it. */
export interface ShopEvent {
  /** Position of the event. Grows from one event to the next, not always by 1. */
  id: number;
  /** When the change was made, in UTC. */
  timestamp: string;
  /** What happened. */
  type: 'shop.updated';
  data: Shop;
}

/** An enquiry about an animal was received, or its status has changed. */
export interface EnquiryEvent {
  /** Position of the event. Grows from one event to the next, not always by 1. */
  id: number;
  /** When the change was made, in UTC. */
  timestamp: string;
  /** What happened. */
  type: 'enquiry.received' | 'enquiry.updated';
  data: EventEnquiry;
}

/** An enquiry, without what somebody wrote. */
export interface EventEnquiry {
  /** Id of the enquiry. */
  enquiryId: number;
  /** Id of the animal. */
  petId: number;
}

/**
 * The records were replaced as a whole: by a reset of staging, or by a backup that was restored.
 * Read the lists again. It has no `data`.
 */
export interface ResetEvent {
  /** Position of the event. Grows from one event to the next, not always by 1. */
  id: number;
  /** When the change was made, in UTC. */
  timestamp: string;
  /** What happened. */
  type: 'store.reset';
}
