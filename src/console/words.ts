/** What the words of the interface are called on the screen. */

import { PROFILE_FIELDS } from '../domain/profile.ts';
import { categoryName } from './categories.ts';
import {
  count,
  formatDate,
  formatList,
  formatMoment,
  formatMoney,
  formatWeight,
  type Money,
} from './format.ts';
import { t, translate } from './language.ts';
import type { EventType } from './live.ts';
import { statusName } from './names.ts';
import type { AuditLine, Channel } from './service.ts';
import { staff } from './staff.ts';

export { fieldName, optionsOf, statusName, statusWord } from './names.ts';

const EVENTS: Readonly<Record<EventType, string>> = {
  'pet.created': 'Animal added',
  'pet.updated': 'Animal changed',
  'pet.deleted': 'Animal removed',
  'pet.restored': 'Animal brought back',
  'category.created': 'Category added',
  'category.updated': 'Category renamed',
  'category.deleted': 'Category removed',
  'order.placed': 'Adoption started',
  'order.updated': 'Adoption changed',
  'profile.updated': 'Profile changed',
  'photo.added': 'Photo added',
  'photo.updated': 'Photo changed',
  'photo.removed': 'Photo removed',
  'stay.started': 'Stay begun',
  'stay.ended': 'Stay ended',
  'shop.updated': 'Shop changed',
  'enquiry.received': 'Enquiry received',
  'enquiry.updated': 'Enquiry changed',
  'store.reset': 'Everything reset',
};

// The keys are the types.
export const EVENT_TYPES = Object.keys(EVENTS) as readonly EventType[];

/** `Animal added` */
export function eventName(type: EventType): string {
  return translate(EVENTS[type]);
}

const CHANGES: Readonly<Record<AuditLine['type'], string>> = {
  ...EVENTS,
  'key.created': 'Key created',
  'key.updated': 'Key changed',
  'key.rotated': 'Key replaced',
  'key.unbanned': 'Ban of key lifted',
  'key.revoked': 'Key revoked',
  'person.created': 'Person added',
  'person.updated': 'Person changed',
  'person.invited': 'Person invited',
  'person.removed': 'Person removed',
  'webhook.created': 'Webhook created',
  'webhook.updated': 'Webhook changed',
  'webhook.rotated': 'Secret of webhook replaced',
  'webhook.deleted': 'Webhook deleted',
  'channel.created': 'Channel created',
  'channel.updated': 'Channel changed',
  'channel.deleted': 'Channel deleted',
  'import.ended': 'Import ended',
  'stay.updated': 'Stay changed',
};

// The keys are the types.
export const CHANGE_TYPES = Object.keys(CHANGES) as readonly AuditLine['type'][];

/** `Animal added`, `Key revoked` */
export function changeName(type: AuditLine['type']): string {
  return translate(CHANGES[type]);
}

/** `Animal added, Animal removed`, or `All` */
export function eventNames(types: readonly EventType[] | null): string {
  return types === null ? t`All` : formatList(types.map(eventName));
}

/** What stands in the place of a value that nobody knows. */
export const UNKNOWN = t`Not known`;

/** Fields whose values are words of the interface. */
const NAMED = ['status', 'intakeType', 'outcomeType', 'role', 'kind', 'photosAs', 'plan'];

/** Returns the value of a field in words. */
export function fieldText(field: string, value: unknown): string {
  if (field === 'categoryId') return categoryName(value as number);
  // How it left, the line of its stay says.
  if (field === 'status' && value === 'sold') return t`Left`;
  if (NAMED.includes(field)) return statusName(String(value));
  if (field === 'intakeDate' || field === 'outcomeDate') return formatDate(String(value));
  if (field === 'revokedAt' || field === 'expiresAt') return formatMoment(String(value));
  if (field === 'everyMs') return t`every ${count(Number(value) / HOUR_MS, 'hour')}`;
  if (field === 'ownerId') return ownerName(value);
  if (field === 'types') return eventNames(value as readonly EventType[] | null);
  if (field in PROFILE_FIELDS) return profileText(field as keyof typeof PROFILE_FIELDS, value);
  return String(value ?? '');
}

const HOUR_MS = 3_600_000;

function ownerName(ownerId: unknown): string {
  const known = staff.value?.find(({ id }) => id === ownerId)?.name;
  return ownerId == null ? t`Nobody` : (known ?? t`number ${ownerId}`);
}

function profileText(field: keyof typeof PROFILE_FIELDS, value: unknown): string {
  if (value === null || value === undefined) return UNKNOWN;
  switch (PROFILE_FIELDS[field].kind) {
    case 'flag':
      return value ? t`Yes` : t`No`;
    case 'word':
      return statusName(String(value));
    case 'date':
      return formatDate(String(value));
    case 'whole':
      return formatWeight(Number(value));
    case 'fee': {
      const fee = value as Money;
      return fee.amount === 0 ? t`Waived` : formatMoney(fee);
    }
    case 'list':
      return formatList((value as readonly string[]).map(String));
    default:
      return String(value);
  }
}

/** The places of channels by kind. */
export const CHANNEL_KINDS: Readonly<Record<Channel['kind'], string>> = {
  petfinder: t`Petfinder`,
  adoptapet: t`Adopt-a-Pet`,
  rescuegroups: t`RescueGroups`,
  csv: t`Other site`,
};
