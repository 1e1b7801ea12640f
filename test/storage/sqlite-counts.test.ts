import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import type { Storage } from '../../src/domain/storage.ts';
import { openStorage } from '../../src/storage/open.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { anyState, imported } from './subject.ts';

/** The animals by status and by category, as the rows have them. */
function counted(path: string) {
  using database = new Database(path);
  const by = <Value>(column: string) =>
    database
      .query<{ value: Value; pets: number }, []>(
        `SELECT ${column} AS value, count(*) AS pets FROM pets GROUP BY ${column} ORDER BY ${column}`,
      )
      .all();
  return { statuses: by<string>('status'), categories: by<number>('category_id') };
}

/** The same, as the statistics have them. */
async function reported({ stats }: Storage) {
  const statuses = Object.entries(await stats.pets());
  const categories = await stats.categories(100);
  return {
    statuses: statuses.map(([value, pets]) => ({ value, pets })).filter(({ pets }) => pets > 0),
    categories: categories
      .map(({ id, pets }) => ({ value: Number(id), pets }))
      .filter(({ pets }) => pets > 0)
      .sort((a, b) => a.value - b.value),
  };
}

/** Adds animals in one transaction, in each of three categories. */
async function addPets({ pets }: Storage, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, n) =>
    imported({ category: { name: `Category ${n % 3}` } }),
  );
  await pets.importBatch(rows, CHANGE_STAMP);
}

test('animals count before and after they are counted 256 at a time', async () => {
  using folder = createTemporaryFolder();
  const path = folder.file('petstore.db');
  const storage = await openStorage(`sqlite:${path}`, 'production');
  const { pets } = storage;
  for (const count of [255, 1, 1, 300, 7, 500]) {
    await addPets(storage, count);
    expect(await reported(storage)).toEqual(counted(path));
  }
  // On both sides of each step.
  for (const id of [1n, 255n, 256n, 257n, 513n, 1_024n, 1_064n]) {
    const { categoryId = 0n } = (await pets.find(id)) ?? {};
    const elsewhere = { categoryId: (categoryId % 3n) + 1n, status: 'sold' } as const;
    await pets.update(id, elsewhere, CHANGE_STAMP, anyState);
    expect(await reported(storage)).toEqual(counted(path));
    await pets.remove(id, CHANGE_STAMP, anyState);
    expect(await reported(storage)).toEqual(counted(path));
  }
  await storage.close();
});

test('animals that are copied below the ids counted so far count too', async () => {
  using folder = createTemporaryFolder();
  const path = folder.file('petstore.db');
  const storage = await openStorage(`sqlite:${path}`, 'production');
  await addPets(storage, 600);
  for (const id of [3n, 4n, 256n]) await storage.pets.remove(id, CHANGE_STAMP, anyState);
  using database = new Database(path);
  for (const id of [4, 256, 3]) {
    database.run(
      `INSERT INTO pets (id, name, name_folded, category_id, status, was_offered, added_at)
       VALUES (?, 'Tom', 'tom', 2, 'pending', 1, 0)`,
      [id],
    );
    expect(await reported(storage)).toEqual(counted(path));
  }
  await storage.close();
});
