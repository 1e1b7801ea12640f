import { type AnimalCounts, countsAfter, NO_ANIMALS } from '../../domain/import.ts';
import { foldCase } from '../../domain/name.ts';
import type { ImportOutcome } from '../../domain/pet.ts';

/** Counts of animals and categories, also in a dry run. */
export interface ImportCounts extends AnimalCounts {
  /** Part of `unchanged`: changed in the database since the last import. */
  readonly kept: number;
  /** Part of `unchanged`: removed from the database since the last import. */
  readonly removed: number;
  readonly categories: number;
}

/** Counts the outcomes of batches. */
export interface OutcomeCounter {
  counts(): ImportCounts;
  add(outcome: ImportOutcome): void;
}

/** Creates a counter at 0. */
export function createOutcomeCounter(): OutcomeCounter {
  let animals = NO_ANIMALS;
  let kept = 0;
  let removed = 0;
  // A dry run creates no category, so several batches can report the same one.
  const categories = new Set<string>();
  return {
    counts: () => ({ ...animals, kept, removed, categories: categories.size }),
    add(outcome) {
      animals = countsAfter(animals, outcome);
      kept += outcome.kept;
      removed += outcome.removed;
      for (const name of outcome.categoriesCreated) categories.add(foldCase(name));
    },
  };
}
