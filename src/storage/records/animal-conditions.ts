import type { AnimalFilter, AnimalSort } from '../../domain/animal.ts';
import type { AnimalWords } from '../../domain/animal-words.ts';
import { LISTED_CARES } from '../../domain/listing.ts';
import type { Value } from '../fields.ts';
import { integerList, isIn, isTextIn, type Sql, sql } from '../statements.ts';
import type { Parameters } from './listing-conditions.ts';

/** The columns that filters read. */
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
const NAMES = Object.keys(FILTERED) as Filtered[];

export const isHere = ({ states }: AnimalFilter) => states.length === 1 && states[0] === 'here';

/**
 * The partial index with the animals of a part of a filter, and the condition of that index. A new animal is only in the
 * index of animals that are here, so that adding one stays cheap.
 */
const INDEXES: Readonly<
  Record<Exclude<Filtered, 'categoryId'>, (filter: AnimalFilter) => readonly string[]>
> = {
  states: (filter) => {
    if (isHere(filter)) return ['here', "state = 'here'"];
    return filter.states.includes('here') ? [] : ['gone', "state <> 'here'"];
  },
  status: ({ status }) =>
    status?.includes('available') ? [] : ['of_status', "status <> 'available'"],
  species: () => ['of_species', 'species IS NOT NULL'],
  care: () => ['of_care', 'care IS NOT NULL'],
  published: (filter) => {
    if (filter.published) return ['published', 'published = 1'];
    return isHere(filter) ? ['here', "state = 'here'"] : [];
  },
  hasPhoto: (filter) => {
    if (filter.hasPhoto) return ['with_photo', 'has_photo = 1'];
    return isHere(filter) ? ['here', "state = 'here' AND published IN (0, 1)"] : [];
  },
};

/** The parameter of a search: the query of SQLite's index of words, the words, and the number that they make up. */
function searchOf({ words, joined }: AnimalWords): string {
  const start = (word: string) => `"${word}"*`;
  const together = words.map(start).join(' AND ');
  const asked = joined === undefined ? together : `(${together}) OR ${start(joined)}`;
  return JSON.stringify([asked, words, joined ?? null]);
}
/** The same query for PostgreSQL: words have neither quotes nor capitals. */
const inPostgres = (asked: string) =>
  `replace(replace(replace(replace(${asked}, '"*', ''':*'), '"', ''''), ' AND ', ' & '), ' OR ', ' | ')`;

/** Up to this many words are compared one by one, which is quicker. */
const NAMED_WORDS = 12;

/** The condition that an animal has words; SQLite looks into its text, PostgreSQL may ask its index. */
function hasWords({ words, joined }: AnimalWords, asked: string): Sql {
  const lite = asked.replace('$', '?');
  const has = (word: string) => `instr(' ' || animals.words, ' ' || ${word}) > 0`;
  const each = words
    .slice(0, NAMED_WORDS)
    .map((_, n) => has(`json_extract(${lite}, '$[1][${n}]')`));
  if (words.length > NAMED_WORDS) {
    each.push(`NOT EXISTS (SELECT 1 FROM json_each(${lite}, '$[1]') WHERE NOT ${has('value')})`);
  }
  const sqlite = each.join(' AND ');
  return {
    sqlite:
      joined === undefined ? sqlite : `(${sqlite} OR ${has(`json_extract(${lite}, '$[2]')`)})`,
    postgres: `array_to_tsvector(string_to_array(words, ' ')) @@ CAST(
      ${inPostgres(`CAST(CAST(${asked} AS text) AS json) ->> 0`)} AS tsquery)`,
  };
}

/** The ids of the animals that have words. SQLite's index of words may not have the newest ones yet. */
export function idsByWords(words: AnimalWords, parameters: Parameters): Sql {
  const asked = parameters.take(searchOf(words));
  const { sqlite, postgres } = hasWords(words, asked);
  return {
    sqlite: `SELECT rowid AS id FROM derived_animal_words
      WHERE derived_animal_words MATCH json_extract(${asked.replace('$', '?')}, '$[0]')
      UNION ALL SELECT pet_id FROM animals
      WHERE pet_id > (SELECT indexed_to FROM derived_animal_words_state) AND ${sqlite}`,
    postgres: `SELECT pet_id AS id FROM animals WHERE ${postgres}`,
  };
}

