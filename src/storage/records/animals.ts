import type {
  Animal,
  AnimalFilter,
  AnimalPage,
  AnimalPosition,
  AnimalRequest,
  AnimalSort,
  AnimalStorage,
  AnimalWords,
} from '../../domain/animal.ts';
import { INT64_MAX } from '../../domain/int64.ts';
import type { Pet } from '../../domain/pet.ts';
import { HELD_CARES } from '../../domain/profile.ts';
import type { Value } from '../fields.ts';
import {
  all,
  integerList,
  isIn,
  isTextIn,
  only,
  query,
  type Sql,
  sql,
  type Transactions,
  type Work,
} from '../statements.ts';
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
/** The columns that filters read, each with an index for values that few animals have. */
const FILTERED = {
  states: 'state',
  status: 'status',
  categoryId: 'category_id',
  species: 'species',
  care: 'care',
  published: 'published',
  hasPhoto: 'has_photo',
} as const satisfies Partial<Record<keyof AnimalFilter, string>>;
type Filtered = keyof typeof FILTERED;

const countOf = ({ n }: { readonly n: bigint }) => Number(n);

/** As many animals as are rather sorted than looked for in the order of an index. */
const FEW = 500;

/** The parameter of a search: how SQLite's index of words is asked, the words, and the number that they are. */
function searchOf({ words, joined }: AnimalWords): string {
  const start = (word: string) => `"${word}"*`;
  const together = words.map(start).join(' AND ');
  const asked = joined === undefined ? together : `(${together}) OR ${start(joined)}`;
  return JSON.stringify([asked, words, joined ?? null]);
}
/** How PostgreSQL asks the same: words have neither quotes nor capitals. */
const inPostgres = (asked: string) =>
  `replace(replace(replace(replace(${asked}, '"*', ''':*'), '"', ''''), ' AND ', ' & '), ' OR ', ' | ')`;

/** The conditions of a filter, by what they filter. */
function conditionsOf(filter: AnimalFilter, parameters: Parameters): Map<keyof AnimalFilter, Sql> {
  const take = (value: Value) => parameters.take(value);
  const conditions = new Map<keyof AnimalFilter, Sql>();
  for (const name of Object.keys(FILTERED) as Filtered[]) {
    const [column, wanted] = [FILTERED[name], filter[name]];
    if (wanted === undefined) continue;
    if (typeof wanted === 'boolean') conditions.set(name, sql`${column} = ${take(Number(wanted))}`);
    else if (wanted.length === 1) conditions.set(name, sql`${column} = ${take(wanted[0] ?? null)}`);
    else if (name === 'categoryId') {
      conditions.set(name, sql`${column} ${isIn(take(integerList(filter.categoryId ?? [])))}`);
    } else conditions.set(name, sql`${column} ${isTextIn(take(JSON.stringify(wanted)))}`);
  }
  return conditions;
}

/** The condition that animals are found by words: from their index, or by a look into the text of each. */
function found(words: AnimalWords, parameters: Parameters, isFew: boolean): Sql {
  const parameter = parameters.take(searchOf(words));
  const lite = parameter.replace('$', '?');
  return {
    sqlite: isFew
      ? `derived_animal_words MATCH json_extract(${lite}, '$[0]')`
      : `(NOT EXISTS (SELECT 1 FROM json_each(${lite}, '$[1]')
          WHERE instr(' ' || animals.words, ' ' || value) = 0)
        OR instr(' ' || animals.words, ' ' || json_extract(${lite}, '$[2]')) > 0)`,
    postgres: `array_to_tsvector(string_to_array(words, ' ')) @@ CAST(
      ${inPostgres(`CAST(CAST(${parameter} AS text) AS json) ->> 0`)} AS tsquery)`,
  };
}

/** Where few animals are looked for: from the index of words, or of a value that few have. */
function sourceOf(by: keyof AnimalFilter): Sql {
  if (by === 'words') {
    return {
      sqlite: 'derived_animal_words CROSS JOIN animals ON pet_id = derived_animal_words.rowid',
      postgres: 'animals',
    };
  }
  return {
    sqlite: `animals INDEXED BY animals_of_${FILTERED[by as Filtered]}`,
    postgres: 'animals',
  };
}

/** Returns a part of the filter that few animals pass; undefined if there is none. */
function* fewBy(filter: AnimalFilter): Work<keyof AnimalFilter | undefined> {
  const names = (Object.keys(FILTERED) as Filtered[]).filter((name) => filter[name] !== undefined);
  for (const name of [...(filter.words === undefined ? [] : ['words' as const]), ...names]) {
    const parameters = new Parameters();
    const condition =
      name === 'words'
        ? filter.words && found(filter.words, parameters, true)
        : conditionsOf({ states: [], [name]: filter[name] }, parameters).get(name);
    const from = name === 'words' ? sourceOfWords : sourceOf(name);
    const text = sql`SELECT count(*) AS n FROM (
      SELECT 1 FROM ${from} WHERE ${condition ?? ''} LIMIT ${FEW}) AS few`;
    if ((yield* only(query(countOf, text), ...parameters.values)) < FEW) return name;
  }
  return undefined;
}

const sourceOfWords: Sql = { sqlite: 'derived_animal_words', postgres: 'animals' };

/** Returns the positions of all animals that pass a filter of which a part is rare, sorted. */
function* fewPositions(
  { filter, sort }: AnimalRequest,
  by: keyof AnimalFilter,
): Work<AnimalPosition[]> {
  const parameters = new Parameters();
  const conditions = [...conditionsOf(filter, parameters).values()];
  if (filter.words !== undefined) conditions.push(found(filter.words, parameters, by === 'words'));
  const text = sql`SELECT pet_id AS id, ${KEYS[sort]} AS key FROM ${sourceOf(by)} WHERE ${every(conditions)}`;
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
  const conditions = [...conditionsOf(filter, parameters).values()];
  if (filter.words !== undefined) conditions.push(found(filter.words, parameters, false));
  const order = { table: 'animals', column: KEYS[sort] } as const;
  return positionsAfter(order, after, conditions, parameters, limit);
}

function* positionsOf(request: AnimalRequest, limit: number): Work<AnimalPosition[]> {
  const { filter, sort, after } = request;
  const by = yield* fewBy(filter);
  if (by === undefined) {
    const start = { key: '', petId: sort === 'newest' ? INT64_MAX : 0n };
    return yield* animalsAfter(request, after ?? start, limit);
  }
  const positions = yield* fewPositions(request, by);
  const inOrder = (one: AnimalPosition, other: AnimalPosition) => compare(one, other, sort);
  return sortedAfter(positions, after, inOrder, limit);
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
  const by = yield* fewBy(filter);
  const conditions = [...conditionsOf(filter, parameters).values()];
  if (filter.words !== undefined) conditions.push(found(filter.words, parameters, true));
  const from =
    filter.words !== undefined ? sourceOf('words') : by === undefined ? COVERED : sourceOf(by);
  const text = sql`SELECT count(*) AS n FROM ${from} WHERE ${every(conditions)}`;
  return yield* only(query(countOf, text), ...parameters.values);
}

const COVERED: Sql = { sqlite: 'animals INDEXED BY animals_by_pet_id', postgres: 'animals' };
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
