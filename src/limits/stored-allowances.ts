import type { Allowance, AllowanceStorage } from '../domain/allowance.ts';
import type { KeyCounts } from './windows-and-bans.ts';

/** Stores nothing: counts of a single instance must never mix with shared ones. */
export const NOT_STORED: AllowanceStorage = {
  find: async () => undefined,
  list: async () => [],
  save: async () => {},
};

const UNUSED = { start: 0, used: 0, otherStart: 0, otherUsed: 0 };

/** Returns the counts of a stored allowance; those of an unused key without one. */
export function countsOf(stored: Allowance | undefined): KeyCounts {
  return {
    minute: { ...(stored?.minute ?? UNUSED) },
    day: { ...(stored?.day ?? UNUSED) },
    refusalsStart: stored?.refusalsStart ?? 0,
    refusals: stored?.refusals ?? 0,
    bans: stored?.bans ?? 0,
    bannedUntil: stored?.bannedUntil ?? 0,
    unbannedAt: stored?.unbannedAt ?? 0,
  };
}

/** Returns the counts of a family in their stored form: a copy, which later charges do not change. */
export function allowanceOf(keyId: bigint, counts: KeyCounts): Allowance {
  const { minute, day, refusalsStart, refusals, bans, bannedUntil, unbannedAt } = counts;
  const banState = { refusalsStart, refusals, bans, bannedUntil, unbannedAt };
  return { keyId, ...banState, minute: { ...minute }, day: { ...day } };
}

/** Returns the stored allowances of these families. */
export async function storedAllowances(
  storage: AllowanceStorage,
  familyIds: readonly bigint[],
): Promise<readonly Allowance[]> {
  const wanted = new Set(familyIds);
  return (await storage.list()).filter(({ keyId }) => wanted.has(keyId));
}
