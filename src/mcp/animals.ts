import { SEARCH_WORDS } from '../adopt/search-words.ts';
import { tagOf } from '../api/contract/precondition.ts';
import {
  int64InBody,
  nameInBody,
  oneOf,
  wholeNumberInBody,
} from '../api/contract/request-fields.ts';
import { petValue } from '../api/resources/pets.ts';
import { photoValue } from '../api/resources/photo-schemas.ts';
import { profileValue } from '../api/resources/profiles.ts';
import { animalAddress } from '../domain/animal-address.ts';
import { dayOf } from '../domain/clock.ts';
import { isListed, type Listing } from '../domain/listing.ts';
import { LISTED_STATUSES, wordsAsked } from '../domain/listing-filter.ts';
import { foldName, PET_NAME_MAX } from '../domain/name.ts';
import { PET_STATUSES, type Pet, type PetStatus } from '../domain/pet.ts';
import {
  EMPTY_PROFILE,
  type Profile,
  profileAt,
  SPECIES,
  type Species,
} from '../domain/profile.ts';
import type { WritableJson } from '../http/json.ts';
import { defineTool, READS, Refusal, type Tool, type ToolShop } from './tool.ts';

const LIMIT_MAX = 20;
const LIMIT_DEFAULT = 10;
/** Animals of all that match name and status that are looked at for a species: the newest. */
const PAGE = 100;
const PAGES_MAX = 5;

interface Search {
  readonly name?: string | undefined;
  readonly species?: Species | undefined;
  readonly status?: PetStatus | undefined;
  readonly limit?: number | undefined;
}

/** What a search found, and whether there is more. */
interface Found {
  readonly animals: readonly (readonly [Pet, Profile])[];
  readonly hasMore: boolean;
}

/** Searches what the public sees. */
async function searchListed(
  { name, species, status, limit = LIMIT_DEFAULT }: Search,
  shop: ToolShop,
): Promise<Found> {
  const listed = LISTED_STATUSES.find((one) => one === status);
  if (status !== undefined && listed === undefined) return { animals: [], hasMore: false };
  const filter = {
    species: species && [species],
    status: listed && [listed],
    words: name === undefined ? undefined : wordsAsked(name, SEARCH_WORDS),
  };
  const order = { sort: 'fair', after: undefined, fairDay: dayOf(shop.at) } as const;
  const page = await shop.storage.listings.list({ filter, ...order, limit, at: shop.at });
  const animals = page.items.map(({ pet, profile }) => [pet, profile] as const);
  return { animals, hasMore: page.next !== undefined };
}

/** Searches all animals, the newest first, or by id if a part of their name is given. */
async function searchAll(
  { name, species, status, limit = LIMIT_DEFAULT }: Search,
  { storage }: ToolShop,
): Promise<Found> {
  const filter = {
    status,
    nameFolded: name === undefined ? undefined : foldName(name),
  };
  const isDescending = name === undefined;
  const animals: (readonly [Pet, Profile])[] = [];
  let afterId: bigint | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page = await storage.pets.list(filter, { afterId, limit: PAGE, isDescending });
    const profiles = await storage.profiles.findAll(page.items.map(({ id }) => id));
    for (const pet of page.items) {
      const profile = profiles.get(pet.id) ?? EMPTY_PROFILE;
      if (species !== undefined && profile.species !== species) continue;
      if (animals.length === limit) return { animals, hasMore: true };
      animals.push([pet, profile]);
    }
    afterId = page.resumeAfter ?? page.items.at(-1)?.id;
    if (!page.more) return { animals, hasMore: false };
  }
  return { animals, hasMore: true };
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

/** Returns an animal that the caller may see. Throws a `Refusal` that does not say if there is another one. */
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
      'Finds animals for adoption. Without an API key, those that are shown to the public. What is left out of an animal is not known; get_animal has the rest.',
    input: {
      name: nameInBody('Part of the name.', PET_NAME_MAX).optional(),
      species: oneOf(SPECIES).optional(),
      status: oneOf(PET_STATUSES)
        .meta({ description: 'pending: reserved; sold: adopted.' })
        .optional(),
      limit: wholeNumberInBody(
        `1 to ${LIMIT_MAX}, else ${LIMIT_DEFAULT}.`,
        1,
        LIMIT_MAX,
      ).optional(),
    },
    annotations: READS,
    async call(search, shop) {
      const { animals, hasMore } = await (shop.may('read') ? searchAll : searchListed)(
        search,
        shop,
      );
      const more = hasMore
        ? 'There are more: ask for less, such as a name or a status.'
        : undefined;
      return { animals: animals.map((animal) => briefly(animal, shop)), more };
    },
  }),
  defineTool('get_animal', {
    access: 'public',
    description:
      'Shows an animal with its profile, photos and the address of its page. What the profile leaves out is not known, which is not "no". version is for update_animal.',
    input: { id: int64InBody('Id of the animal.') },
    annotations: READS,
    call: async ({ id }, shop) => details(await findAnimal(id, shop), shop),
  }),
];
