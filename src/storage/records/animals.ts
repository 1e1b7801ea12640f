import type {
  Animal,
  AnimalFilter,
  AnimalPage,
  AnimalPosition,
  AnimalRequest,
  AnimalSort,
  AnimalStorage,
} from '../../domain/animal.ts';
import { type AnimalWords, areFound } from '../../domain/animal-words.ts';
import { INT64_MAX } from '../../domain/int64.ts';
import { integerList, isIn, type Sql, sql, type Transactions, type Work } from '../statements.ts';
import { conditionsOf, type Found, foundBy, idsByWords, isCovered } from './animal-conditions.ts';
import { createAnimalCounts } from './animal-counts.ts';
import { PRESENT_ANIMALS, REMOVED_ANIMALS, type SourceRow } from './animal-rows.ts';
import { every, Parameters } from './listing-conditions.ts';
import { PHOTO_COLUMNS } from './pet-rows.ts';
import { FIRST_PHOTOS, photoOf } from './photos.ts';
import { positionOf, positionsAfter, sortedAfter } from './positions.ts';
import { profiledOf } from './profile-rows.ts';
import { staysOf } from './stay-rows.ts';

/** What each order sorts by before the id. */
const KEYS: Readonly<Record<AnimalSort, string>> = {
  newest: 'pet_id',
  name: 'name',
  waiting: 'since',
  location: 'location',
};

/** Fewer animals than this are read and sorted, instead of searched in the order of an index. */
const FEW = 500;

/** Returns how to find the animals by a condition that few of them meet; undefined if there is none. */
function* fewBy(filter: AnimalFilter, asked: AnimalWords | undefined): Work<Found | undefined> {
  if (asked !== undefined) {
    const parameters = new Parameters();
    const text = sql`SELECT id FROM (${idsByWords(asked, parameters)}) AS found LIMIT ${FEW}`;
    const ids = yield* text.value<bigint>().all(...parameters.values);
    if (ids.length < FEW) return (parameters) => isOneOf(ids, parameters);
  }
  const ways = foundBy(filter);
  if (ways.length === 0) return undefined;
  const parameters = new Parameters();
  const isFew = ways.map(
    (ids, n) => sql`WHEN (SELECT 1 FROM (${ids(parameters)}) AS found
      LIMIT 1 OFFSET ${FEW - 1}) IS NULL THEN ${n}`,
  );
  const text = sql`SELECT CASE ${isFew.reduce((one, next) => sql`${one} ${next}`)} END AS n`;
  return ways[
    yield* text
      .value((n: bigint | number | null) => (n === null ? -1 : Number(n)))
      .only(...parameters.values)
  ];
}

const isOneOf = (ids: readonly bigint[], parameters: Parameters) =>
  sql`SELECT pet_id AS id FROM animals WHERE pet_id ${isIn(parameters.take(integerList(ids)))}`;

/** Animals found by an index that pass the whole filter. PostgreSQL chooses its own plan. */
function fromIndex(ids: Found, filter: AnimalFilter, parameters: Parameters): Sql {
  const join: Sql = { sqlite: 'CROSS JOIN', postgres: 'JOIN' };
  return sql`FROM (${ids(parameters)}) AS found ${join} animals ON pet_id = found.id
    WHERE ${every(conditionsOf(filter, parameters))}`;
}

/** Returns the positions of all animals that were found, sorted. */
function* sortedPositions(
  sort: AnimalSort,
  filter: AnimalFilter,
  found: Found,
): Work<AnimalPosition[]> {
  const parameters = new Parameters();
  const from = fromIndex(found, filter, parameters);
  const text = sql`SELECT pet_id AS id, ${KEYS[sort]} AS key ${from}`;
  const positions = yield* text.as(positionOf).all(...parameters.values);
  return positions.sort((one, other) => compare(one, other, sort));
}

/** Compares as the database does: text by its bytes. */
function compare(one: AnimalPosition, other: AnimalPosition, sort: AnimalSort): number {
  if (sort === 'newest') return Number(other.petId - one.petId);
  const order = Buffer.compare(Buffer.from(one.key), Buffer.from(other.key));
  return order || Number(one.petId - other.petId);
}

/**
 * Returns the positions of the animals after one. An index has their order and the values of most filters. For other
 * filters, reading rows in that order costs more than reading all of them and sorting.
 */
function animalsAfter(
  { filter, sort }: AnimalRequest,
  after: AnimalPosition,
  limit: number,
  { reads, among }: { readonly reads?: 'words'; readonly among?: number } = {},
) {
  const parameters = new Parameters();
  const conditions = conditionsOf(filter, parameters);
  const isScan = among === undefined && !isCovered(filter, sort);
  const order = { table: 'animals', column: KEYS[sort], reads, isScan, among } as const;
  return positionsAfter(order, after, conditions, parameters, limit);
}

/** The number of animals checked for words at a time, before using the index of words, which reads all matches. */
const SOON = 150;
/** The most animals that are checked in this way. */
const SOON_MAX = 10 * SOON;

const WORDS = { reads: 'words' } as const;

