import type { Allowance, AllowanceStorage } from '../../domain/allowance.ts';
import {
  ALLOWANCE_COLUMNS,
  type AllowanceRow,
  allowanceOf,
  allowanceValues,
} from '../rows/allowance.ts';
import type { Session } from './connection.ts';
import { records } from './json.ts';
import type { Access } from './writer.ts';

const COLUMNS = ALLOWANCE_COLUMNS.join(', ');
const TYPED = ALLOWANCE_COLUMNS.map((column) => `${column} bigint`).join(', ');
const REPLACED = ALLOWANCE_COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ');

/** Counts of requests in PostgreSQL. */
export function createAllowanceStorage({ read, write }: Access): AllowanceStorage {
  return {
    find: (keyId) =>
      read(async (session) => {
        const text = `SELECT ${COLUMNS} FROM allowances WHERE key_id = $1`;
        const [row] = await session.query<AllowanceRow>(text, keyId);
        return row === undefined ? undefined : allowanceOf(row);
      }),
    list: () =>
      read(async (session) => {
        const text = `SELECT ${COLUMNS} FROM allowances ORDER BY key_id`;
        return (await session.query<AllowanceRow>(text)).map(allowanceOf);
      }),
    save: (allowances) => write((session) => save(session, allowances)),
  };
}

async function save(session: Session, allowances: readonly Allowance[]): Promise<void> {
  if (allowances.length === 0) return;
  const rows = allowances.map((allowance) => {
    const values = allowanceValues(allowance).map(String);
    return Object.fromEntries(ALLOWANCE_COLUMNS.map((column, i) => [column, values[i]]));
  });
  // Sorted, so that instances that write at once cannot deadlock.
  await session.run(
    `INSERT INTO allowances (${COLUMNS})
     SELECT ${COLUMNS} FROM ${records('$1', TYPED)} ORDER BY key_id
     ON CONFLICT (key_id) DO UPDATE SET ${REPLACED}`,
    JSON.stringify(rows),
  );
}
