import { expect } from 'bun:test';
import type { PetStorage } from '../../src/domain/pet.ts';

/**
 * Expects the migrated histories of three animals of an earlier release. The first was available at
 * 10 by key 1, pending at 30 by key 2 and sold at 40. The second has been available since 20. The
 * third is pending and had no history, so its history starts at the migration, after `startedAt`.
 */
export async function expectMigratedHistories(
  pets: PetStorage,
  [moved, stayed, unknown]: readonly [bigint, bigint, bigint],
  startedAt: number,
): Promise<void> {
  const historyOf = async (id: bigint) =>
    (await pets.history(id, { afterId: undefined, limit: 9 }))?.items;
  expect(await historyOf(moved)).toEqual([
    { id: 1n, status: 'available', changedAt: 10, keyId: 1n },
    { id: 2n, status: 'pending', changedAt: 30, keyId: 2n },
    { id: 3n, status: 'sold', changedAt: 40, keyId: null },
  ]);
  expect(await historyOf(stayed)).toEqual([
    { id: 1n, status: 'available', changedAt: 20, keyId: null },
  ]);
  const [first] = (await historyOf(unknown)) ?? [];
  expect(first).toMatchObject({ id: 1n, status: 'pending', keyId: null });
  expect(first?.changedAt).toBeGreaterThanOrEqual(startedAt);
}
