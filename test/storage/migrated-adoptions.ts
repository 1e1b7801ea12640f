import { expect } from 'bun:test';
import { type StatsStorage, weekAt } from '../../src/domain/stats.ts';

const SUNDAY = Date.UTC(2026, 10, 22, 23, 59, 59, 999);
const MONDAY = SUNDAY + 1;

/**
 * Inserts orders of an earlier release, which did not count adoptions. All were last changed on
 * Monday. `newest` is the table of the last change.
 */
export const oldAdoptions = (newest: 'changes' | 'unnumbered_changes') => `
  INSERT INTO orders (pet_id, adopter, status, placed_at, updated_at) VALUES
    (1, 'completed on Sunday, then erased', 'completed', 10, ${MONDAY}),
    (2, 'completed before the change log', 'completed', 10, ${MONDAY}),
    (3, 'completed on Sunday, then logged again', 'completed', 10, ${MONDAY}),
    (4, 'completed on Sunday, in the last change', 'completed', 10, ${MONDAY}),
    (5, 'open', 'approved', 10, ${MONDAY});
  INSERT INTO changes (id, type, at, record_id, status, pet_id, placed_at, updated_at) VALUES
    (1, 'order.updated', ${SUNDAY - 1}, 1, 'approved', 1, 10, ${SUNDAY - 1}),
    (2, 'order.updated', ${SUNDAY}, 1, 'completed', 1, 10, ${SUNDAY}),
    (3, 'order.updated', ${SUNDAY}, 3, 'completed', 3, 10, ${SUNDAY}),
    (4, 'order.updated', ${MONDAY}, 3, 'completed', 3, 10, ${MONDAY}),
    (5, 'order.updated', ${MONDAY}, 5, 'approved', 5, 10, ${MONDAY});
  INSERT INTO ${newest} (type, at, record_id, status, pet_id, placed_at, updated_at) VALUES
    ('order.updated', ${SUNDAY}, 4, 'completed', 4, 10, ${SUNDAY})`;

/** Expects the adoptions of the migrated `oldAdoptions`. */
export async function expectMigratedAdoptions(stats: StatsStorage): Promise<void> {
  expect(await stats.adoptions(0)).toEqual([
    { week: weekAt(SUNDAY), completed: 3 },
    { week: weekAt(MONDAY), completed: 1 },
  ]);
}
