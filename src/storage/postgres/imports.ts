import { countsAfter, type ImportStep, type ImportStorage } from '../../domain/import.ts';
import { type Page, type PageRequest, pageOf } from '../../domain/page.ts';
import {
  animalsOf,
  IMPORT_COLUMNS,
  type ImportRow,
  INTERRUPTED_CELL,
  importOf,
  NEW_IMPORT_COLUMNS,
  newImportCells,
  type ProgressRow,
  STATE_COLUMNS,
  stateCells,
} from '../rows/import.ts';
import type { Session } from './connection.ts';
import { importBatch } from './import.ts';
import type { Access } from './writer.ts';

const CLAIMED = 'id = $1 AND owner = $2 AND ended_at IS NULL';

/** Imports in PostgreSQL. */
export function createImportStorage({ read, write }: Access): ImportStorage {
  return {
    create: (added) =>
      write(async (session) => {
        const [row] = await session.query<ImportRow>(
          `INSERT INTO imports (${NEW_IMPORT_COLUMNS.join(', ')})
           VALUES (${NEW_IMPORT_COLUMNS.map((_, i) => `$${i + 1}`).join(', ')})
           RETURNING ${IMPORT_COLUMNS}`,
          ...newImportCells(added),
        );
        if (row === undefined) throw new Error('INSERT … RETURNING gave no row');
        return importOf(row);
      }),
    find: (id) =>
      read(async (session) => {
        const text = `SELECT ${IMPORT_COLUMNS} FROM imports WHERE id = $1`;
        const [row] = await session.query<ImportRow>(text, id);
        return row === undefined ? undefined : importOf(row);
      }),
    list: (page) => read((session) => list(session, page)),
    save: (claim, state) =>
      write(async (session) => {
        const set = STATE_COLUMNS.map((column, i) => `${column} = $${i + 3}`).join(', ');
        const text = `UPDATE imports SET ${set} WHERE ${CLAIMED}`;
        const cells = stateCells(claim, state);
        return (await session.run(text, claim.id, claim.owner, ...cells)) > 0;
      }),
    importBatch: (step) => write((session) => advance(session, step)),
    renew: (owner, leaseEndsAt) =>
      write(async (session) => {
        const text = 'UPDATE imports SET lease_ends_at = $1 WHERE owner = $2 AND ended_at IS NULL';
        await session.run(text, BigInt(leaseEndsAt), owner);
      }),
    failAbandoned: (at) =>
      write((session) =>
        session.run(
          `UPDATE imports SET status = 'failed', ended_at = $1, failure = $2
           WHERE ended_at IS NULL AND lease_ends_at <= $1`,
          BigInt(at),
          INTERRUPTED_CELL,
        ),
      ),
    removeExpired: (time, most) =>
      write((session) =>
        session.run(
          `DELETE FROM imports WHERE id IN (
             SELECT id FROM imports WHERE ended_at <= $1 ORDER BY ended_at LIMIT $2
           )`,
          BigInt(time),
          most,
        ),
      ),
  };
}

async function list(
  session: Session,
  { afterId, limit }: PageRequest,
): Promise<Page<ReturnType<typeof importOf>>> {
  const text = `SELECT ${IMPORT_COLUMNS} FROM imports WHERE id > $1 ORDER BY id LIMIT $2`;
  const rows = await session.query<ImportRow>(text, afterId ?? 0n, limit + 1);
  return pageOf(rows.map(importOf), limit);
}

/** The row stays locked until the commit, so no other process can end the import meanwhile. */
async function advance(session: Session, step: ImportStep): Promise<boolean> {
  const { id, owner, leaseEndsAt, number, rows, batch, stamp, options } = step;
  const [before] = await session.query<ProgressRow>(
    `SELECT animal_counts, steps FROM imports WHERE ${CLAIMED} FOR UPDATE`,
    id,
    owner,
  );
  if (before === undefined) return false;
  if (before.steps >= number) return true;
  const outcome = await importBatch(session, batch, stamp, options);
  await session.run(
    `UPDATE imports SET row_counts = $2, animal_counts = $3, steps = $4, lease_ends_at = $5
     WHERE id = $1`,
    id,
    JSON.stringify(rows),
    JSON.stringify(countsAfter(animalsOf(before), outcome)),
    BigInt(number),
    BigInt(leaseEndsAt),
  );
  return true;
}
