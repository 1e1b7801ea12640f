import * as z from 'zod';
import {
  ANIMAL_SORTS,
  type Animal,
  type AnimalFilter,
  type AnimalPosition,
  type AnimalSort,
  type AnimalState,
} from '../../domain/animal.ts';
import { wordsSought } from '../../domain/animal-words.ts';
import { int64FromText } from '../../domain/int64.ts';
import { isListed } from '../../domain/listing.ts';
import { NAME_PATTERN } from '../../domain/name.ts';
import { PAGE_LIMIT_DEFAULT } from '../../domain/page.ts';
import { PET_STATUSES } from '../../domain/pet.ts';
import { CARES, PROFILE_FIELD_NAMES, profileAt, SPECIES } from '../../domain/profile.ts';
import type { Storage } from '../../domain/storage.ts';
import { csvInQuery, csvLine, csvResult, wantsCsv } from '../contract/csv.ts';
import {
  invalidCursor,
  keyedCursorInQuery,
  limitInQuery,
  listName,
  openCursor,
  pageLinks,
  pageOf,
  queryPairs,
  sealCursor,
} from '../contract/list-page.ts';
import { defineOperation, operationsNamed } from '../contract/operation.ts';
import {
  int64ListInQuery,
  oneOf,
  searchInQuery,
  trueOrFalseInQuery,
  wordsInQuery,
} from '../contract/request-fields.ts';
import { recordOut } from '../contract/response-fields.ts';
import { petSchema, petValue } from './pets.ts';
import { photoSchema, photoValue } from './photo-schemas.ts';
import { EXAMPLE_VALUE as PHOTO } from './photos.ts';
import { dateInQuery } from './profile-fields.ts';
import { CHLOE, EXAMPLE_TIME, profileSchema, profileValue } from './profiles.ts';
import { STAY, staySchema, stayValue } from './stays.ts';

const EXTERNAL_ID_MAX = 255;

const animalSchema = recordOut('Animal', 'What staff see of an animal.', () => ({
  pet: petSchema,
  profile: profileSchema,
  photo: photoSchema.optional().meta({ description: 'Its first photo; absent without any.' }),
  stay: staySchema.optional().meta({ description: 'Its newest stay.' }),
  externalId: z.string().nullable().meta({
    description: 'Its id in the source of an import; null without one.',
    maxLength: EXTERNAL_ID_MAX,
    pattern: NAME_PATTERN,
  }),
  listed: z.boolean().meta({ description: 'Whether the public sees it.' }),
}));

const filters = {
  q: searchInQuery(
    'Only animals with a word that starts with each of these words, in name, number, breed, microchip, place or external id, ignoring case and accents. A microchip may have spaces.',
    'kennel',
  ),
  status: wordsInQuery(PET_STATUSES, 'Only animals with these statuses.', 'PetStatus'),
  categoryId: int64ListInQuery('Only animals of these categories.'),
  species: wordsInQuery(SPECIES, 'Only animals of these species.'),
  care: wordsInQuery(CARES, 'Only animals that are cared for like this.'),
  published: trueOrFalseInQuery('Only animals that are published, or not.'),
  hasPhoto: trueOrFalseInQuery('Only animals with a photo, or without.'),
  listed: oneOf(['true']).optional().meta({
    description: 'With `true`, only animals that the public sees.',
  }),
  inCareSince: dateInQuery(
    'Only animals that have been in care since this day or longer.',
    '2026-09-22',
  ),
  careUntil: dateInQuery(
    'Only animals whose `careUntil` is this day or an earlier one.',
    '2026-11-21',
  ),
  present: oneOf(['true', 'false', 'any']).optional().meta({
    description: '`true`, the default: only animals that are here; `false`: those that have left.',
  }),
  removed: oneOf(['true']).optional().meta({
    description:
      'With `true`, the animals that were removed within 30 days, whatever `present` says.',
  }),
};
const animalQuery = z.object({
  ...filters,
  sort: oneOf(ANIMAL_SORTS).optional().meta({
    description:
      '`newest`, the default: added last; by `name`; `waiting`: the longest in care first; by `location`, those without a place last.',
  }),
  limit: limitInQuery,
  cursor: keyedCursorInQuery,
  total: trueOrFalseInQuery('With `true`, `X-Total-Count` says how many animals pass the filters.'),
  ...csvInQuery,
});
type AnimalQuery = z.output<typeof animalQuery>;

const flag = (text: 'true' | 'false' | undefined) =>
  text === undefined ? undefined : text === 'true';

function statesOf({ present = 'true', removed }: AnimalQuery): AnimalState[] {
  if (removed === 'true') return ['removed'];
  if (present === 'any') return ['here', 'left'];
  return [present === 'true' ? 'here' : 'left'];
}

/** The filter of a query; undefined if no animal can pass it. */
function filterOf(query: AnimalQuery): AnimalFilter | undefined {
  const { status, categoryId, species, care, published, hasPhoto, q } = query;
  const { listed, inCareSince, careUntil } = query;
  const words = q === undefined ? undefined : wordsSought(q);
  if (q !== undefined && words === undefined) return undefined;
  return {
    ...{ states: statesOf(query), status, categoryId, species, care, words },
    ...{ published: flag(published), hasPhoto: flag(hasPhoto), inCareSince, careUntil },
    ...(listed === 'true' && { listed: true }),
  };
}

/** What cursors hold: an id, and a key without control characters. */
const POSITION = /^(?<id>\d{1,19}) (?<key>\P{Cc}*)$/u;

