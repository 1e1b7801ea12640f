import type { Allowance } from '../../domain/allowance.ts';

/** The columns of an `AllowanceRow`. */
export const ALLOWANCE_COLUMNS = [
  'key_id',
  'minute_start',
  'minute_used',
  'minute_other_start',
  'minute_other_used',
  'day_start',
  'day_used',
  'day_other_start',
  'day_other_used',
  'refusals_start',
  'refusals',
  'bans',
  'banned_until',
  'lifted_at',
] as const;

/** The counts of a key as a row. */
export type AllowanceRow = Readonly<Record<(typeof ALLOWANCE_COLUMNS)[number], bigint>>;

/** The counts in a row. */
export function allowanceOf(row: AllowanceRow): Allowance {
  return {
    keyId: row.key_id,
    minute: {
      start: Number(row.minute_start),
      used: Number(row.minute_used),
      otherStart: Number(row.minute_other_start),
      otherUsed: Number(row.minute_other_used),
    },
    day: {
      start: Number(row.day_start),
      used: Number(row.day_used),
      otherStart: Number(row.day_other_start),
      otherUsed: Number(row.day_other_used),
    },
    refusalsStart: Number(row.refusals_start),
    refusals: Number(row.refusals),
    bans: Number(row.bans),
    bannedUntil: Number(row.banned_until),
    unbannedAt: Number(row.lifted_at),
  };
}

/** The values of a row in the order of `ALLOWANCE_COLUMNS`. */
export function allowanceValues({ keyId, minute, day, ...rest }: Allowance): (bigint | number)[] {
  return [
    keyId,
    minute.start,
    minute.used,
    minute.otherStart,
    minute.otherUsed,
    day.start,
    day.used,
    day.otherStart,
    day.otherUsed,
    rest.refusalsStart,
    rest.refusals,
    rest.bans,
    rest.bannedUntil,
    rest.unbannedAt,
  ];
}
