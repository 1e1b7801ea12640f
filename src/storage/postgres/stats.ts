import type { StatsStorage } from '../../domain/stats.ts';
import {
  type CategoryCountRow,
  categoryCountOf,
  type StatusRow,
  statusCounts,
  type WeekRow,
  weekCountOf,
} from '../rows/stats.ts';
import type { Session } from './connection.ts';
import type { Read } from './writer.ts';

/** Changes of counts that are added up in one step. */
const FOLDED_AT_ONCE = 10_000;

/** Statistics in PostgreSQL: the counts that were added up, and the changes since. */
export function createStatsStorage(read: Read): StatsStorage {
  return {
    pets: () =>
      read(async (session) => {
        const rows = await session.query<StatusRow>(
          `SELECT status, CAST(sum(pets) AS bigint) AS pets FROM (
             SELECT status, pets FROM derived_status_pets
             UNION ALL SELECT status, pets FROM derived_pet_changes
           ) AS counted GROUP BY status`,
        );
        return statusCounts(rows);
      }),
    categories: (most) =>
      read(async (session) => {
        const rows = await session.query<CategoryCountRow>(
          `SELECT id, name,
             CAST(coalesce(counted.pets, 0) + coalesce(changed.pets, 0) AS bigint) AS pets
           FROM categories
           LEFT JOIN derived_category_pets AS counted ON counted.category_id = id
           LEFT JOIN (
             SELECT category_id, sum(pets) AS pets FROM derived_pet_changes GROUP BY category_id
           ) AS changed ON changed.category_id = id
           ORDER BY pets DESC, id LIMIT $1`,
          most,
        );
        return rows.map(categoryCountOf);
      }),
    adoptions: (first) =>
      read(async (session) => {
        const rows = await session.query<WeekRow>(
          'SELECT week, completed FROM adoptions WHERE week >= $1 ORDER BY week',
          BigInt(first),
        );
        return rows.map(weekCountOf);
      }),
  };
}

/**
 * Adds changes of counts up. Several instances may do this at once: each takes other changes, and in
 * one statement, so that a reader sees a change either by itself or added up.
 */
export async function foldPetCounts(session: Session): Promise<void> {
  await session.run(
    `WITH taken AS (
       DELETE FROM derived_pet_changes WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM derived_pet_changes LIMIT $1 FOR UPDATE SKIP LOCKED
       )) RETURNING category_id, status, pets
     ), by_status AS (
       INSERT INTO derived_status_pets AS counted (status, pets)
       SELECT status, sum(pets) FROM taken GROUP BY status ORDER BY status
       ON CONFLICT (status) DO UPDATE SET pets = counted.pets + excluded.pets
     )
     INSERT INTO derived_category_pets AS counted (category_id, pets)
     SELECT category_id, sum(pets) FROM taken GROUP BY category_id ORDER BY category_id
     ON CONFLICT (category_id) DO UPDATE SET pets = counted.pets + excluded.pets`,
    FOLDED_AT_ONCE,
  );
}