function positionIn(cursor: string | undefined, list: string): AnimalPosition | undefined {
  if (cursor === undefined) return undefined;
  const { id = '', key = '' } = POSITION.exec(openCursor(cursor, list))?.groups ?? {};
  const petId = int64FromText(id);
  if (petId === undefined) throw invalidCursor();
  return { petId, key };
}

function animalValue(
  { pet, profile, photo, stay, externalId, isRemoved }: Animal,
  at: number,
  baseUrl: string,
) {
  return {
    pet: petValue(pet),
    profile: profileValue(profile, at, true),
    photo: photo && photoValue(photo, baseUrl),
    stay: stay && stayValue(stay),
    externalId: externalId ?? null,
    listed: !isRemoved && isListed(pet, profile),
  };
}

/** The query as a link repeats it, but for the limit. */
function filterTexts(query: AnimalQuery): Record<string, string | undefined> {
  const names = [...Object.keys(filters), 'sort', 'total'] as (keyof AnimalQuery)[];
  return Object.fromEntries(names.map((name) => [name, query[name]?.toString()]));
}

const STAY_COLUMNS = ['intakeDate', 'intakeType', 'outcomeDate', 'outcomeType'] as const;
const COLUMNS = [
  ...['id', 'name', 'category', 'status', 'externalId', 'listed'],
  ...[...STAY_COLUMNS, ...PROFILE_FIELD_NAMES.filter((name) => name !== 'inCareSince')],
];
/** Animals that are read at a time for a file: other requests go on between them. */
const READ_AT_ONCE = 200;

/** Writes all animals of a filter, a line each. */
async function linesOf(
  storage: Pick<Storage, 'animals' | 'categories'>,
  query: AnimalQuery,
  at: number,
): Promise<string[]> {
  const lines = [csvLine(COLUMNS, query)];
  const filter = filterOf(query);
  const sort: AnimalSort = query.sort ?? 'newest';
  const names = new Map<bigint, string | undefined>();
  let after: AnimalPosition | undefined;
  if (filter === undefined) return lines;
  do {
    const page = await storage.animals.list({ filter, sort, after, limit: READ_AT_ONCE });
    for (const animal of page.items) {
      const { categoryId } = animal.pet;
      if (!names.has(categoryId)) {
        names.set(categoryId, (await storage.categories.find(categoryId))?.name);
      }
      lines.push(csvLine(cellsOf(animal, names.get(categoryId), at), query));
    }
    after = page.next;
    await Bun.sleep(0);
  } while (after !== undefined);
  return lines;
}

function cellsOf(animal: Animal, category: string | undefined, at: number): unknown[] {
  const { pet, profile, stay, externalId, isRemoved } = animal;
  const known = profileAt(profile, at);
  const values = PROFILE_FIELD_NAMES.filter((name) => name !== 'inCareSince').map((name) => {
    const value = known[name];
    if (name === 'fee') return known.fee && `${known.fee.amount} ${known.fee.currency}`;
    return Array.isArray(value) ? value.join(', ') : value;
  });
  return [
    ...[pet.id, pet.name, category ?? pet.categoryId, pet.status, externalId],
    ...[!isRemoved && isListed(pet, profile), ...STAY_COLUMNS.map((name) => stay?.[name])],
    ...values,
  ];
}

export const animalOperations = operationsNamed({
  listAnimals: defineOperation({
    method: 'GET',
    path: '/animals',
    access: 'write',
    stability: 'beta',
    tag: 'Animals',
    summary: 'List animals as staff see them',
    description:
      'Lists animals with their profile, first photo and newest stay, private fields included: by default those that are here. Follow the Link header for more pages. Asked for `text/csv`, it returns all animals that pass the filters as one file, in which no cell is a formula.',
    queryParameters: animalQuery,
    success: {
      status: 200,
      description: 'A page of animals.',
      schema: pageOf(animalSchema, 'Animals', 'Animals in the order that was asked for.'),
      example: [
        {
          pet: { id: 28n, name: 'Chloe', categoryId: 1n, status: 'available' },
          profile: profileValue(CHLOE, EXAMPLE_TIME, true),
          ...{ photo: PHOTO, stay: STAY, externalId: 'A761234', listed: true },
        },
      ],
      headers: ['Link', 'ETag', 'X-Total-Count', 'Content-Disposition'],
      csv: csvLine(COLUMNS, {}),
    },
    async handle({ query, client, stamp: { at } }, { storage, baseUrl }) {
      if (wantsCsv(client)) {
        const { headers, ...file } = csvResult(
          await linesOf(storage, query, at),
          query,
          'animals.csv',
        );
        const link = pageLinks(`${baseUrl}/animals`, queryPairs(filterTexts(query)), undefined);
        return { ...file, headers: { ...headers, link } };
      }
      const { sort = 'newest', limit = PAGE_LIMIT_DEFAULT, total } = query;
      const texts = filterTexts(query);
      const { total: _, ...bound } = texts;
      const list = listName('/animals', bound, 'newest');
      const after = positionIn(query.cursor, list);
      const filter = filterOf(query);
      const page =
        filter === undefined
          ? { items: [], next: undefined, count: 0 }
          : await storage.animals.list({ filter, sort, after, limit });
      const next = page.next && `cursor=${sealCursor(`${page.next.petId} ${page.next.key}`, list)}`;
      const pairs = queryPairs({ ...texts, limit: query.limit });
      const counted = async () => page.count ?? (filter ? await storage.animals.count(filter) : 0);
      return {
        value: page.items.map((animal) => animalValue(animal, at, baseUrl)),
        headers: {
          link: pageLinks(`${baseUrl}/animals`, pairs, next),
          ...(total === 'true' && { 'x-total-count': `${await counted()}` }),
        },
      };
    },
  }),
});
