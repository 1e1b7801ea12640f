import type { KeyUsage, PeriodUsage, UsageCounts } from '../../domain/usage.ts';

/** The columns that sum what is selected. */
export const USAGE_SUMS = ['requests', 'refused', 'errors']
  .map((column) => `CAST(sum(${column}) AS bigint) AS ${column}`)
  .join(', ');

/** Counts as a row. */
interface CountsRow {
  readonly requests: bigint;
  readonly refused: bigint;
  readonly errors: bigint;
}

/** The counts of a period as a row. */
export interface PeriodRow extends CountsRow {
  readonly start: bigint;
}

/** The counts of a key as a row. */
export interface KeyUsageRow extends CountsRow {
  readonly key_id: bigint;
}

function countsOf({ requests, refused, errors }: CountsRow): UsageCounts {
  return { requests: Number(requests), refused: Number(refused), errors: Number(errors) };
}

/** The counts in a row. */
export function periodOf(row: PeriodRow): PeriodUsage {
  return { start: Number(row.start), ...countsOf(row) };
}

/** The counts in a row. */
export function keyUsageOf(row: KeyUsageRow): KeyUsage {
  return { keyId: row.key_id, ...countsOf(row) };
}
