import type { ImportedPet } from '../domain/pet.ts';
import type { AnimalReader, LeftOutRow } from './animal-reader.ts';
import { Rejection, type Row } from './row-source.ts';

/** Reads the animal of a row, and returns the reason for a row that has none. */
export function readAnimal(row: Row, read: AnimalReader): ImportedPet | LeftOutRow | Rejection {
  try {
    return read(row);
  } catch (error) {
    if (error instanceof Rejection) return error;
    throw error;
  }
}
