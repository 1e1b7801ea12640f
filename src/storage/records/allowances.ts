import type { Allowance, AllowanceStorage, WindowUse } from '../../domain/allowance.ts';
import { fieldsOf, number, plain } from '../fields.ts';
import {
  given,
  methodsOf,
  onPostgres,
  sql,
  type Transactions,
  writeInSlices,
} from '../statements.ts';

const FIELDS = fieldsOf({
  keyId: plain<bigint>(),
  minuteStart: number,
  minuteUsed: number,
  minuteOtherStart: number,
  minuteOtherUsed: number,
  dayStart: number,
  dayUsed: number,
  dayOtherStart: number,
  dayOtherUsed: number,
  refusalsStart: number,
  refusals: number,
  bans: number,
  bannedUntil: number,
  liftedAt: number,
});
type Flat = ReturnType<typeof FIELDS.of>;

const windowOf = (row: Flat, name: 'minute' | 'day'): WindowUse => ({
  start: row[`${name}Start`],
  used: row[`${name}Used`],
  otherStart: row[`${name}OtherStart`],
  otherUsed: row[`${name}OtherUsed`],
});

function allowanceOf(row: object): Allowance {
  const flat = FIELDS.of(row);
  const { keyId, refusalsStart, refusals, bans, bannedUntil, liftedAt: unbannedAt } = flat;
  const windows = { minute: windowOf(flat, 'minute'), day: windowOf(flat, 'day') };
  return { keyId, ...windows, refusalsStart, refusals, bans, bannedUntil, unbannedAt };
}

function flatOf({ minute, day, unbannedAt: liftedAt, ...rest }: Allowance): Flat {
  return {
    ...rest,
    liftedAt,
    minuteStart: minute.start,
    minuteUsed: minute.used,
    minuteOtherStart: minute.otherStart,
    minuteOtherUsed: minute.otherUsed,
    dayStart: day.start,
    dayUsed: day.used,
    dayOtherStart: day.otherStart,
    dayOtherUsed: day.otherUsed,
  };
}

const LIST = FIELDS.columns;
const COLUMNS = LIST.split(', ');
const BY_KEY = sql`SELECT ${LIST} FROM allowances WHERE key_id = $1`.as(allowanceOf);
const ALL = sql`SELECT ${LIST} FROM allowances ORDER BY key_id`.as(allowanceOf);
const GIVEN = COLUMNS.map((column) => `${column} bigint`).join(', ');
/** A key may have been removed. */
const SAVE = sql`INSERT INTO allowances (${LIST}) SELECT ${LIST} FROM ${given(GIVEN)}
  WHERE key_id IN (SELECT id FROM api_keys) ${onPostgres('ORDER BY key_id')}
  ON CONFLICT (key_id) DO UPDATE SET
    ${COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}`;

/** Counts of requests. */
export function createAllowanceStorage(transactions: Transactions): AllowanceStorage {
  const { reads } = methodsOf<AllowanceStorage>(transactions);
  return {
    ...reads({ find: (keyId) => BY_KEY.one(keyId), list: () => ALL.all() }),
    save: (allowances) =>
      writeInSlices(transactions, allowances, (slice) => SAVE.forRows(slice.map(flatOf))),
  };
}
