/** What the words of the interface are called on the screen. */
import { categoryName } from './categories.ts';
import { formatList } from './format.ts';
import type { EventType } from './live.ts';

const WORDS: Readonly<Record<string, string>> = { sold: 'Adopted', skip: 'Leave out' };

/** Returns a status as a word: `Available`, and `Adopted` for `sold`. */
export function statusName(value: string): string {
  const words = value.replaceAll('_', ' ');
  return WORDS[value] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** `available`, `adopted` */
export function statusWord(value: string): string {
  return statusName(value).toLowerCase();
}

const EVENTS: Readonly<Record<EventType, string>> = {
  'pet.created': 'Animal added',
  'pet.updated': 'Animal changed',
  'pet.deleted': 'Animal removed',
  'category.created': 'Category added',
  'category.updated': 'Category renamed',
  'category.deleted': 'Category removed',
  'order.placed': 'Adoption started',
  'order.updated': 'Adoption changed',
  'profile.updated': 'Profile changed',
  'store.reset': 'Everything reset',
};

// The keys are the types.
export const EVENT_TYPES = Object.keys(EVENTS) as readonly EventType[];

/** `Animal added` */
export function eventName(type: EventType): string {
  return EVENTS[type];
}

/** `Animal added, Animal removed`, or `All` */
export function eventNames(types: readonly EventType[] | null): string {
  return types === null ? 'All' : formatList(types.map(eventName));
}

const FIELDS: Readonly<Record<string, string>> = {
  categoryId: 'Category',
  url: 'Address',
  types: 'Events',
};

/** Returns what a field of a record is called. */
export function fieldName(field: string): string {
  return FIELDS[field] ?? statusName(field);
}

/** Returns the value of a field in words. */
export function fieldText(field: string, value: unknown): string {
  if (field === 'categoryId') return categoryName(value as number);
  if (field === 'status') return statusName(String(value));
  if (field === 'types') return eventNames(value as readonly EventType[] | null);
  return String(value ?? '');
}
