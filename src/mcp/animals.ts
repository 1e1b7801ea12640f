import * as z from 'zod';
import { SEARCH_WORDS } from '../adopt/search-words.ts';
import { tagOf } from '../api/contract/precondition.ts';
import {
  int64InBody,
  nameInBody,
  oneOf,
  wholeNumberInBody,
} from '../api/contract/request-fields.ts';
import { readListings } from '../api/resources/listing-query.ts';
import { petValue } from '../api/resources/pets.ts';
import { photoValue } from '../api/resources/photo-schemas.ts';
import { profileValue } from '../api/resources/profiles.ts';
import { animalAddress } from '../domain/animal-address.ts';
import { int64FromText } from '../domain/int64.ts';
import { isListed, type Listing } from '../domain/listing.ts';
import {
  type AnimalKind,
  CHILD_AGES,
  COMPANIONS,
  childAgeOf,
  childAgesFrom,
  companionsOf,
  LISTED_STATUSES,
  wordsAsked,
  wordsOf,
} from '../domain/listing-filter.ts';
import { foldName, PET_NAME_MAX } from '../domain/name.ts';
import { PET_STATUSES, type Pet } from '../domain/pet.ts';
import {
  AGE_GROUPS,
  EMPTY_PROFILE,
  type Profile,
  type PublicProfile,
  profileAt,
  SEXES,
  SIZES,
  SPECIES,
} from '../domain/profile.ts';
import type { WritableJson } from '../http/json.ts';
import { defineTool, READS, Refusal, type Tool, type ToolShop } from './tool.ts';

const LIMIT_MAX = 20;
const LIMIT_DEFAULT = 10;
const WORDS_MAX = 200;
/** The list of all animals filters by little, so a call looks at this many pages of it for the rest. */
const PAGE = 100;
const PAGES_MAX = 5;

/** What an animal must be, as `GET /listings` takes it. */
const wanted = {
  name: nameInBody('Part of the name.', PET_NAME_MAX).optional(),
  q: nameInBody('Words in name, breed or text, such as calm or kitten.', WORDS_MAX).optional(),
  species: oneOf(SPECIES).optional(),
  sex: oneOf(SEXES).optional(),
  ageGroup: oneOf(AGE_GROUPS).optional(),
  size: oneOf(SIZES).optional(),
  status: oneOf(PET_STATUSES).meta({ description: 'pending: reserved; sold: adopted.' }).optional(),
  goodWith: z
    .array(oneOf(COMPANIONS), { error: 'must be a list' })
    .meta({ description: 'All of them.' })
    .optional(),
  children: oneOf(CHILD_AGES).meta({ description: 'Age of the youngest child.' }).optional(),
  limit: wholeNumberInBody(`1 to ${LIMIT_MAX}, else ${LIMIT_DEFAULT}.`, 1, LIMIT_MAX).optional(),
  page: nameInBody('next of the answer before.', 1_000).optional(),
};
type Search = z.output<z.ZodObject<typeof wanted>>;

/** What a search found, and the page after it, if there is one. */
interface Found {
  readonly animals: readonly (readonly [Pet, Profile])[];
  readonly next: string | undefined;
}

/** Searches what the public sees. */
async function searchListed(search: Search, { storage, at }: ToolShop): Promise<Found> {
  const { name, q, status, limit = LIMIT_DEFAULT, page: cursor } = search;
  const listed = LISTED_STATUSES.find((one) => one === status);
  if (status !== undefined && listed === undefined) return { animals: [], next: undefined };
  const words = [name, q].filter(Boolean).join(' ') || undefined;
  const query = { ...filterOf(search), status: listed && [listed], q: words, limit, cursor };
  const page = await readListings(storage.listings, query, at);
  const animals = page.items.map(({ pet, profile }) => [pet, profile] as const);
  return { animals, next: page.cursor };
}

/** The filters of a search whose values are the same in the query of listings. */
function filterOf({ species, sex, ageGroup, size, goodWith, children }: Search) {
  return {
    species: species && [species],
    sex: sex && [sex],
    ageGroup: ageGroup && [ageGroup],
    size: size && [size],
    goodWith,
    children,
  };
}

/** Searches all animals, the newest first, or by id if a part of their name is given. */
async function searchAll(search: Search, { storage, at }: ToolShop): Promise<Found> {
  const { name, status, limit = LIMIT_DEFAULT } = search;
  const filter = { status, nameFolded: name === undefined ? undefined : foldName(name) };
  const isDescending = name === undefined;
  const animals: (readonly [Pet, Profile])[] = [];
  let afterId = positionIn(search.page);
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page = await storage.pets.list(filter, { afterId, limit: PAGE, isDescending });
    const profiles = await storage.profiles.findAll(page.items.map(({ id }) => id));
    for (const pet of page.items) {
      const profile = profiles.get(pet.id) ?? EMPTY_PROFILE;
      if (!fits([pet, profileAt(profile, at)], search)) continue;
      if (animals.length === limit) return { animals, next: `${animals.at(-1)?.[0].id}` };
      animals.push([pet, profile]);
    }
    afterId = page.resumeAfter ?? page.items.at(-1)?.id;
    if (!page.more) return { animals, next: undefined };
  }
  return { animals, next: afterId?.toString() };
}

