import fc from 'fast-check';
import { dayOf } from '../../../src/domain/clock.ts';
import {
  firstPlace,
  type Listing,
  type ListingSort,
  placeOf,
  RING,
  waitingSince,
} from '../../../src/domain/listing.ts';
import {
  type AskedWord,
  CHILD_AGES,
  COMPANIONS,
  childAgeOf,
  childAgesFrom,
  companionsOf,
  type Dictionary,
  LISTED_STATUSES,
  type ListingFilter,
  wordsAsked,
  wordsOf,
} from '../../../src/domain/listing-filter.ts';
import { foldName } from '../../../src/domain/name.ts';
import { AGE_GROUPS, ageGroupAt, type Profile, SEXES, SIZES } from '../../../src/domain/profile.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';

export const AT = CHANGE_STAMP.at;
export const DAY = dayOf(AT);
export const ANIMALS = 150;
export const NAMES = ['Rex', 'rex II', 'Zoë', 'Straße', '猫', 'O’Malley', 'Łucja', 'Bella'];
export const BREEDS = ['Labrador Retriever', 'Poodle', 'हिन्दी terrier', 'Poodle-mix', "D'Anjou"];
export const DATES = [
  '2026-12-31',
  '2026-01-15',
  '2026-01-16',
  '2024-01-15',
  '2019-01-14',
  '2000-05-05',
];
const QUERIES = [
  'rex',
  'ZOE',
  'strasse',
  'poo lab',
  'mix',
  '猫',
  'हिन्दी',
  "d'anjou",
  'malley',
  'none',
  'hund',
  'Kitten',
  'calm hund',
  '"*"',
];
export const SPECIES = ['dog', 'cat', 'bird'] as const;
const BREED_QUERIES = ['lab', 'poodle', 'mix poo', 'हिन्दी', 'none', 'anjou'];
const DICTIONARY: Dictionary = new Map([
  ['hund', [{ species: 'dog' }]],
  ['kitten', [{ species: 'cat', ageGroup: 'baby' }]],
  ['calm', [{ sex: 'female' }]],
  ['rex', [{ size: 'large' }, { species: 'bird' }]],
]);

export const UNSEEN = { listedAt: null, shownAt: null };

/** The model: what every listing is, and how each order sorts. */
function ageOf({ birthDate, ageGroup }: Profile) {
  return birthDate === null ? ageGroup : ageGroupAt(birthDate, AT);
}

export function valuesOf({ pet, profile }: Listing) {
  const known = <T>(value: T | null) => (value === null ? [] : [value]);
  return {
    species: known(profile.species),
    sex: known(profile.sex),
    ageGroup: known(ageOf(profile)),
    size: known(profile.size),
    status: [pet.status],
    categoryId: [pet.categoryId],
    goodWith: companionsOf(profile),
    children: childAgesFrom(childAgeOf(profile)),
  };
}

export function matches(
  listing: Listing,
  { words = [], breed: breeds = [], goodWith = [], ...lists }: ListingFilter,
): boolean {
  const values = valuesOf(listing);
  const { breed, secondBreed, headline, description } = listing.profile;
  const own = wordsOf(listing.pet.name, breed, secondBreed, headline, description);
  return (
    words.every(
      (word) => isMeant(listing, word) || own.some((each) => each.startsWith(word.text)),
    ) &&
    breeds.every((word) => wordsOf(breed, secondBreed).some((each) => each.startsWith(word))) &&
    goodWith.every((companion) => values.goodWith.includes(companion)) &&
    Object.entries(lists).every(([name, wanted]: [string, readonly unknown[] | undefined]) => {
      const own = values[name as keyof typeof values];
      return wanted === undefined || own.some((value) => wanted.includes(value));
    })
  );
}

function isMeant(listing: Listing, { kinds = [] }: AskedWord): boolean {
  const values = valuesOf(listing);
  return kinds.some(({ species, ageGroup, sex, size }) =>
    [
      [species, values.species],
      [ageGroup, values.ageGroup],
      [sex, values.sex],
      [size, values.size],
    ].every(([wanted, own]) => wanted === undefined || own?.includes(wanted as never)),
  );
}

/** What an animal is comes first, then whole words, then their beginnings. */
function rankOf(listing: Listing, words: readonly AskedWord[]): number {
  const { breed, secondBreed, headline, description } = listing.profile;
  const all = wordsOf(listing.pet.name, breed, secondBreed, headline, description);
  const isBest = (word: AskedWord) =>
    isMeant(listing, word) ||
    foldName(listing.pet.name).split(' ').includes(word.text) ||
    wordsOf(breed, secondBreed).includes(word.text);
  if (words.every(isBest)) return 0;
  return words.every((word) => isBest(word) || all.includes(word.text)) ? 1 : 2;
}

function sortKey(
  sort: ListingSort,
  listing: Listing,
  words: readonly AskedWord[],
): string | number {
  const { pet, profile } = listing;
  const place = (placeOf(pet.id) - firstPlace(DAY) + RING) % RING;
  const group = rankOf(listing, words) * 2 + Number(pet.status === 'pending');
  return {
    fair: group * RING + place,
    newest: -Number(listing.listedAt),
    waiting: waitingSince(profile, AT),
    name: foldName(pet.name),
  }[sort];
}

export function sorted(
  listings: readonly Listing[],
  sort: ListingSort,
  words: readonly AskedWord[] = [],
): bigint[] {
  const bytes = (key: string | number) => (typeof key === 'number' ? key : Buffer.from(key));
  const compare = (a: string | number | Buffer, b: string | number | Buffer) =>
    Buffer.isBuffer(a) && Buffer.isBuffer(b) ? Buffer.compare(a, b) : Number(a) - Number(b);
  const sign = sort === 'newest' ? -1 : 1;
  return listings
    .map((listing) => ({ id: listing.pet.id, key: bytes(sortKey(sort, listing, words)) }))
    .sort((a, b) => compare(a.key, b.key) || sign * Number(a.id - b.id))
    .map(({ id }) => id);
}

const some = <T>(values: readonly T[]) =>
  fc.option(fc.subarray([...values], { minLength: 1 }), { nil: undefined });
const filters = fc.record({
  species: some(SPECIES),
  sex: some(SEXES),
  ageGroup: some(AGE_GROUPS),
  size: some(SIZES),
  status: some(LISTED_STATUSES),
  categoryId: some([1n, 2n, -(2n ** 63n)]),
  goodWith: some(COMPANIONS),
  children: some(CHILD_AGES),
  breed: fc.option(
    fc.constantFrom(...BREED_QUERIES).map((text) => wordsOf(text)),
    { nil: undefined },
  ),
  words: fc.option(
    fc.constantFrom(...QUERIES).map((text) => wordsAsked(text, DICTIONARY)),
    { nil: undefined },
  ),
});
/** Most filters of several conditions leave nothing. */
export const mildFilters = fc
  .tuple(
    filters,
    fc.subarray(
      [
        ...['species', 'sex', 'ageGroup', 'size', 'status', 'categoryId', 'goodWith'],
        ...['children', 'breed', 'words'],
      ] as (keyof ListingFilter)[],
      { maxLength: 3 },
    ),
  )
  .map(
    ([filter, names]): ListingFilter =>
      Object.fromEntries(names.map((name) => [name, filter[name]])),
  );
