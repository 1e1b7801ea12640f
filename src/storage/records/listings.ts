import { INT64_MAX } from '../../domain/int64.ts';
import {
  COMPANIONS,
  type Companion,
  type CountedListings,
  facetsOf,
  firstPlace,
  type Listing,
  type ListingFilter,
  type ListingGroup,
  type ListingPage,
  type ListingPosition,
  type ListingRequest,
  type ListingSort,
  type ListingStorage,
  turnOf,
} from '../../domain/listing.ts';
import type { Pet, PetStatus } from '../../domain/pet.ts';
import { type AgeGroup, groupBounds } from '../../domain/profile.ts';
import {
  all,
  integerList,
  isIn,
  one,
  only,
  query,
  sql,
  type Transactions,
  type Work,
} from '../statements.ts';
import {
  BY_VALUE,
  conditionsOf,
  every,
  isFound,
  Parameters,
  sourceOf,
} from './listing-conditions.ts';
import { PET_COLUMNS } from './pets.ts';
import { PHOTOS_OF } from './photos.ts';
import { positionOf, positionsAfter, sortedAfter } from './positions.ts';
import { type ProfileRow, profileOf } from './profile-rows.ts';

/** What each order sorts by before the id. */
const KEYS: Readonly<Record<ListingSort, string>> = {
  fair: 'place',
  name: 'name',
  waiting: 'since',
  newest: 'pet_id',
};

/** As many animals as are rather sorted than looked for in the order of an index. */
const FEW = 200;

/** Returns the positions of all animals that a filter leaves, in any order; undefined if they are many. */
function* fewPositions({ filter, sort, at }: ListingRequest): Work<ListingPosition[] | undefined> {
  const parameters = new Parameters();
  const conditions = conditionsOf(filter, at, parameters, true);
  if (conditions.length === 0) return undefined;
  const text = sql`SELECT pet_id AS id, ${KEYS[sort]} AS key
    FROM ${sourceOf(filter)} WHERE ${every(conditions)}
    LIMIT ${parameters.take(FEW)}`;
  const found = yield* all(query(positionOf, text), ...parameters.values);
  return found.length < FEW ? found : undefined;
}

/** Sorts positions as the database would: text by its bytes. */
function sorted(positions: readonly ListingPosition[], { sort, fairDay }: ListingRequest) {
  const turn = ({ key }: ListingPosition) => turnOf(Number(key), fairDay);
  function compare(one: ListingPosition, other: ListingPosition): number {
    if (sort === 'newest') return Number(other.petId - one.petId);
    const order =
      sort === 'fair'
        ? turn(one) - turn(other)
        : Buffer.compare(Buffer.from(one.key), Buffer.from(other.key));
    return order || Number(one.petId - other.petId);
  }
  return { compare, positions: positions.toSorted(compare) };
}

/** Returns the positions of the animals after one, at most `limit`, of those with a place below `end`. */
function listedAfter(
  { filter, sort, at }: ListingRequest,
  { key, petId }: ListingPosition,
  limit: number,
  end?: number,
) {
  const parameters = new Parameters();
  const conditions = conditionsOf(filter, at, parameters, false);
  if (end !== undefined) conditions.push(sql`place < ${parameters.take(end)}`);
  const start = { key: sort === 'fair' ? BigInt(key) : key, petId };
  const order = { table: 'listings', column: KEYS[sort] } as const;
  return positionsAfter(order, start, conditions, parameters, limit);
}

/** Reads positions in the fair order: the ring from its first place of the day, and then the rest. */
function* fairPositions(request: ListingRequest, limit: number): Work<ListingPosition[]> {
  const first = firstPlace(request.fairDay);
  const after = request.after ?? { key: String(first), petId: 0n };
  const isRest = Number(after.key) < first;
  const found = isRest ? [] : yield* listedAfter(request, after, limit);
  if (found.length === limit) return found;
  const rest = isRest ? after : { key: '-1', petId: 0n };
  return [...found, ...(yield* listedAfter(request, rest, limit - found.length, first))];
}

/** Reads the positions of a page. */
function* positionsOf(request: ListingRequest, limit: number): Work<ListingPosition[]> {
  const { sort, after } = request;
  const few = yield* fewPositions(request);
  if (few !== undefined) {
    const { compare, positions } = sorted(few, request);
    return sortedAfter(positions, after, compare, limit);
  }
  if (sort === 'fair') return yield* fairPositions(request, limit);
  const start = { key: '', petId: sort === 'newest' ? INT64_MAX : 0n };
  return yield* listedAfter(request, after ?? start, limit);
}

interface Added {
  readonly addedAt: bigint;
}
const ADDED_AT = 'added_at AS "addedAt"';

