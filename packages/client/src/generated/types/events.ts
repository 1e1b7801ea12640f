// Made from openapi.json by `npm run openapi`.
import type { Int64 } from '../../json.ts';
import type { Category } from './categories.ts';
import type { PublicProfile } from './listings.ts';
import type { OrderStatus } from './orders.ts';
import type { Pet, PhotoFocus } from './pets.ts';

/**
 * Only events with a greater id. `latest` returns none, and a link that continues from now. By
 * default, from the oldest event that is kept.
 */
export type EventPosition = Int64 | 'latest';

/** A change. */
export type Event = PetEvent | CategoryEvent | OrderEvent | ProfileEvent | PhotoEvent | ResetEvent;

/** A change of an animal. `data` is the animal right after it, or as it last was. */
export interface PetEvent {
  /** Position of the event. Grows from one event to the next, not always by 1. */
  id: number;
  /** When the change was made, in UTC. */
  timestamp: string;
  /** What happened. */
  type: 'pet.created' | 'pet.updated' | 'pet.deleted';
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

/** A photo of an animal, without its addresses. */
export interface PublicPhoto {
  /** Unique identifier assigned by the service when the photo is added. */
  id: number;
  /** What it shows, for those who do not see it. `null` if nobody said so. */
  alt: string | null;
  /** Its place among the photos of the animal, from 1. The first one stands for the animal. */
  position: number;
  focus: PhotoFocus;
  /** The width of the largest file, in pixels. */
  width: number;
  /** The height of the largest file, in pixels. */
  height: number;
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

/** What to list. */
export interface ListEventsQuery {
  /**
   * Only events with a greater id. `latest` returns none, and a link that continues from now. By
   * default, from the oldest event that is kept.
   */
  after?: EventPosition | undefined;
  /** The largest number of items on a page. */
  limit?: number | undefined;
  /**
   * Only events of these types, comma-separated or repeated. A response may then be empty although
   * more follow.
   */
  type?: Event['type'] | readonly Event['type'][] | undefined;
  /**
   * Seconds to wait for an event if there is none yet: at most 30. From 10 on, a wait that ends
   * empty does not count against the limits.
   */
  wait?: number | undefined;
}
