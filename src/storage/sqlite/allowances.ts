import type { Database } from 'bun:sqlite';
import type { Allowance, AllowanceStorage } from '../../domain/allowance.ts';
import { attempt } from './connection.ts';
import type { Write } from './writer.ts';

const COLUMNS = [
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

type Row = Readonly<Record<(typeof COLUMNS)[number], bigint>>;

function allowanceOf(row: Row): Allowance {
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
    liftedAt: Number(row.lifted_at),
  };
}

/** The values of a row in the order of `COLUMNS`. */
function valuesOf({ keyId, minute, day, ...rest }: Allowance): (bigint | number)[] {
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
    rest.liftedAt,
  ];
}

/** Counts of requests in SQLite. */
export function createAllowanceStorage(database: Database, write: Write): AllowanceStorage {
  const columns = COLUMNS.join(', ');
  const byKey = database.query<Row, [bigint]>(`SELECT ${columns} FROM allowances WHERE key_id = ?`);
  const all = database.query<Row, []>(`SELECT ${columns} FROM allowances ORDER BY key_id`);
  const replace = database.query<null, (bigint | number)[]>(
    `INSERT OR REPLACE INTO allowances (${columns}) VALUES (${COLUMNS.map(() => '?').join(', ')})`,
  );
  function save(allowances: readonly Allowance[]): void {
    for (const allowance of allowances) replace.run(...valuesOf(allowance));
  }

  return {
    find: (keyId) =>
      attempt(() => {
        const row = byKey.get(keyId);
        return row === null ? undefined : allowanceOf(row);
      }),
    list: () => attempt(() => all.all().map(allowanceOf)),
    save: (allowances) => write(() => save(allowances)),
  };
}