const PETS = query(
  ({ public: known, addedAt, ...pet }: Pet & Added & Pick<ProfileRow, 'public'>) => {
    const profile = profileOf({ public: known, private: null });
    return [pet.id, { pet, profile, addedAt: Number(addedAt) }] as const;
  },
  // PostgreSQL may have unlisted one since its position was read.
  sql`SELECT ${PET_COLUMNS}, ${ADDED_AT}, public FROM pets JOIN profiles ON pet_id = id
    WHERE id ${isIn('$1')} AND EXISTS (SELECT 1 FROM listings WHERE listings.pet_id = id)`,
);
const FIND = query(
  ({ public: known, private: secret, addedAt, ...pet }: Pet & Added & ProfileRow) => ({
    pet,
    profile: profileOf({ public: known, private: secret }),
    addedAt: Number(addedAt),
  }),
  sql`SELECT ${PET_COLUMNS}, ${ADDED_AT}, public, private FROM pets LEFT JOIN profiles ON pet_id = id WHERE id = $1`,
);

const NAMES = query(
  (pet: Pick<Pet, 'id' | 'name'>) => pet,
  sql`SELECT pets.id, pets.name FROM listings JOIN pets ON pets.id = pet_id
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
  const read = found.map(({ petId }) => petId);
  return { items, read, next: found.length > limit ? positions.at(-1) : undefined };
}

/** A row of the numbers of listings that have the same values. */
interface GroupRow extends Readonly<Record<Companion, bigint>> {
  readonly species: string;
  readonly sex: string | null;
  readonly size: string | null;
  readonly status: PetStatus;
  readonly category_id: bigint;
  /** Only without a birth date. */
  readonly age_group: AgeGroup | null;
  readonly n: bigint;
  /** With a birth date, and those of them that are at most babies, young or adult. */
  readonly born: bigint;
  readonly babies: bigint;
  readonly youths: bigint;
  readonly adults: bigint;
}

/** Returns the groups of a row: one for each age group, and one of unknown ages. */
function groupsOf(row: GroupRow): ListingGroup[] {
  const known = (value: string | null) => (value === null ? [] : [value]);
  const values = {
    species: [row.species],
    sex: known(row.sex),
    size: known(row.size),
    status: [row.status],
    categoryId: [row.category_id],
    goodWith: COMPANIONS.filter((companion) => row[companion] > 0n),
  };
  const { n, born, babies, youths, adults } = row;
  const counts: [string | null, bigint][] = [
    [row.age_group, n - born],
    ['baby', babies],
    ['young', youths - babies],
    ['adult', adults - youths],
    ['senior', born - adults],
  ];
  return counts
    .filter(([, count]) => count > 0n)
    .map(([age, count]) => ({ count: Number(count), values: { ...values, ageGroup: known(age) } }));
}

/** In the order of an index, so that SQLite counts without sorting. Without an order, PostgreSQL has one by chance. */
const GROUPED = 'species, sex, size, status, category_id, dogs, cats, children, age_group';

/** As many listings as are named one by one to say what was counted. */
const NAMED_MAX = 1_000;
const LISTED = query(
  ({ ids }: { readonly ids: string | null }) => ids?.split(' ').map(Number) ?? [],
  {
    sqlite: `SELECT group_concat(pet_id, ' ') AS ids FROM (SELECT pet_id FROM listings LIMIT $1)`,
    postgres: `SELECT string_agg(CAST(pet_id AS text), ' ') AS ids FROM (SELECT pet_id FROM listings LIMIT $1) AS named`,
  },
);

function* facets({ words = [], ...filter }: ListingFilter, at: number): Work<CountedListings> {
  // First: one that is listed between the two statements is in the log after this.
  const listed = yield* only(LISTED, NAMED_MAX + 1);
  const parameters = new Parameters();
  const [babies = '', youths = '', adults = ''] = groupBounds(at).map(([, bound]) =>
    parameters.take(bound),
  );
  const after = (bound: string) => `count(*) FILTER (WHERE birth_date > CAST(${bound} AS text))`;
  const where =
    words.length === 0 ? '' : sql`WHERE ${isFound(parameters.take(JSON.stringify(words)))}`;
  const text = sql`SELECT ${GROUPED}, count(*) AS n, count(birth_date) AS born,
      ${after(babies)} AS babies, ${after(youths)} AS youths, ${after(adults)} AS adults
    FROM ${BY_VALUE} ${where} GROUP BY ${GROUPED} ORDER BY ${GROUPED}`;
  const groups = yield* all(query(groupsOf, text), ...parameters.values);
  return {
    facets: facetsOf(groups.flat(), filter),
    listed: listed.length > NAMED_MAX ? undefined : listed,
  };
}

function* find(petId: bigint): Work<Listing | undefined> {
  const animal = yield* one(FIND, petId);
  return animal && { ...animal, photos: yield* all(PHOTOS_OF, integerList([petId])) };
}

/** Listings. */
export function createListingStorage({ read, search }: Transactions): ListingStorage {
  return {
    list: (request) => search(() => list(request)),
    facets: (filter, at) => search(() => facets(filter, at)),
    find: (petId) => read(() => find(petId)),
    names: (skipped, most) => read(() => all(NAMES, most, skipped)),
  };
}
