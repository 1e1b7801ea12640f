import {
  type AnimalKind,
  type AskedWord,
  CHILD_YEARS,
  type Companion,
  type ListingFilter,
} from '../../domain/listing-filter.ts';
import { groupBounds } from '../../domain/profile.ts';
import type { Value } from '../fields.ts';
import { integerList, isIn, isTextIn, type Sql, sql } from '../statements.ts';

/** A statement in the making: the values of its parameters. */
export class Parameters {
  readonly values: Value[] = [];

  /** Takes a value and returns its parameter. */
  take(value: Value): string {
    return `$${this.values.push(value)}`;
  }
}

/** The age group of a row on the day of a time. */
function ageGroup(parameters: Parameters, at: number): string {
  const born = groupBounds(at).map(
    ([group, bound]) => `WHEN birth_date > CAST(${parameters.take(bound)} AS text) THEN '${group}'`,
  );
  return `CASE WHEN birth_date IS NULL THEN age_group ${born.join(' ')} ELSE 'senior' END`;
}

/** The words of a parameter, which is a JSON array, as PostgreSQL searches for words that start with them. */
const postgresSearch = (words: string) =>
  `array_to_tsvector(string_to_array(words, ' ')) @@ CAST(
    (SELECT string_agg(quote_literal(value) || ':*', ' & ')
     FROM json_array_elements_text(CAST(CAST(${words} AS text) AS json))) AS tsquery)`;

/** The same for SQLite's index of words. */
const sqliteSearch = (words: string) =>
  `derived_listing_words MATCH (SELECT group_concat('"' || value || '"*', ' AND ')
    FROM json_each(${words.replace('$', '?')}))`;

/** The condition that a listing has words that start with these. */
const isFound = (words: string): Sql => ({
  sqlite: `pet_id IN (SELECT rowid FROM derived_listing_words WHERE ${sqliteSearch(words)})`,
  postgres: postgresSearch(words),
});

/**
 * The same where listings are few, so that SQLite starts from its index of words (`SEARCHED`), or many,
 * so that it looks into their texts.
 */
const hasWords = (words: string, few: boolean): Sql => ({
  sqlite: few
    ? sqliteSearch(words)
    : `NOT EXISTS (SELECT 1 FROM json_each(${words.replace('$', '?')})
        WHERE instr(' ' || listings.words, ' ' || value) = 0)`,
  postgres: postgresSearch(words),
});

/** The condition that a column has a text. Both are text. */
const contains = (column: string, text: string): Sql => ({
  sqlite: `instr(${column}, ${text.replace('$', '?')}) > 0`,
  postgres: `position(CAST(${text} AS text) IN ${column}) > 0`,
});

/** The words of a filter: those that stand in texts alone, and those that also mean a kind of animal. */
function wordsOf({ words = [] }: ListingFilter) {
  const plain = words.filter(({ kinds }) => kinds === undefined).map(({ text }) => text);
  return { plain, telling: words.filter(({ kinds }) => kinds !== undefined) };
}

/** The condition that an animal is one of these kinds. */
function isKind(kinds: readonly AnimalKind[], at: number, parameters: Parameters): Sql {
  return either(
    kinds.map(({ species, sex, size, ageGroup: age }) =>
      every([
        ...(species === undefined ? [] : [sql`species = ${parameters.take(species)}`]),
        ...(sex === undefined ? [] : [sql`sex = ${parameters.take(sex)}`]),
        ...(size === undefined ? [] : [sql`size = ${parameters.take(size)}`]),
        ...(age === undefined ? [] : [sql`${ageGroup(parameters, at)} = ${parameters.take(age)}`]),
      ]),
    ),
  );
}

/** The conditions of the words that also mean a kind of animal. */
function tellingConditions(filter: ListingFilter, at: number, parameters: Parameters): Sql[] {
  return wordsOf(filter).telling.map(({ text, kinds = [] }) =>
    either([isKind(kinds, at, parameters), isFound(parameters.take(JSON.stringify([text])))]),
  );
}

/**
 * How well a listing fits the words: 0 if each says what it is, or is a whole word of its name or breed; 1 if each
 * is a whole word of its texts at least; else 2.
 */
export function rankOf(words: readonly AskedWord[], at: number, parameters: Parameters): Sql {
  const fits = words.map(({ text, kinds }) => {
    const whole = parameters.take(` ${text} `);
    const best = either([
      ...(kinds === undefined ? [] : [isKind(kinds, at, parameters)]),
      contains("' ' || name || ' '", whole),
      contains("' ' || breed || ' '", whole),
    ]);
    return { best, good: either([best, contains("' ' || listings.words || ' '", whole)]) };
  });
  return sql`CASE WHEN ${every(fits.map(({ best }) => best))} THEN 0
    WHEN ${every(fits.map(({ good }) => good))} THEN 1 ELSE 2 END`;
}

/** The listings that the index of words finds. */
const SEARCHED: Sql = {
  sqlite: 'derived_listing_words CROSS JOIN listings ON pet_id = derived_listing_words.rowid',
  postgres: 'listings',
};

/** The listings in the order in which they are counted, for SQLite. */
export const BY_VALUE: Sql = {
  sqlite: 'listings INDEXED BY listings_by_value',
  postgres: 'listings',
};

/** Whether an animal gets on with somebody, as a condition. */
const COMPANION: Readonly<Record<Companion, string>> = {
  dogs: 'dogs = 1',
  cats: 'cats = 1',
  children: 'child_age = 0',
};

/** The conditions of a filter. */
export function conditionsOf(
  filter: ListingFilter,
  at: number,
  parameters: Parameters,
  few: boolean,
): Sql[] {
  const { species, sex, size, status, categoryId, goodWith = [], children, breed = [] } = filter;
  const { plain } = wordsOf(filter);
  const take = (value: Value) => parameters.take(value);

  function oneOf(expression: () => string, values: readonly string[] | undefined): Sql[] {
    if (values === undefined) return [];
    const [value = '', ...more] = values;
    // The most common filter, without a list to look up.
    if (more.length === 0) return [sql`${expression()} = ${take(value)}`];
    return [sql`${expression()} ${isTextIn(take(JSON.stringify(values)))}`];
  }

  return [
    ...oneOf(() => 'species', species),
    ...oneOf(() => 'sex', sex),
    ...oneOf(() => 'size', size),
    ...oneOf(() => 'status', status),
    ...oneOf(() => ageGroup(parameters, at), filter.ageGroup),
    ...goodWith.map((companion) => sql`${COMPANION[companion]}`),
    ...(children === undefined
      ? []
      : [sql`child_age <= ${take(Math.max(...children.map((age) => CHILD_YEARS[age])))}`]),
    ...breed.map((word) => contains("' ' || breed", take(` ${word}`))),
    ...(categoryId === undefined ? [] : [sql`category_id ${isIn(take(integerList(categoryId)))}`]),
    ...(plain.length === 0 ? [] : [hasWords(take(JSON.stringify(plain)), few)]),
    ...tellingConditions(filter, at, parameters),
  ];
}

/** Returns where `conditionsOf` finds few listings. */
export function sourceOf(filter: ListingFilter): Sql {
  return wordsOf(filter).plain.length > 0 ? SEARCHED : { sqlite: 'listings', postgres: 'listings' };
}

/** All of these conditions. */
export function every(conditions: readonly Sql[]): Sql {
  return conditions.reduce((before, condition) => sql`${before} AND ${condition}`);
}

/** Any of these conditions, in brackets. */
function either(conditions: readonly Sql[]): Sql {
  return sql`(${conditions.reduce((before, condition) => sql`${before} OR ${condition}`)})`;
}
