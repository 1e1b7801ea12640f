import type { Database } from 'bun:sqlite';
import type { ChangeStamp } from '../../domain/change-stamp.ts';
import { foldCase } from '../../domain/name.ts';
import type { BatchOptions, ImportedPet, ImportOutcome, Pet } from '../../domain/pet.ts';
import { petIn, planImport } from '../import-plan.ts';
import { PET_COLUMNS } from '../rows/pet.ts';
import { createCategoryInsert } from './category-insert.ts';
import type { NoteChange } from './change-writer.ts';
import type { PetRows } from './pet-rows.ts';

/** Imports a batch of animals inside a transaction. */
export type ImportBatch = (
  batch: readonly ImportedPet[],
  stamp: ChangeStamp,
  options?: BatchOptions,
) => ImportOutcome;

/** Returns the function that imports a batch. */
export function createImporter(
  database: Database,
  rows: PetRows,
  noteChange: NoteChange,
): ImportBatch {
  const findCategory = database.query<{ id: bigint }, [string]>(
    'SELECT id FROM categories WHERE name_folded = ?',
  );
  const insertCategory = createCategoryInsert(database, noteChange);
  const findPet = database.query<Pet, [string]>(
    `SELECT ${PET_COLUMNS} FROM pets WHERE external_id = ?`,
  );
  const findRow = database.query<{ fingerprint: string }, [string]>(
    'SELECT fingerprint FROM imported_rows WHERE external_id = ?',
  );
  const rememberRow = database.query<null, [string, string]>(
    `INSERT INTO imported_rows (external_id, fingerprint) VALUES (?, ?)
     ON CONFLICT (external_id) DO UPDATE SET fingerprint = excluded.fingerprint`,
  );

  return function importBatch(batch, stamp, options = {}) {
    const ids = new Map<string, bigint>();
    const { created, remembered, outcome } = planImport(
      batch,
      {
        categoryId(folded) {
          const id = ids.get(folded) ?? findCategory.get(folded)?.id;
          if (id !== undefined) ids.set(folded, id);
          return id;
        },
        pet: (externalId) => findPet.get(externalId) ?? undefined,
        fingerprint: (externalId) => findRow.get(externalId)?.fingerprint,
        isHeld: rows.isHeld,
      },
      options,
    );
    if (options.dryRun) return outcome;

    for (const name of outcome.categoriesCreated) {
      ids.set(foldCase(name), insertCategory(name, stamp).id);
    }
    for (const row of created) rows.insert(petIn(ids, row), row.externalId, stamp);
    for (const { before, row } of outcome.changes) {
      rows.save({ id: before.id, ...petIn(ids, row) }, before, stamp);
    }
    for (const { externalId, fingerprint } of remembered) rememberRow.run(externalId, fingerprint);
    return outcome;
  };
}
