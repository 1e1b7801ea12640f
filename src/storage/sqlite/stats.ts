import type { Database } from 'bun:sqlite';
import type { StatsStorage } from '../../domain/stats.ts';
import {
  type CategoryCountRow,
  categoryCountOf,
  type StatusRow,
  statusCounts,
  type WeekRow,
  weekCountOf,
} from '../rows/stats.ts';
import type { Access } from './access.ts';

/** The animals that the stored counts do not contain yet: at most 256, if no ids are missing. */
const NOT_YET_COUNTED = 'pets WHERE id > (SELECT counted_to FROM derived_counts_state)';

/** Statistics in SQLite: the counts that triggers maintain, and the animals added since. */
export function createStatsStorage(database: Database, { read }: Access): StatsStorage {
  const byStatus = database.query<StatusRow, []>(
    `SELECT status, sum(pets) AS pets FROM (
       SELECT status, pets FROM derived_status_pets
       UNION ALL SELECT +status, 1 FROM ${NOT_YET_COUNTED}
     ) GROUP BY status`,
  );
  const byCategory = database.query<CategoryCountRow, [number]>(
    `SELECT id, name, coalesce(counted.pets, 0) + coalesce(added.pets, 0) AS pets
     FROM categories
     LEFT JOIN derived_category_pets AS counted ON counted.category_id = id
     LEFT JOIN (
       SELECT +category_id AS category_id, count(*) AS pets FROM ${NOT_YET_COUNTED} GROUP BY 1
     ) AS added ON added.category_id = id
     ORDER BY pets DESC, id LIMIT ?`,
  );
  const byWeek = database.query<WeekRow, [number]>(
    'SELECT week, completed FROM adoptions WHERE week >= ? ORDER BY week',
  );
  return {
    pets: () => read(() => statusCounts(byStatus.all())),
    categories: (most) => read(() => byCategory.all(most).map(categoryCountOf)),
    adoptions: (first) => read(() => byWeek.all(first).map(weekCountOf)),
  };
}

/** Sets the counts of animals to zero, for a database whose animals were all removed. */
export function forgetPetCounts(database: Database): void {
  database.run('UPDATE derived_status_pets SET pets = 0');
  database.run('DELETE FROM derived_category_pets');
  database.run('UPDATE derived_counts_state SET counted_to = 0');
}
