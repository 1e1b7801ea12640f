/** What can be done to several animals at once. */
import { categoryName } from '../../../categories.ts';
import { count } from '../../../format.ts';
import { notify } from '../../../notices.ts';
import {
  type Int64,
  type Pet,
  type PetChange,
  type PetStatus,
  PetstoreError,
  store,
} from '../../../service.ts';
import { noteAnimal, noteRemoval } from '../newest.ts';
import { runWork } from './run-dialog.tsx';

/** Gives several animals a status. */
export async function changeStatuses(pets: readonly Pet[], status: PetStatus): Promise<void> {
  await changeAll(
    pets,
    { status },
    `Changing the status of ${count(pets.length, 'animal')}`,
    `now ${status}`,
  );
}

/** Moves several animals to a category. */
export async function changeCategories(pets: readonly Pet[], categoryId: Int64): Promise<void> {
  await changeAll(
    pets,
    { categoryId },
    `Moving ${count(pets.length, 'animal')} to ${categoryName(categoryId)}`,
    `now in ${categoryName(categoryId)}`,
  );
}

/** Removes several animals. One that is already gone counts as removed. */
export async function removeAll(pets: readonly Pet[]): Promise<void> {
  const removed = await runWork({
    ...{ title: `Removing ${count(pets.length, 'animal')}`, pets },
    async act({ id }) {
      try {
        await store.pets.delete(id);
      } catch (error) {
        if (!(error instanceof PetstoreError) || error.code !== 'pet_not_found') throw error;
      }
      noteRemoval(id);
    },
  });
  if (removed.length > 0) {
    const were = removed.length === 1 ? 'was' : 'were';
    notify(`${count(removed.length, 'animal')} ${were} removed.`);
  }
}

/** Makes the same change to several animals. The notice can undo it. */
async function changeAll(
  pets: readonly Pet[],
  change: PetChange,
  title: string,
  result: string,
): Promise<void> {
  const results = new Map<Int64, Pet>();
  const changed = await runWork({
    ...{ title, pets },
    async act({ id }) {
      const result = await store.pets.update(id, change);
      results.set(id, result);
      noteAnimal(result);
    },
  });
  if (changed.length === 0) return;
  notify(`${animalsAre(changed)} ${result}.`, () => putBack(changed, change, results));
}

/** `1 animal is`, `2 animals are` */
function animalsAre(pets: readonly Pet[]): string {
  return `${count(pets.length, 'animal')} ${pets.length === 1 ? 'is' : 'are'}`;
}

/** Gives animals the values back that they had, unless somebody else has changed them since. */
async function putBack(
  pets: readonly Pet[],
  change: PetChange,
  results: ReadonlyMap<Int64, Pet>,
): Promise<void> {
  const fields = Object.keys(change) as (keyof PetChange)[];
  await runWork({
    ...{ title: `Putting ${count(pets.length, 'animal')} back`, pets },
    async act(pet) {
      const before = Object.fromEntries(fields.map((field) => [field, pet[field]]));
      const ifMatch = results.get(pet.id);
      const result = await store.pets.update(pet.id, before, { ...(ifMatch && { ifMatch }) });
      noteAnimal(result);
    },
  });
}
