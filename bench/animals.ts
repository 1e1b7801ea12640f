import { PET_STATUSES, type PetStatus } from '../src/domain/pet.ts';
import { openStorage } from '../src/storage/open.ts';

/** An animal of the measured database as JSON; every number is below 2^53. */
export interface BenchAnimal {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number;
  readonly status: PetStatus;
}

/** Categories of the animals, in turn. */
export const CATEGORIES = 40;
const BATCH = 10_000;

/** Returns the animal with this id. It is the same in every run, so any response can be checked. */
export function animalAt(id: number): BenchAnimal {
  return {
    id,
    name: `Animal ${String(id).padStart(8, '0')}`,
    categoryId: 1 + (id % CATEGORIES),
    status: PET_STATUSES[id % PET_STATUSES.length] ?? 'available',
  };
}

/** Creates a database with the animals 1 to `count`, through the storage instead of HTTP. */
export async function createDatabase(address: string, count: number): Promise<void> {
  const storage = await openStorage(address, 'production');
  try {
    for (let first = 1; first <= count; first += BATCH) {
      const length = Math.min(BATCH, count - first + 1);
      const batch = Array.from({ length }, (_, index) => {
        const { name, categoryId, status } = animalAt(first + index);
        return { name, status, category: { id: BigInt(categoryId) }, externalId: undefined };
      });
      await storage.pets.importBatch(batch, { at: Date.now(), keyId: null });
    }
  } finally {
    await storage.close();
  }
}

/** Counts the animals of a database. Servers may be running on it. */
export async function countAnimals(address: string): Promise<number> {
  const storage = await openStorage(address, 'production');
  try {
    return await storage.pets.count();
  } finally {
    await storage.close();
  }
}
