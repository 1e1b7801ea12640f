import type { Database } from 'bun:sqlite';
import { foldCase } from '../../domain/name.ts';
import type { ImportedPet, ImportOutcome, Pet, PetStatus } from '../../domain/pet.ts';

type Known = Pick<Pet, 'id' | 'name' | 'categoryId' | 'status'>;

/** Gives the function that takes a batch of animals in one transaction. */
export function createImporter(
  database: Database,
): (batch: readonly ImportedPet[], dryRun: boolean) => ImportOutcome {
  const findCategory = database.query<{ id: bigint }, [string]>(
    'SELECT id FROM categories WHERE name_folded = ?',
  );
  const insertCategory = database.query<{ id: bigint }, [string, string]>(
    'INSERT INTO categories (name, name_folded) VALUES (?, ?) RETURNING id',
  );
  const findPet = database.query<Known, [string]>(
    'SELECT id, name, category_id AS categoryId, status FROM pets WHERE external_id = ?',
  );
  const insertPet = database.query<null, [string, string, bigint, PetStatus, string | null]>(
    `INSERT INTO pets (name, name_folded, category_id, status, external_id)
     VALUES (?, ?, ?, ?, ?)`,
  );
  const updatePet = database.query<null, [string, string, bigint, PetStatus, bigint]>(
    'UPDATE pets SET name = ?, name_folded = ?, category_id = ?, status = ? WHERE id = ?',
  );

  function take(batch: readonly ImportedPet[], dryRun: boolean): ImportOutcome {
    const outcome = { created: 0, changed: 0, unchanged: 0, categoriesCreated: [] as string[] };
    const categories = new Map<string, bigint | undefined>();

    /** The id of a category; undefined for one that a dry run would create. */
    function categoryId(category: ImportedPet['category']): bigint | undefined {
      if ('id' in category) return category.id;
      const folded = foldCase(category.name);
      if (categories.has(folded)) return categories.get(folded);
      let id = findCategory.get(folded)?.id;
      if (id === undefined) {
        outcome.categoriesCreated.push(category.name);
        if (!dryRun) id = insertCategory.get(category.name, folded)?.id;
      }
      categories.set(folded, id);
      return id;
    }

    for (const pet of batch) {
      const category = categoryId(pet.category);
      const known = pet.externalId === undefined ? null : findPet.get(pet.externalId);
      if (known === null) {
        outcome.created++;
        if (category === undefined) continue;
        if (dryRun) continue;
        insertPet.run(pet.name, foldCase(pet.name), category, pet.status, pet.externalId ?? null);
      } else if (isSame(known, pet, category)) {
        outcome.unchanged++;
      } else {
        outcome.changed++;
        if (category === undefined || dryRun) continue;
        updatePet.run(pet.name, foldCase(pet.name), category, pet.status, known.id);
      }
    }
    return outcome;
  }

  // A dry run reads in a transaction too, so that it sees one state of the database.
  const transaction = database.transaction(take);
  return (batch, dryRun) =>
    dryRun ? transaction.deferred(batch, dryRun) : transaction.immediate(batch, dryRun);
}

function isSame(known: Known, pet: ImportedPet, categoryId: bigint | undefined): boolean {
  return known.name === pet.name && known.status === pet.status && known.categoryId === categoryId;
}
