import type {
  Animal,
  AnimalFilter,
  AnimalPage,
  AnimalPosition,
  AnimalRequest,
  AnimalSort,
  AnimalStorage,
} from '../../domain/animal.ts';
import { INT64_MAX } from '../../domain/int64.ts';
import type { Pet } from '../../domain/pet.ts';
import { HELD_CARES } from '../../domain/profile.ts';
import {
  all,
  integerList,
  isIn,
  only,
  query,
  type Sql,
  sql,
  type Transactions,
  type Work,
} from '../statements.ts';
import { conditionsOf, type Found, foundBy, hasWords } from './animal-conditions.ts';
import { every, Parameters } from './listing-conditions.ts';
import { PHOTO_COLUMNS } from './pets.ts';
import { PHOTOS_OF, photos } from './photos.ts';
import { positionOf, positionsAfter, sortedAfter } from './positions.ts';
import { type ProfileRow, profileOf } from './profile-rows.ts';
import { staysOf } from './stay-rows.ts';

/** What each order sorts by before the id. */
const KEYS: Readonly<Record<AnimalSort, string>> = {
  newest: 'pet_id',
  name: 'name',
  waiting: 'since',
  location: 'location',
};

const idOf = ({ id }: { readonly id: bigint }) => id;
const countOf = ({ n }: { readonly n: bigint }) => Number(n);

/** As many animals as are rather sorted than looked for in the order of an index. */
const FEW = 500;

/** Returns how to find the animals of a part of the filter that few animals pass; undefined if there is none. */
function* fewBy(filter: AnimalFilter): Work<Found | undefined> {
  for (const found of foundBy(filter)) {
    const parameters = new Parameters();
    const text = sql`SELECT count(*) AS n FROM (
      SELECT 1 FROM (${found.ids(parameters)}) AS found LIMIT ${FEW}) AS few`;
    if ((yield* only(query(countOf, text), ...parameters.values)) < FEW) return found;
  }
  return undefined;
}

/** Animals that were found by an index, and pass the rest. PostgreSQL knows by itself where to begin. */
function fromIndex({ ids, rest }: Found, parameters: Parameters): Sql {
  const join: Sql = { sqlite: 'CROSS JOIN', postgres: 'JOIN' };
  return sql`FROM (${ids(parameters)}) AS found ${join} animals ON pet_id = found.id
    WHERE ${every(conditionsOf(rest, parameters))}`;
}

/** Returns the positions of all animals that were found, sorted. */
function* sortedPositions(sort: AnimalSort, found: Found): Work<AnimalPosition[]> {
  const parameters = new Parameters();
  const from = fromIndex(found, parameters);
  const text = sql`SELECT pet_id AS id, ${KEYS[sort]} AS key ${from}`;
  const positions = yield* all(query(positionOf, text), ...parameters.values);
  return positions.sort((one, other) => compare(one, other, sort));
}

/** Compares as the database does: text by its bytes. */
function compare(one: AnimalPosition, other: AnimalPosition, sort: AnimalSort): number {
  if (sort === 'newest') return Number(other.petId - one.petId);
  const order = Buffer.compare(Buffer.from(one.key), Buffer.from(other.key));
  return order || Number(one.petId - other.petId);
}

/** Returns the positions of the animals after one, in the order of an index. */
function animalsAfter({ filter, sort }: AnimalRequest, after: AnimalPosition, limit: number) {
  const parameters = new Parameters();
  const conditions = conditionsOf(filter, parameters);
  const order = { table: 'animals', column: KEYS[sort] } as const;
  return positionsAfter(order, after, conditions, parameters, limit);
}

/** As many animals are looked at for words at a time, before an index of words is asked: it reads all that have them. */
const SOON = 150;
/** More are not looked at, however many of them have the words. */
const SOON_MAX = 10 * SOON;

/** Returns the next animals that have the words, if many have; fewer than `limit` say nothing. */
function* soonWithWords(
  request: AnimalRequest,
  start: AnimalPosition,
  limit: number,
): Work<AnimalPosition[]> {
  const { words, ...rest } = request.filter;
  const soon: AnimalPosition[] = [];
  if (words === undefined) return soon;
  let after: AnimalPosition | undefined = start;
  for (let read = 0; read < SOON_MAX && after !== undefined; read += SOON) {
    const next: AnimalPosition[] = yield* animalsAfter({ ...request, filter: rest }, after, SOON);
    const parameters = new Parameters();
    const ids = parameters.take(integerList(next.map(({ petId }) => petId)));
    const text = sql`SELECT pet_id AS id FROM animals
      WHERE pet_id ${isIn(ids)} AND ${hasWords(words, parameters)}`;
    const found = new Set(yield* all(query(idOf, text), ...parameters.values));
    soon.push(...next.filter(({ petId }) => found.has(petId)));
    if (soon.length === 0 || soon.length >= limit) return soon;
    after = next.at(-1);
  }
  return soon;
}

