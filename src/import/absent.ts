import type { ImportPolicy } from '../domain/import.ts';
import type { BroughtPet, ImportedPet, PetStorage } from '../domain/pet.ts';
import { asHere } from './batches.ts';
import type { CheckedRows } from './check-rows.ts';

/** Animals in one query. */
const BATCH = 1_000;

type Imported = Pick<PetStorage, 'findImported' | 'presentImported'>;

/** Finds the animals that imports brought under these external ids. */
export async function findBrought(
  externalIds: Iterable<string>,
  pets: Imported,
): Promise<ReadonlyMap<string, BroughtPet>> {
  const all = [...externalIds];
  const found = new Map<string, BroughtPet>();
  for (let start = 0; start < all.length; start += BATCH) {
    for (const pet of await pets.findImported(all.slice(start, start + BATCH))) {
      found.set(pet.externalId, pet);
    }
  }
  return found;
}

/** Animals of earlier imports that are present here and missing from a file. */
export interface MissingAnimals {
  readonly present: number;
  readonly missing: readonly BroughtPet[];
  /** Nothing is done about them: they are too many, or the file is empty. */
  readonly isHeld: boolean;
  /** What to import for them. */
  readonly changes: readonly ImportedPet[];
}

/** Finds out who is missing from a file, and what to do about it. */
export async function findMissing(
  { repeatable, seen, rows }: CheckedRows,
  pets: Imported,
  { missing: choice, missingMost }: ImportPolicy,
): Promise<MissingAnimals> {
  const missing: BroughtPet[] = [];
  let present = 0;
  let after = 0n;
  while (repeatable) {
    const page = await pets.presentImported(after, BATCH);
    present += page.length;
    missing.push(...page.filter(({ externalId }) => !seen.has(externalId)));
    if (page.length < BATCH) break;
    after = page.at(-1)?.id ?? after;
  }
  const isHeld = rows === 0 || missing.length * 100 > missingMost * present;
  if (choice === 'keep' || isHeld) return { present, missing, isHeld, changes: [] };
  const changes = missing.map((pet) => {
    if (choice === 'unpublish') return { ...asHere(pet), profile: { published: false } };
    const outcome = { type: 'other', date: undefined } as const;
    return { ...asHere(pet), status: 'sold' as const, outcome };
  });
  return { present, missing, isHeld, changes };
}

/** Divides animals into batches. */
export function* inBatches(
  animals: readonly ImportedPet[],
  size: number,
): Generator<readonly ImportedPet[]> {
  for (let start = 0; start < animals.length; start += size) {
    yield animals.slice(start, start + size);
  }
}
