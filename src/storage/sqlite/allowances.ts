import type { Database } from 'bun:sqlite';
import type { Allowance, AllowanceStorage } from '../../domain/allowance.ts';
import {
  ALLOWANCE_COLUMNS,
  type AllowanceRow,
  allowanceOf,
  allowanceValues,
} from '../rows/allowance.ts';
import type { Access } from './access.ts';
import { writeInSlices } from './slices.ts';

/** Counts of requests in SQLite. */
export function createAllowanceStorage(
  database: Database,
  { read, write }: Access,
): AllowanceStorage {
  const columns = ALLOWANCE_COLUMNS.join(', ');
  const byKey = database.query<AllowanceRow, [bigint]>(
    `SELECT ${columns} FROM allowances WHERE key_id = ?`,
  );
  const all = database.query<AllowanceRow, []>(`SELECT ${columns} FROM allowances ORDER BY key_id`);
  const replace = database.query<null, (bigint | number)[]>(
    `INSERT OR REPLACE INTO allowances (${columns}) VALUES (${ALLOWANCE_COLUMNS.map(() => '?').join(', ')})`,
  );
  const save = (allowance: Allowance) => void replace.run(...allowanceValues(allowance));

  return {
    find: (keyId) =>
      read(() => {
        const row = byKey.get(keyId);
        return row === null ? undefined : allowanceOf(row);
      }),
    list: () => read(() => all.all().map(allowanceOf)),
    save: (allowances) => writeInSlices(write, allowances, save),
  };
}
