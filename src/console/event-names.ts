/** What the types of events mean to a person. */
import type { EventType } from './live.ts';

const NAMES: Readonly<Record<EventType, string>> = {
  'pet.created': 'Animal added',
  'pet.updated': 'Animal changed',
  'pet.deleted': 'Animal removed',
  'category.created': 'Category added',
  'category.updated': 'Category renamed',
  'category.deleted': 'Category removed',
  'order.placed': 'Order placed',
  'order.updated': 'Order changed',
  'store.reset': 'Everything reset',
};

// The names are those of the types.
export const EVENT_TYPES = Object.keys(NAMES) as readonly EventType[];

/** `Animal added` */
export function eventName(type: EventType): string {
  return NAMES[type];
}