function* positionsOf(request: AnimalRequest, limit: number): Work<AnimalPosition[]> {
  const { filter, sort } = request;
  const { after = { key: '', petId: sort === 'newest' ? INT64_MAX : 0n } } = request;
  const soon = yield* soonWithWords(request, after, limit);
  if (soon.length >= limit) return soon.slice(0, limit);
  const found = yield* fewBy(filter);
  if (found === undefined) return yield* animalsAfter(request, after, limit);
  const positions = yield* sortedPositions(sort, found);
  const inOrder = (one: AnimalPosition, other: AnimalPosition) => compare(one, other, sort);
  return sortedAfter(positions, request.after, inOrder, limit);
}

type AnimalRow = Pet & ProfileRow & { readonly externalId: string | null };
const animals = (isRemoved: boolean, text: Sql) =>
  query(({ externalId, public: known, private: secret, ...pet }: AnimalRow) => {
    const profile = profileOf({ public: known, private: secret });
    return [pet.id, { pet, profile, externalId: externalId ?? undefined, isRemoved }] as const;
  }, text);
const COLUMNS =
  'name, category_id AS "categoryId", status, external_id AS "externalId", public, private';
const PRESENT = animals(
  false,
  sql`SELECT id, ${COLUMNS} FROM pets LEFT JOIN profiles ON pet_id = id WHERE id ${isIn('$1')}`,
);
const REMOVED = animals(
  true,
  sql`SELECT pet_id AS id, ${COLUMNS} FROM removed_pets WHERE pet_id ${isIn('$1')}`,
);
const REMOVED_PHOTOS = photos(
  sql`SELECT photo_id AS id, ${PHOTO_COLUMNS} FROM removed_photos WHERE pet_id ${isIn('$1')} ORDER BY pet_id, position`,
);

function* list(request: AnimalRequest): Work<AnimalPage> {
  const { limit, filter } = request;
  const found = yield* positionsOf(request, limit + 1);
  const positions = found.slice(0, limit);
  const ids = positions.map(({ petId }) => petId);
  const given = integerList(ids);
  const isRemoved = filter.states.includes('removed');
  const read = new Map(yield* all(isRemoved ? REMOVED : PRESENT, given));
  const pictures = Map.groupBy(
    yield* all(isRemoved ? REMOVED_PHOTOS : PHOTOS_OF, given),
    (photo) => photo.petId,
  );
  const stays = yield* staysOf(ids);
  // PostgreSQL may have removed one since its position was read.
  const items = ids.flatMap((petId): Animal[] => {
    const animal = read.get(petId);
    const rest = { photo: pictures.get(petId)?.[0], stay: stays.get(petId)?.at(-1) };
    return animal === undefined ? [] : [{ ...animal, ...rest }];
  });
  return { items, next: found.length > limit ? positions.at(-1) : undefined };
}

function* count(filter: AnimalFilter): Work<number> {
  const parameters = new Parameters();
  // All who have the words are found by their index, as many as they are.
  const found = filter.words === undefined ? yield* fewBy(filter) : foundBy(filter)[0];
  const from =
    found === undefined
      ? sql`FROM ${COVERED} WHERE ${every(conditionsOf(filter, parameters))}`
      : fromIndex(found, parameters);
  return yield* only(query(countOf, sql`SELECT count(*) AS n ${from}`), ...parameters.values);
}

const COVERED: Sql = { sqlite: 'animals INDEXED BY animals_by_name', postgres: 'animals' };
const CARES = HELD_CARES.map((care) => `'${care}'`).join(', ');
/** Available animals, without those that are held: of these there is an index. */
const ADOPTABLE = query(
  countOf,
  sql`SELECT (SELECT count(*) FROM animals WHERE status = 'available' AND state = 'here')
    - (SELECT count(*) FROM animals WHERE status = 'available' AND state = 'here' AND care IN (${CARES})
        AND coalesce(care_until, '~') >= CAST($1 AS text)) AS n`,
);

/** The list that staff work with. */
export function createAnimalStorage({ read }: Transactions): AnimalStorage {
  return {
    list: (request) => read(() => list(request)),
    count: (filter) => read(() => count(filter)),
    countAdoptable: (date) => read(() => only(ADOPTABLE, date)),
  };
}
