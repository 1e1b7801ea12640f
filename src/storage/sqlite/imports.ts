import type { Database } from 'bun:sqlite';
import { countsAfter, type ImportStep, type ImportStorage } from '../../domain/import.ts';
import { pageOf } from '../../domain/page.ts';
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
import type { Access } from './access.ts';
import { insertedRow } from './connection.ts';
import type { ImportBatch } from './import.ts';

const CLAIMED = 'id = ? AND owner = ? AND ended_at IS NULL';
const ABANDONED = 'ended_at IS NULL AND lease_ends_at <= ?';

/** The statements of `createImportStorage`. */
function prepareStatements(database: Database) {
  type Cells = (string | bigint | null)[];
  return {
    insert: database.query<ImportRow, Cells>(
      `INSERT INTO imports (${NEW_IMPORT_COLUMNS.join(', ')})
       VALUES (${NEW_IMPORT_COLUMNS.map(() => '?').join(', ')}) RETURNING ${IMPORT_COLUMNS}`,
    ),
    byId: database.query<ImportRow, [bigint]>(`SELECT ${IMPORT_COLUMNS} FROM imports WHERE id = ?`),
    page: database.query<ImportRow, [bigint, number]>(
      `SELECT ${IMPORT_COLUMNS} FROM imports WHERE id > ? ORDER BY id LIMIT ?`,
    ),
    save: database.query<null, Cells>(
      `UPDATE imports SET ${STATE_COLUMNS.map((column) => `${column} = ?`).join(', ')}
       WHERE ${CLAIMED}`,
    ),
    progress: database.query<ProgressRow, [bigint, string]>(
      `SELECT animal_counts, steps FROM imports WHERE ${CLAIMED}`,
    ),
    advance: database.query<null, [string, string, number, number, bigint]>(
      `UPDATE imports SET row_counts = ?, animal_counts = ?, steps = ?, lease_ends_at = ?
       WHERE id = ?`,
    ),
    renew: database.query<null, [number, string]>(
      'UPDATE imports SET lease_ends_at = ? WHERE owner = ? AND ended_at IS NULL',
    ),
    abandoned: database.query<{ id: bigint }, [number]>(
      `SELECT id FROM imports WHERE ${ABANDONED} LIMIT 1`,
    ),
    abandon: database.query<null, [number, string, number]>(
      `UPDATE imports SET status = 'failed', ended_at = ?, failure = ?
       WHERE ${ABANDONED}`,
    ),
    sweep: database.query<null, [number, number]>(
      `DELETE FROM imports WHERE id IN (
         SELECT id FROM imports WHERE ended_at <= ? ORDER BY ended_at LIMIT ?
       )`,
    ),
  };
}

/** Imports in SQLite. `importBatch` writes inside the transaction. */
export function createImportStorage(
  database: Database,
  importBatch: ImportBatch,
  { read, write }: Access,
): ImportStorage {
  const statements = prepareStatements(database);

  function advance({ id, owner, leaseEndsAt, number, rows, batch, ...step }: ImportStep): boolean {
    const before = statements.progress.get(id, owner);
    if (before === null) return false;
    if (before.steps >= number) return true;
    const animals = countsAfter(animalsOf(before), importBatch(batch, step.stamp, step.options));
    const counts = [JSON.stringify(rows), JSON.stringify(animals)] as const;
    statements.advance.run(...counts, number, leaseEndsAt, id);
    return true;
  }

  return {
    create: (added) =>
      write(() => importOf(insertedRow(statements.insert, ...newImportCells(added)))),
    find: (id) =>
      read(() => {
        const row = statements.byId.get(id);
        return row === null ? undefined : importOf(row);
      }),
    list: ({ afterId, limit }) =>
      read(() => pageOf(statements.page.all(afterId ?? 0n, limit + 1).map(importOf), limit)),
    save: (claim, state) =>
      write(
        () => statements.save.run(...stateCells(claim, state), claim.id, claim.owner).changes > 0,
      ),
    importBatch: (step) => write(() => advance(step)),
    renew: (owner, leaseEndsAt) => write(() => void statements.renew.run(leaseEndsAt, owner)),
    failAbandoned(at) {
      // Nearly always there are none, and reading keeps no other process waiting.
      if (read(() => statements.abandoned.get(at)) === null) return 0;
      return write(() => statements.abandon.run(at, INTERRUPTED_CELL, at).changes);
    },
    removeExpired: (time, most) => write(() => statements.sweep.run(time, most).changes),
  };
}
