import type {
  ListedName,
  Listing,
  ListingPage,
  ListingRequest,
  ListingStorage,
} from '../../domain/listing.ts';
import type { Pet } from '../../domain/pet.ts';
import { fieldsOf, number, numberOrNull, plain } from '../fields.ts';
import { integerList, isIn, methodsOf, sql, type Transactions, type Work } from '../statements.ts';
import { breeds, groups } from './listing-facets.ts';
import { positionsOf } from './listing-order.ts';
import { PET_COLUMNS } from './pet-rows.ts';
import { PHOTOS_OF } from './photos.ts';
import { type ProfileRow, profiledOf } from './profile-rows.ts';

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
function listingOf(row: Pet & ProfileRow & Times) {
  const { listedAt, shownAt, ...animal } = profiledOf(row);
  return { ...animal, listedAt: numberOrNull(listedAt), shownAt: numberOrNull(shownAt) };
}

const PETS = sql`SELECT ${OF_PET}, ${TIMES}, public, NULL AS private FROM pets
    JOIN profiles ON profiles.pet_id = id JOIN listings ON listings.pet_id = id
    WHERE id ${isIn('$1')}`.as(listingOf);
const FIND = sql`SELECT ${OF_PET}, ${TIMES}, public, private FROM pets
    LEFT JOIN profiles ON profiles.pet_id = id LEFT JOIN listings ON listings.pet_id = id
    WHERE id = $1`.as(listingOf);

const NAME = fieldsOf({ id: plain<bigint>(), name: plain<string>(), shownAt: number });
const NAMES = sql`SELECT pets.id, pets.name, shown_at FROM listings JOIN pets ON pets.id = pet_id
    ORDER BY pet_id LIMIT $1 OFFSET $2`.as(NAME);

function* list(request: ListingRequest): Work<ListingPage> {
  const { limit } = request;
  const found = yield* positionsOf(request, limit + 1);
  const positions = found.slice(0, limit);
  const ids = integerList(positions.map(({ petId }) => petId));
  const animals = new Map((yield* PETS.all(ids)).map((animal) => [animal.pet.id, animal]));
  const photos = Map.groupBy(yield* PHOTOS_OF.all(ids), ({ petId }) => petId);
  // PostgreSQL may have unlisted one since its position was read.
  const items = positions.flatMap(({ petId }): Listing[] => {
    const animal = animals.get(petId);
    return animal === undefined ? [] : [{ ...animal, photos: photos.get(petId) ?? [] }];
  });
  return { items, next: found.length > limit ? positions.at(-1) : undefined };
}

function* names(skipped: number, most: number): Work<ListedName[]> {
  const found = yield* NAMES.all(most, skipped);
  const ids = integerList(found.map(({ id }) => id));
  const photos = Map.groupBy(yield* PHOTOS_OF.all(ids), ({ petId }) => petId);
  return found.map((animal) => ({ ...animal, photos: photos.get(animal.id) ?? [] }));
}

function* find(petId: bigint): Work<Listing | undefined> {
  const animal = yield* FIND.one(petId);
  return animal && { ...animal, photos: yield* PHOTOS_OF.all(integerList([petId])) };
}

/** Listings. */
export function createListingStorage(transactions: Transactions): ListingStorage {
  const { reads, searches } = methodsOf<ListingStorage>(transactions);
  return { ...searches({ list, groups, breeds }), ...reads({ find, names }) };
}
