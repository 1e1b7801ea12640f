import { BREEDS_MAX, type BreedCount, type ListingGroup } from '../../domain/facets.ts';
import { COMPANIONS, childAgesFrom, type ListingFilter } from '../../domain/listing-filter.ts';
import type { PetStatus } from '../../domain/pet.ts';
import { type AgeGroup, groupBounds } from '../../domain/profile.ts';
import { fieldsOf, number, numberOrNull, plain } from '../fields.ts';
import { sql, type Work } from '../statements.ts';
import { BY_VALUE, conditionsOf, every, Parameters } from './listing-conditions.ts';

/** Values of listings. */
const VALUES = fieldsOf({
  species: plain<string>(),
  sex: plain<string | null>(),
  size: plain<string | null>(),
  status: plain<PetStatus>(),
  categoryId: plain<bigint>(),
  dogs: number,
  cats: number,
  childAge: numberOrNull,
  /** Only without a birth date. */
  ageGroup: plain<AgeGroup | null>(),
});
/** How many listings have them; with a birth date, and of those at most babies, young or adult. */
const COUNTS = fieldsOf({
  n: number,
  born: number,
  babies: number,
  youths: number,
  adults: number,
});

/** Returns the groups of a row: one for each age group, and one of unknown ages. */
function groupsOf(row: object): ListingGroup[] {
  const known = (value: string | null) => (value === null ? [] : [value]);
  const { species, sex, size, status, categoryId, dogs, cats, childAge, ageGroup } = VALUES.of(row);
  const holds = { dogs: dogs > 0, cats: cats > 0, children: childAge === 0 };
  const values = {
    species: [species],
    sex: known(sex),
    size: known(size),
    status: [status],
    categoryId: [categoryId],
    goodWith: COMPANIONS.filter((companion) => holds[companion]),
    children: childAgesFrom(childAge),
  };
  const { n, born, babies, youths, adults } = COUNTS.of(row);
  const counts: [string | null, number][] = [
    [ageGroup, n - born],
    ['baby', babies],
    ['young', youths - babies],
    ['adult', adults - youths],
    ['senior', born - adults],
  ];
  return counts
    .filter(([, count]) => count > 0)
    .map(([age, count]) => ({ count, values: { ...values, ageGroup: known(age) } }));
}

/** In the order of an index, so that SQLite counts without sorting. Without an order, PostgreSQL has one by chance. */
const GROUPED = VALUES.columns;

export function* groups(
  { words, breed }: Pick<ListingFilter, 'words' | 'breed'>,
  at: number,
): Work<readonly ListingGroup[]> {
  const parameters = new Parameters();
  const [babies = '', youths = '', adults = ''] = groupBounds(at).map(([, bound]) =>
    parameters.take(bound),
  );
  const after = (bound: string) => `count(*) FILTER (WHERE birth_date > CAST(${bound} AS text))`;
  const conditions = conditionsOf({ words, breed }, at, parameters, false);
  const where = conditions.length === 0 ? '' : sql`WHERE ${every(conditions)}`;
  const text = sql`SELECT ${GROUPED}, count(*) AS n, count(birth_date) AS born,
      ${after(babies)} AS babies, ${after(youths)} AS youths, ${after(adults)} AS adults
    FROM ${BY_VALUE} ${where} GROUP BY ${GROUPED} ORDER BY ${GROUPED}`;
  return (yield* text.as(groupsOf).all(...parameters.values)).flat();
}

const BREED = fieldsOf({ breed: plain<string>(), listings: number });

export function breeds(filter: ListingFilter, at: number): Work<BreedCount[]> {
  const parameters = new Parameters();
  const others = conditionsOf({ ...filter, breed: undefined }, at, parameters, false);
  const text = sql`SELECT breed_name AS breed, count(*) AS listings FROM listings
    WHERE ${every([sql`breed_name IS NOT NULL`, ...others])}
    GROUP BY breed_name ORDER BY count(*) DESC, breed_name LIMIT ${BREEDS_MAX}`;
  return text.as(BREED).all(...parameters.values);
}
