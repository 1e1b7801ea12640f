import type { AnimalFilter, AnimalStorage } from '../../domain/animal.ts';
import { HELD_CARES } from '../../domain/profile.ts';
import { number } from '../fields.ts';
import { type Sql, sql, type Transactions } from '../statements.ts';
import { conditionsOf, isCovered, isHere } from './animal-conditions.ts';
import { every, Parameters } from './listing-conditions.ts';

const COVERED: Sql = { sqlite: 'animals INDEXED BY animals_by_name', postgres: 'animals' };
const HERE: Sql = { sqlite: 'animals INDEXED BY animals_here', postgres: 'animals' };
const SCANNED: Sql = { sqlite: 'animals NOT INDEXED', postgres: 'animals' };
type Condition = (parameters: Parameters) => Sql;
const everyRow: Condition = () => sql`TRUE`;
const here: Condition = () => sql`state = 'here'`;

function countAmong(filter: Partial<AnimalFilter>, from: Sql, which: Condition) {
  const parameters = new Parameters();
  const conditions = [which(parameters), ...conditionsOf(filter, parameters)];
  const text = sql`SELECT count(*) AS n FROM ${from} WHERE ${every(conditions)}`;
  return text.value(number).only(...parameters.values);
}

/** Counts with an index alone. Animals that are here have a smaller one, with three of the values. */
function countCovered(filter: AnimalFilter) {
  const { states: _, ...others } = filter;
  const { status, published, hasPhoto, ...more } = others;
  const isSmall = isHere(filter) && Object.values(more).every((value) => value === undefined);
  return isSmall ? countAmong(others, HERE, here) : countAmong(filter, COVERED, everyRow);
}

/** The number of animals checked in one turn of the event loop. */
const COUNTED_AT_ONCE = 20_000;
const LAST = sql`SELECT max(pet_id) AS id FROM (
    SELECT pet_id FROM animals WHERE pet_id > $1
    ORDER BY pet_id LIMIT ${COUNTED_AT_ONCE}) AS next`.value<bigint | null>();

/** Counts by looking at each row, in several turns. */
async function countInTurns(read: Transactions['read'], filter: AnimalFilter): Promise<number> {
  let count = 0;
  let last: bigint | null = 0n;
  for (;;) {
    const after: bigint = last;
    last = (await read(() => LAST.one(after))) ?? null;
    if (last === null) return count;
    const end = last;
    const isNext = (parameters: Parameters) =>
      sql`pet_id > ${parameters.take(after)} AND pet_id <= ${parameters.take(end)}`;
    count += await read(() => countAmong(filter, SCANNED, isNext));
    await Bun.sleep(0);
  }
}

const CARES = HELD_CARES.map((care) => `'${care}'`).join(', ');
/** Available animals minus the held ones, for which there is an index. */
const ADOPTABLE =
  sql`SELECT (SELECT count(*) FROM animals WHERE status = 'available' AND state = 'here')
    - (SELECT count(*) FROM animals WHERE status = 'available' AND state = 'here' AND care IN (${CARES})
        AND coalesce(care_until, '~') >= CAST($1 AS text)) AS n`.value(number);

/** Counts animals of the list that staff work with. */
export function createAnimalCounts({
  read,
}: Pick<Transactions, 'read'>): Pick<AnimalStorage, 'count' | 'countAdoptable'> {
  return {
    count: (filter) =>
      isCovered(filter, undefined) ? read(() => countCovered(filter)) : countInTurns(read, filter),
    countAdoptable: (date) => read(() => ADOPTABLE.only(date)),
  };
}
