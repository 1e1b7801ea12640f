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
import { attempt } from './faults.ts';

/** Statistics in SQLite. Triggers maintain the counts. */
export function createStatsStorage(database: Database): StatsStorage {
  const byStatus = database.query<StatusRow, []>('SELECT status, pets FROM derived_status_pets');
  const byCategory = database.query<CategoryCountRow, [number]>(
    `SELECT id, name, coalesce(counted.pets, 0) AS pets
     FROM categories LEFT JOIN derived_category_pets AS counted ON category_id = id
     ORDER BY pets DESC, id LIMIT ?`,
  );
  const byWeek = database.query<WeekRow, [number]>(
    'SELECT week, completed FROM adoptions WHERE week >= ? ORDER BY week',
  );
  return {
    pets: () => attempt(() => statusCounts(byStatus.all())),
    categories: (most) => attempt(() => byCategory.all(most).map(categoryCountOf)),
    adoptions: (first) => attempt(() => byWeek.all(first).map(weekCountOf)),
  };
}

/** Sets the counts of animals to zero, for a database whose animals were all removed. */
export function forgetPetCounts(database: Database): void {
  database.run('UPDATE derived_status_pets SET pets = 0');
  database.run('DELETE FROM derived_category_pets');
}
