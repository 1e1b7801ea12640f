import { createBatcher } from '../../domain/batch.ts';
import { PET_STATUSES, type PetStatus } from '../../domain/pet.ts';
import type { CategoryCount, StatsStorage } from '../../domain/stats.ts';
import { fieldsOf, number, plain } from '../fields.ts';
import { all, query, type Sql, sql, type Transactions, type Work } from '../statements.ts';

const STATUS = fieldsOf({ status: plain<PetStatus>(), pets: number });
const CATEGORY_FIELDS = { id: plain<bigint>(), name: plain<string>(), pets: number };
const CATEGORY = fieldsOf(CATEGORY_FIELDS);
const RANKED = fieldsOf({ ...CATEGORY_FIELDS, lastPets: number, lastId: plain<bigint>() });
const WEEK = fieldsOf({ week: number, completed: number });

/**
 * What the stored counts do not contain yet: on SQLite the newest animals, at most 256 if no ids are
 * missing, on PostgreSQL the changes that were not added up. `+` keeps SQLite from using an index.
 */
const NOT_YET_COUNTED: Sql = {
  sqlite: `SELECT +status AS status, +category_id AS category_id, 1 AS pets
    FROM pets WHERE id > (SELECT counted_to FROM derived_counts_state)`,
  postgres: 'SELECT status, category_id, pets FROM derived_pet_changes',
};

const BY_STATUS = query(
  STATUS.of,
  sql`SELECT status, CAST(sum(pets) AS bigint) AS pets FROM (
      SELECT status, pets FROM derived_status_pets
      UNION ALL SELECT status, pets FROM (${NOT_YET_COUNTED}) AS further
    ) AS counted GROUP BY status`,
);
const CATEGORIES = sql`SELECT id, name,
    CAST(coalesce(counted.pets, 0) + coalesce(further.pets, 0) AS bigint) AS pets
  FROM categories
  LEFT JOIN derived_category_pets AS counted ON counted.category_id = id
  LEFT JOIN (
    SELECT category_id, sum(pets) AS pets FROM (${NOT_YET_COUNTED}) AS each GROUP BY category_id
  ) AS further ON further.category_id = id`;
const LARGEST_FIRST = 'ORDER BY pets DESC, id LIMIT $1';
const BY_CATEGORY = query(CATEGORY.of, sql`${CATEGORIES} ${LARGEST_FIRST}`);

/** The stored counts of categories in their order, which is that of an index. */
const STORED_COUNTS =
  'SELECT category_id, pets FROM derived_category_pets ORDER BY pets DESC, category_id';
/** How many of them are read at most: each takes 4 µs. */
const COUNTS_READ = 400;
/** The largest of the categories with these counts or with later changes, and the last of these counts. */
const OF_LARGEST = query(
  RANKED.of,
  sql`SELECT largest.*, coalesce(last.pets, 0) AS last_pets, coalesce(last.category_id, 0) AS last_id
    FROM (
      ${CATEGORIES} WHERE id IN (
        SELECT category_id FROM (${STORED_COUNTS} LIMIT ${COUNTS_READ}) AS counts
        UNION SELECT category_id FROM (${NOT_YET_COUNTED}) AS each
      ) ${LARGEST_FIRST}
    ) AS largest
    LEFT JOIN (${STORED_COUNTS} LIMIT 1 OFFSET ${COUNTS_READ - 1}) AS last ON true
    ORDER BY largest.pets DESC, id`,
);
/** Weeks start on Monday, and the epoch was a Thursday. */
const BY_WEEK = query(
  WEEK.of,
  sql`SELECT (completed_at + 259200000) / 604800000 AS week, count(*) AS completed FROM orders
    WHERE completed_at >= $1 * CAST(604800000 AS bigint) - 259200000 GROUP BY 1 ORDER BY 1`,
);

/** The animals by status, with 0 for a status without a row. */
export function* countByStatus(): Work<Record<PetStatus, number>> {
  const rows = yield* all(BY_STATUS);
  const count = (status: PetStatus) => rows.find((row) => row.status === status)?.pets ?? 0;
  const [available, pending, sold] = PET_STATUSES.map(count);
  return { available: available ?? 0, pending: pending ?? 0, sold: sold ?? 0 };
}

/**
 * The categories with the most animals. A category without one of the stored counts that are read
 * comes after the last of these, so it is not among the largest if all of those come before. If they
 * do not, because categories are few or most counts are of categories without a name, all are sorted.
 */
function* largestCategories(most: number): Work<readonly CategoryCount[]> {
  const rows = yield* all(OF_LARGEST, most);
  const end = rows[most - 1];
  if (end === undefined) return yield* all(BY_CATEGORY, most);
  const { pets, id, lastPets, lastId } = end;
  const isWhole = pets > lastPets || (pets === lastPets && pets > 0 && id <= lastId);
  return isWhole
    ? rows.map(({ id, name, pets }) => ({ id, name, pets }))
    : yield* all(BY_CATEGORY, most);
}

/** Statistics: the counts that every write maintains, and what they do not contain yet. */
export function createStatsStorage({ read }: Transactions): StatsStorage {
  return {
    pets: () => read(countByStatus),
    // With as many categories as there may be, it takes milliseconds: all who ask at once share it.
    categories: createBatcher(async (asked: readonly number[]) => {
      const found = await read(() => largestCategories(Math.max(...asked)));
      return asked.map((most) => found.slice(0, most));
    }, 1),
    adoptions: (first) => read(() => all(BY_WEEK, first)),
  };
}
