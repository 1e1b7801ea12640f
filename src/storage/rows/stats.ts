import { PET_STATUSES, type PetStatus } from '../../domain/pet.ts';
import type { CategoryCount, WeekCount } from '../../domain/stats.ts';

/** The animals with a status as a row. */
export interface StatusRow {
  readonly status: PetStatus;
  readonly pets: bigint;
}

/** A category with the number of its animals as a row. */
export interface CategoryCountRow {
  readonly id: bigint;
  readonly name: string;
  readonly pets: bigint;
}

/** The completed orders of a week as a row. */
export interface WeekRow {
  readonly week: bigint;
  readonly completed: bigint;
}

/** The animals by status, with 0 for a status without a row. */
export function statusCounts(rows: readonly StatusRow[]): Record<PetStatus, number> {
  const count = (status: PetStatus) => rows.find((row) => row.status === status)?.pets ?? 0n;
  const [available, pending, sold] = PET_STATUSES.map((status) => Number(count(status)));
  return { available: available ?? 0, pending: pending ?? 0, sold: sold ?? 0 };
}

/** The count in a row. */
export function categoryCountOf({ id, name, pets }: CategoryCountRow): CategoryCount {
  return { id, name, pets: Number(pets) };
}

/** The count in a row. */
export function weekCountOf({ week, completed }: WeekRow): WeekCount {
  return { week: Number(week), completed: Number(completed) };
}
