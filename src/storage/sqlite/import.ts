import type { Database } from 'bun:sqlite';
import type { Edit } from '../../domain/edit.ts';
import { Failure } from '../../domain/failure.ts';
import { foldCase } from '../../domain/name.ts';
import type { ImportedPet, ImportOutcome, Pet } from '../../domain/pet.ts';
import { isSame, PET_COLUMNS } from '../pet-row.ts';
import { insertedRow } from './connection.ts';
import type { PetRows } from './pet-rows.ts';

/** Stands for the id of a category that a dry run would create: no category has it. */
const NOT_YET = 0n;

/** Gives the function that takes a batch of animals, inside a transaction. */
export function createImporter(
  database: Database,
  rows: PetRows,
): (batch: readonly ImportedPet[], edit: Edit, dryRun: boolean) => ImportOutcome {
  const findCategory = database.query<{ id: bigint }, [string]>(
    'SELECT id FROM categories WHERE name_folded = ?',
  );
  const insertCategory = database.query<{ id: bigint }, [string, string]>(
    'INSERT INTO categories (name, name_folded) VALUES (?, ?) RETURNING id',
  );
  const findPet = database.query<Pet, [string]>(
    `SELECT ${PET_COLUMNS} FROM pets WHERE external_id = ?`,
  );

  return function importBatch(batch, edit, dryRun) {
    const outcome = { created: 0, changed: 0, unchanged: 0 };
    const categoriesCreated: string[] = [];
    const held: string[] = [];
    const categories = new Map<string, bigint>();

    function categoryId(category: ImportedPet['category']): bigint {
      if ('id' in category) return category.id;
      const folded = foldCase(category.name);
      let id = categories.get(folded) ?? findCategory.get(folded)?.id;
      if (id === undefined) {
        categoriesCreated.push(category.name);
        id = dryRun ? NOT_YET : insertedRow(insertCategory, category.name, folded).id;
      }
      categories.set(folded, id);
      return id;
    }

    for (const { name, status, category, externalId } of batch) {
      const pet = { name, categoryId: categoryId(category), status };
      const known = externalId === undefined ? null : findPet.get(externalId);
      if (known === null) {
        if (!dryRun) rows.insert(pet, externalId, edit);
        outcome.created++;
      } else if (isSame(pet, known)) {
        outcome.unchanged++;
      } else if (save({ id: known.id, ...pet }, known, edit, dryRun)) {
        outcome.changed++;
      } else {
        held.push(externalId ?? '');
      }
    }
    return { ...outcome, categoriesCreated, held };
  };

  /** Whether the change went through; an open order may hold the animal. */
  function save(pet: Pet, known: Pet, edit: Edit, dryRun: boolean): boolean {
    try {
      if (!dryRun) rows.save(pet, known, edit);
      else if (pet.status !== known.status) rows.requireFree(pet.id);
      return true;
    } catch (error) {
      if (error instanceof Failure) return false;
      throw error;
    }
  }
}
