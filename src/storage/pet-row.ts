import type { NewPet } from '../domain/pet.ts';

/** The columns of a Pet under its member names, so that a row is a Pet. */
export const PET_COLUMNS = 'id, name, category_id AS "categoryId", status';

/** Whether a file brings nothing new of an animal. */
export function isSame(pet: NewPet, known: NewPet): boolean {
  return (
    known.name === pet.name && known.status === pet.status && known.categoryId === pet.categoryId
  );
}
