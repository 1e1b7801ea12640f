import type { ListingFilter } from '../../domain/listing.ts';
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
export const isFound = (words: string): Sql => ({
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

/** The conditions of a filter. */
export function conditionsOf(
  filter: ListingFilter,
  at: number,
  parameters: Parameters,
  few: boolean,
): Sql[] {
  const { species, sex, size, status, categoryId, goodWith = [], words = [] } = filter;
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
    ...goodWith.map((companion) => sql`${companion} = 1`),
    ...(categoryId === undefined ? [] : [sql`category_id ${isIn(take(integerList(categoryId)))}`]),
    ...(words.length === 0 ? [] : [hasWords(take(JSON.stringify(words)), few)]),
  ];
}

/** Returns where `conditionsOf` finds few listings. */
export function sourceOf({ words = [] }: ListingFilter): Sql {
  return words.length > 0 ? SEARCHED : { sqlite: 'listings', postgres: 'listings' };
}

/** All of these conditions. */
export function every(conditions: readonly Sql[]): Sql {
  return conditions.reduce((before, condition) => sql`${before} AND ${condition}`);
}
