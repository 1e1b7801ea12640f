import { foldCase } from '../../domain/name.ts';
import type { ImportedPet } from '../../domain/pet.ts';
/** Characters of a fingerprint for what a row says of the animal; the others are for its profile. */
export const HALF = 32;

/**
 * A hash of what a row says. The category counts as the file names it, so a row stays the same when the
 * category is renamed or removed here. A row that says nothing of the profile never did.
 */
export function fingerprintOf(
  { name, category, status, profile }: ImportedPet,
  known: string | undefined,
): string {
  const named = 'id' in category ? { id: String(category.id) } : { name: foldCase(category.name) };
  const pet = hashOf([name, status, named]);
  if (profile !== undefined) return pet.slice(0, HALF) + hashOf(profile).slice(HALF);
  return known?.startsWith(pet.slice(0, HALF)) ? known : pet;
}

function hashOf(value: unknown): string {
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(value)).digest('hex');
}
