import type {
  ListedName,
  Listing,
  ListingPage,
  ListingRequest,
  ListingStorage,
} from '../../domain/listing.ts';
import type { Pet } from '../../domain/pet.ts';
import { numberOrNull } from '../fields.ts';
import {
  all,
  integerList,
  isIn,
  one,
  query,
  sql,
  type Transactions,
  type Work,
} from '../statements.ts';
import { breeds, groups } from './listing-facets.ts';
import { positionsOf } from './listing-order.ts';
import { PET_COLUMNS } from './pet-lists.ts';
import { PHOTOS_OF } from './photos.ts';
import { type ProfileRow, profileOf } from './profile-rows.ts';

interface Times {
  /** Null unless it is listed. */
  readonly listedAt: bigint | null;
  readonly shownAt: bigint | null;
}
/** The listing has columns of the same names. */
const OF_PET = PET_COLUMNS.split(', ')
  .map((column) => `pets.${column}`)
  .join(', ');
const TIMES = 'listed_at AS "listedAt", shown_at AS "shownAt"';
const timesOf = ({ listedAt, shownAt }: Times) => ({
  listedAt: numberOrNull(listedAt),
  shownAt: numberOrNull(shownAt),
});

const PETS = query(
  ({ public: known, listedAt, shownAt, ...pet }: Pet & Times & Pick<ProfileRow, 'public'>) => {
    const profile = profileOf({ public: known, private: null });
    return [pet.id, { pet, profile, ...timesOf({ listedAt, shownAt }) }] as const;
  },
  // PostgreSQL may have unlisted one since its position was read.
  sql`SELECT ${OF_PET}, ${TIMES}, public FROM pets
    JOIN profiles ON profiles.pet_id = id JOIN listings ON listings.pet_id = id WHERE id ${isIn('$1')}`,
);
const FIND = query(
  ({ public: known, private: secret, listedAt, shownAt, ...pet }: Pet & Times & ProfileRow) => ({
    pet,
    profile: profileOf({ public: known, private: secret }),
    ...timesOf({ listedAt, shownAt }),
  }),
  sql`SELECT ${OF_PET}, ${TIMES}, public, private FROM pets
    LEFT JOIN profiles ON profiles.pet_id = id LEFT JOIN listings ON listings.pet_id = id WHERE id = $1`,
);

const NAMES = query(
  ({ shownAt, ...pet }: Pick<Pet, 'id' | 'name'> & { readonly shownAt: bigint }) => ({
    ...pet,
    shownAt: Number(shownAt),
  }),
  sql`SELECT pets.id, pets.name, shown_at AS "shownAt" FROM listings JOIN pets ON pets.id = pet_id
    ORDER BY pet_id LIMIT $1 OFFSET $2`,
);

function* list(request: ListingRequest): Work<ListingPage> {
  const { limit } = request;
  const found = yield* positionsOf(request, limit + 1);
  const positions = found.slice(0, limit);
  const ids = integerList(positions.map(({ petId }) => petId));
  const animals = new Map(yield* all(PETS, ids));
  const photos = Map.groupBy(yield* all(PHOTOS_OF, ids), ({ petId }) => petId);
  const items = positions.flatMap(({ petId }): Listing[] => {
    const animal = animals.get(petId);
    return animal === undefined ? [] : [{ ...animal, photos: photos.get(petId) ?? [] }];
  });
  return { items, next: found.length > limit ? positions.at(-1) : undefined };
}

function* names(skipped: number, most: number): Work<ListedName[]> {
  const found = yield* all(NAMES, most, skipped);
  const ids = integerList(found.map(({ id }) => id));
  const photos = Map.groupBy(yield* all(PHOTOS_OF, ids), ({ petId }) => petId);
  return found.map((animal) => ({ ...animal, photos: photos.get(animal.id) ?? [] }));
}

function* find(petId: bigint): Work<Listing | undefined> {
  const animal = yield* one(FIND, petId);
  return animal && { ...animal, photos: yield* all(PHOTOS_OF, integerList([petId])) };
}

/** Listings. */
export function createListingStorage({ read, search }: Transactions): ListingStorage {
  return {
    list: (request) => search(() => list(request)),
    groups: (filter, at) => search(() => groups(filter, at)),
    breeds: (filter, at) => search(() => breeds(filter, at)),
    find: (petId) => read(() => find(petId)),
    names: (skipped, most) => read(() => names(skipped, most)),
  };
}