/** Returns the id after which a page of all animals starts. */
function positionIn(page: string | undefined): bigint | undefined {
  if (page === undefined) return undefined;
  const id = int64FromText(page);
  if (id === undefined) throw new Refusal('page must be the next of the answer before.');
  return id;
}

/** Returns whether an animal is what is searched for, as the search in listings decides it. */
function fits([pet, profile]: readonly [Pet, PublicProfile], search: Search): boolean {
  const { species, sex, ageGroup, size, goodWith = [], children, q } = search;
  const companions = companionsOf(profile);
  const isKind = (kind: AnimalKind) =>
    Object.entries(kind).every(
      ([field, value]) => value === undefined || profile[field as keyof AnimalKind] === value,
    );
  const texts = [
    pet.name,
    profile.breed,
    profile.secondBreed,
    profile.headline,
    profile.description,
  ];
  const words = q === undefined ? [] : wordsOf(...texts);
  return (
    isKind({ ...(species && { species }), ...(sex && { sex }), ...(size && { size }) }) &&
    (ageGroup === undefined || profile.ageGroup === ageGroup) &&
    goodWith.every((one) => companions.includes(one)) &&
    (children === undefined || childAgesFrom(childAgeOf(profile)).includes(children)) &&
    (q === undefined ? [] : wordsAsked(q, SEARCH_WORDS)).every(
      ({ text, kinds = [] }) => words.some((word) => word.startsWith(text)) || kinds.some(isKind),
    )
  );
}

/** Returns what a list says of an animal. What is not known is left out. */
function briefly([pet, profile]: readonly [Pet, Profile], shop: ToolShop): WritableJson {
  const { species, breed, sex, ageGroup, size, energy, headline } = profileAt(profile, shop.at);
  const { id, name, status } = pet;
  const known = { species, breed, sex, ageGroup, size, energy, headline };
  return { id, name, status, ...knownOf(known), url: addressOf(pet, profile, shop) };
}

/** Returns the fields that are known. */
export function knownOf(
  fields: Readonly<Record<string, WritableJson>>,
): Record<string, WritableJson> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** Returns the address of the public page of an animal; undefined unless it is listed and there are pages. */
function addressOf(pet: Pet, profile: Profile, { pagesRoot }: ToolShop): string | undefined {
  if (pagesRoot === null || !isListed(pet, profile)) return undefined;
  return pagesRoot + animalAddress(pet);
}

/** What programs are told of an animal in full. */
export const ANIMAL = {
  id: 'integer',
  name: 'string',
  status: 'string',
  profile: 'object',
  photos: 'array',
  'url?': 'string',
  'version?': 'string',
} as const;

/** Returns all that a tool says of an animal: public fields alone. */
export function details({ pet, profile, photos }: Listing, shop: ToolShop): WritableJson {
  const { published, ...known } = knownOf(
    // A profile is an object of fields.
    profileValue(profile, shop.at, false) as Record<string, WritableJson>,
  );
  return {
    ...petValue(pet),
    ...(shop.may('read') && { published }),
    profile: known,
    photos: photos.map((photo) => {
      const { alt, urls } = photoValue(photo, shop.baseUrl);
      return { ...(alt !== null && { alt }), url: urls.jpeg };
    }),
    url: addressOf(pet, profile, shop),
    version: shop.may('write') ? versionOf({ pet, profile }, shop.at) : undefined,
  };
}

/** Returns the version of an animal: the entity tags of its two parts, which a change may depend on. */
export function versionOf({ pet, profile }: Pick<Listing, 'pet' | 'profile'>, at: number): string {
  const tags = [tagOf(petValue(pet)), tagOf(profileValue(profile, at, true))];
  return tags.join('-').replaceAll('"', '');
}

/** Returns an animal that the caller may see. Throws the same `Refusal` for a hidden one as for none. */
export async function findAnimal(id: bigint, shop: ToolShop): Promise<Listing> {
  const found = await shop.storage.listings.find(id);
  if (found && (shop.may('read') || isListed(found.pet, found.profile))) return found;
  throw new Refusal(
    `There is no animal ${id}: search_animals finds the ids of those that there are.`,
  );
}

export const animalTools: readonly Tool[] = [
  defineTool('search_animals', {
    access: 'public',
    description:
      'Finds animals for adoption. Without an API key, those that are shown to the public. What is left out of an animal is not known; get_animal has the rest. next is there if more fit.',
    input: wanted,
    output: { animals: 'array', 'next?': 'string' },
    annotations: READS,
    async call(search, shop) {
      const found = await (shop.may('read') ? searchAll : searchListed)(search, shop);
      return { animals: found.animals.map((animal) => briefly(animal, shop)), next: found.next };
    },
  }),
  defineTool('get_animal', {
    access: 'public',
    description:
      'Shows an animal with its profile, photos and the address of its page. What the profile leaves out is not known, which is not "no". version is for update_animal.',
    input: { id: int64InBody('Id of the animal.') },
    output: ANIMAL,
    annotations: READS,
    call: async ({ id }, shop) => details(await findAnimal(id, shop), shop),
  }),
];
