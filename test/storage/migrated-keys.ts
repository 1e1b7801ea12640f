import { expect } from 'bun:test';
import type { ApiKey } from '../../src/domain/api-key.ts';

/**
 * Expects what a migration makes of two keys of an earlier release, which knew no lifetimes: key 3,
 * made at 100 and good until 250, and key 4 without an end.
 */
export function expectMigratedKeys(keys: readonly ApiKey[]): void {
  const own = { predecessorId: null, unbannedAt: null };
  expect(keys).toMatchObject([
    { id: 3n, familyId: 3n, lifetimeMs: 150, expiresAt: 250, ...own },
    { id: 4n, familyId: 4n, lifetimeMs: null, expiresAt: null, ...own },
  ]);
}
