import type { Pet, PetStorage } from '../../domain/pet.ts';

/** External ids in one query. */
const BATCH_IDS = 1_000;

/** Finds the animals with these external ids that are not sold, ascending by id. */
export async function findStillPublished(
  externalIds: ReadonlySet<string>,
  pets: PetStorage,
): Promise<readonly Pet[]> {
  const all = [...externalIds];
  const published: Pet[] = [];
  for (let start = 0; start < all.length; start += BATCH_IDS) {
    const found = await pets.findImported(all.slice(start, start + BATCH_IDS));
    published.push(...found.filter(({ status }) => status !== 'sold'));
  }
  return published.sort((a, b) => Number(a.id - b.id));
}
