import { expect } from 'bun:test';
import type { ApiKey } from '../../src/domain/api-key.ts';

/**
 * Expects two migrated keys of an earlier release without lifetimes: key 3, created at 100 and
 * valid until 250, and key 4 without expiry.
 */
export function expectMigratedKeys(keys: readonly ApiKey[]): void {
  const own = { predecessorId: null, unbannedAt: null };
  expect(keys).toMatchObject([
    { id: 3n, familyId: 3n, lifetimeMs: 150, expiresAt: 250, ...own },
    { id: 4n, familyId: 4n, lifetimeMs: null, expiresAt: null, ...own },
  ]);
}