/**
 * Returns the next animals if many match words or dates, for which the order has no index. Otherwise it may return the
 * words to look up in the index of words.
 */
function* soonFound(
  request: AnimalRequest,
  start: AnimalPosition,
  limit: number,
): Work<readonly [AnimalPosition[] | undefined, SortedWords?]> {
  const { words: sought, ...filter } = request.filter;
  if (!isCovered(filter, request.sort)) {
    const near = yield* animalsAfter(request, start, limit, { among: SOON_MAX });
    return [near.length < limit ? undefined : near];
  }
  if (sought === undefined) return [undefined];
  const soon: AnimalPosition[] = [];
  const seen: string[] = [];
  let after: AnimalPosition | undefined = start;
  for (let read = 0; read < SOON_MAX && after !== undefined; read += SOON) {
    const next: Sought[] = yield* animalsAfter({ ...request, filter }, after, SOON, WORDS);
    soon.push(...next.filter(({ words = '' }) => areFound(sought, words)));
    if (soon.length >= limit || next.length < SOON) return [soon];
    seen.push(...next.map(({ words = '' }) => words));
    if (soon.length === 0) break;
    after = next.at(-1);
  }
  return [undefined, sortedWords(sought, seen)];
}
type Sought = AnimalPosition & { readonly words?: string | undefined };

/** Words, the rarest first, and those to look up in the index of words, which reads all animals that have them. */
interface SortedWords {
  readonly words: AnimalWords;
  readonly asked: AnimalWords;
}
/** A word is frequent if more than one animal in ten has it. */
const MANY_PART = 10;
const ASKED_WORDS = 2;

/** Sorts words by how many of some animals have them. */
function sortedWords({ words, joined }: AnimalWords, seen: readonly string[]): SortedWords {
  const texts = seen.map((known) => ` ${known}`);
  const sorted = words
    .map((word) => ({ word, n: texts.filter((text) => text.includes(` ${word}`)).length }))
    .sort((one, other) => one.n - other.n || other.word.length - one.word.length);
  const all = sorted.map(({ word }) => word);
  const rare = sorted.filter(({ n }) => n * MANY_PART < seen.length).length;
  const asked = rare === 0 ? all : all.slice(0, Math.min(rare, ASKED_WORDS));
  return { words: { words: all, joined }, asked: { words: asked, joined } };
}

/** The next positions of a list, and how many it has if that is known by then. */
function* positionsOf(
  request: AnimalRequest,
  limit: number,
): Work<readonly [AnimalPosition[], number?]> {
  const { sort } = request;
  const { after = { key: '', petId: sort === 'newest' ? INT64_MAX : 0n } } = request;
  const [soon, sorted] = yield* soonFound(request, after, limit);
  if (soon !== undefined) return [soon];
  const filter = { ...request.filter, words: sorted?.words ?? request.filter.words };
  const found = yield* fewBy(filter, sorted?.asked);
  if (found === undefined) return [yield* animalsAfter({ ...request, filter }, after, limit)];
  const positions = yield* sortedPositions(sort, filter, found);
  const inOrder = (one: AnimalPosition, other: AnimalPosition) => compare(one, other, sort);
  return [sortedAfter(positions, request.after, inOrder, limit), positions.length];
}

const animalOf = (isRemoved: boolean) => (row: SourceRow) => {
  const { pet, profile, externalId } = profiledOf(row);
  return [pet.id, { pet, profile, externalId: externalId ?? undefined, isRemoved }] as const;
};
const PRESENT = PRESENT_ANIMALS.as(animalOf(false));
const REMOVED = REMOVED_ANIMALS.as(animalOf(true));
const REMOVED_PHOTOS = sql`SELECT photo_id AS id, ${PHOTO_COLUMNS} FROM removed_photos
    WHERE pet_id ${isIn('$1')} AND position = 1`.as(photoOf);

function* list(request: AnimalRequest): Work<AnimalPage> {
  const { limit, filter } = request;
  const [found, count] = yield* positionsOf(request, limit + 1);
  const positions = found.slice(0, limit);
  const ids = positions.map(({ petId }) => petId);
  const given = integerList(ids);
  const isRemoved = filter.states.includes('removed');
  const read = new Map(yield* (isRemoved ? REMOVED : PRESENT).all(given));
  const pictures = yield* (isRemoved ? REMOVED_PHOTOS : FIRST_PHOTOS).all(given);
  const firstOf = new Map(pictures.map((photo) => [photo.petId, photo]));
  const stays = yield* staysOf(ids);
  // PostgreSQL may have removed one since its position was read.
  const items = ids.flatMap((petId): Animal[] => {
    const animal = read.get(petId);
    const rest = { photo: firstOf.get(petId), stay: stays.get(petId)?.at(-1) };
    return animal === undefined ? [] : [{ ...animal, ...rest }];
  });
  return { items, next: found.length > limit ? positions.at(-1) : undefined, count };
}

/** The list that staff work with. */
export function createAnimalStorage({ read, search }: Transactions): AnimalStorage {
  return {
    list: (request) => (request.filter.words ? search : read)(() => list(request)),
    ...createAnimalCounts({ read }),
  };
}
