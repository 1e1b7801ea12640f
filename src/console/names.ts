/** What statuses, other words and fields of the interface are called on the screen. */
import { translate } from './language.ts';

const WORDS: Readonly<Record<string, string>> = {
  sold: 'Adopted',
  skip: 'Leave out',
  farm: 'Farm animal',
  wire: 'Wire-haired',
  xlarge: 'Extra large',
  over_5: 'From 5 years',
  over_12: 'From 12 years',
  selective: 'Some of them',
  shelter: 'In the shelter',
  foster: 'In a foster home',
  medical: 'In medical care',
  quarantine: 'In quarantine',
  hold: 'On hold',
  to_owner: 'Back to its owner',
  transferred: 'Transferred elsewhere',
  to_field: 'Returned to its territory',
  lost: 'Lost from care',
  euthanized: 'Put to sleep',
  owner: 'Given up by its owner',
  transfer: 'From elsewhere',
  born: 'Born here',
  return: 'Returned',
  retention: 'Clearing out old records',
  csv: 'Other site',
  addresses: 'As addresses',
  uploads: 'Sent along',
};

/** Returns a status as a word: `Available`, and `Adopted` for `sold`. */
export function statusName(value: string): string {
  const words = value.replaceAll(/_|(?=[A-Z])/g, ' ').toLowerCase();
  return translate(WORDS[value] ?? words.charAt(0).toUpperCase() + words.slice(1));
}

/** `available`, `adopted` */
export function statusWord(value: string): string {
  return statusName(value).toLowerCase();
}

/** Returns choices of words, each under its name. */
export function optionsOf(values: readonly string[]): [value: string, label: string][] {
  return values.map((value) => [value, statusName(value)]);
}

const FIELDS: Readonly<Record<string, string>> = {
  categoryId: 'Category',
  url: 'Address',
  types: 'Events',
  disabledReason: 'Reason',
  birthDate: 'Born',
  birthDatePrecision: 'Exact to the',
  weightGrams: 'Weight',
  goodWithDogs: 'With dogs',
  goodWithCats: 'With cats',
  goodWithChildren: 'With children',
  houseTrained: 'House-trained',
  specialNeedsNote: 'What it needs',
  fee: 'Adoption fee',
  videoUrl: 'Video',
  care: 'Where it is cared for',
  careUntil: 'Until',
  inCareSince: 'In care since',
  intakeDate: 'Came on',
  intakeType: 'Came as',
  outcomeDate: 'Left on',
  outcomeType: 'Left as',
  location: 'Place',
  petId: 'Animal number',
  orderId: 'Adoption',
  unchanged: 'Unchanged',
  alt: 'What it shows',
  suspected: 'May be spam',
  message: 'Message',
  perMinute: 'Requests a minute',
  perDay: 'Requests a day',
  successor: 'Next key',
  revokedAt: 'Ended',
  kind: 'Kind',
  everyMs: 'How often',
  photosAs: 'Photos',
  questions: 'Questions to families',
  ownerId: 'Taken care of by',
  ownerName: 'Taken care of by',
  email: 'E-mail address',
  hours: 'Opening hours',
  accentColour: 'Colour',
  imprintUrl: 'Imprint',
  privacyUrl: 'Privacy',
  donateUrl: 'Donations',
};

/** Returns what a field of a record is called. */
export function fieldName(field: string): string {
  return FIELDS[field] === undefined ? statusName(field) : translate(FIELDS[field]);
}