/** The condition that an animal has one of the wanted values of a column. */
function conditionOf(name: Filtered, filter: Partial<AnimalFilter>, parameters: Parameters): Sql {
  const [column, wanted] = [FILTERED[name], filter[name] ?? []];
  const take = (value: Value) => parameters.take(value);
  if (typeof wanted === 'boolean') return sql`${column} = ${take(Number(wanted))}`;
  if (wanted.length === 1) return sql`${column} = ${take(wanted[0] ?? null)}`;
  return name === 'categoryId'
    ? sql`${column} ${isIn(take(integerList(filter.categoryId ?? [])))}`
    : sql`${column} ${isTextIn(take(JSON.stringify(wanted)))}`;
}

const wantedIn = (filter: Partial<AnimalFilter>) =>
  NAMES.filter((name) => filter[name] !== undefined);

/** The animals that the public sees: `isListed` in SQL. */
const LISTED = `state = 'here' AND published = 1 AND species IS NOT NULL
  AND coalesce(care, 'shelter') IN (${LISTED_CARES.map((care) => `'${care ?? 'shelter'}'`).join(', ')})`;

/** The conditions that only the list of work uses. */
function unindexed(
  { listed, inCareSince, careUntil }: Partial<AnimalFilter>,
  parameters: Parameters,
): Sql[] {
  const upTo = (column: string, date: string | undefined) =>
    date === undefined ? [] : [sql`${column} <= CAST(${parameters.take(date)} AS text)`];
  return [
    ...(listed ? [sql`${LISTED}`] : []),
    ...upTo('since', inCareSince),
    ...upTo('care_until', careUntil),
  ];
}

/** Whether the index that has an order also has all that a filter reads; `sort` is undefined to count. */
export function isCovered(
  { words, inCareSince, careUntil }: AnimalFilter,
  sort: AnimalSort | undefined,
): boolean {
  if (words !== undefined || careUntil !== undefined) return false;
  return inCareSince === undefined || sort === 'waiting';
}

/** The conditions of a filter, without an index. */
export function conditionsOf(filter: Partial<AnimalFilter>, parameters: Parameters): Sql[] {
  const conditions = [
    ...wantedIn(filter).map((name) => conditionOf(name, filter, parameters)),
    ...unindexed(filter, parameters),
  ];
  return filter.words === undefined
    ? conditions
    : [...conditions, hasWords(filter.words, parameters.take(searchOf(filter.words)))];
}

/** Selects the `id` of the animals that pass a part of a filter, by an index. */
export type Found = (parameters: Parameters) => Sql;

/** The indexes from which the animals of a filter can be found. */
export function foundBy(filter: AnimalFilter): Found[] {
  return wantedIn(filter).flatMap((name): Found[] => {
    const from = indexedBy(name, filter);
    if (from === undefined) return [];
    // The condition of the index is the filter, so no row has to be looked at.
    if (name === 'states' && isHere(filter)) return [() => from];
    return [(parameters) => sql`${from} AND ${conditionOf(name, filter, parameters)}`];
  });
}

/** The statement that a part's condition is added to; undefined if no index has its animals. */
function indexedBy(name: Filtered, filter: AnimalFilter): Sql | undefined {
  if (name === 'categoryId') {
    // Removed animals are not in `pets`.
    return filter.states.includes('removed') ? undefined : sql`SELECT id FROM pets WHERE TRUE`;
  }
  const [index, granted] = INDEXES[name](filter);
  if (index === undefined || granted === undefined) return undefined;
  const table: Sql = { sqlite: `animals INDEXED BY animals_${index}`, postgres: 'animals' };
  return sql`SELECT pet_id AS id FROM ${table} WHERE ${granted}`;
}
