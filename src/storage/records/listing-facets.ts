import { BREEDS_MAX, type BreedCount, type ListingGroup } from '../../domain/facets.ts';
import { COMPANIONS, childAgesFrom, type ListingFilter } from '../../domain/listing-filter.ts';
import type { PetStatus } from '../../domain/pet.ts';
import { type AgeGroup, groupBounds } from '../../domain/profile.ts';
import { numberOrNull } from '../fields.ts';
import { sql, type Work } from '../statements.ts';
import { BY_VALUE, conditionsOf, every, Parameters } from './listing-conditions.ts';

/** A row of the numbers of listings that have the same values. */
interface GroupRow {
  readonly dogs: bigint;
  readonly cats: bigint;
  readonly child_age: bigint | null;
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
  const childAge = numberOrNull(row.child_age);
  const holds = { dogs: row.dogs > 0n, cats: row.cats > 0n, children: childAge === 0 };
  const values = {
    species: [row.species],
    sex: known(row.sex),
    size: known(row.size),
    status: [row.status],
    categoryId: [row.category_id],
    goodWith: COMPANIONS.filter((companion) => holds[companion]),
    children: childAgesFrom(childAge),
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
const GROUPED = 'species, sex, size, status, category_id, dogs, cats, child_age, age_group';

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

const breedCount = (row: { readonly breed: string; readonly listings: bigint }): BreedCount => ({
  breed: row.breed,
  listings: Number(row.listings),
});

export function breeds(filter: ListingFilter, at: number): Work<BreedCount[]> {
  const parameters = new Parameters();
  const others = conditionsOf({ ...filter, breed: undefined }, at, parameters, false);
  const text = sql`SELECT breed_name AS breed, count(*) AS listings FROM listings
    WHERE ${every([sql`breed_name IS NOT NULL`, ...others])}
    GROUP BY breed_name ORDER BY count(*) DESC, breed_name LIMIT ${BREEDS_MAX}`;
  return text.as(breedCount).all(...parameters.values);
}
