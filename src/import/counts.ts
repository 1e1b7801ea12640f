import { foldCase } from '../domain/name.ts';
import type { ImportOutcome } from '../domain/pet.ts';

/** Counts of animals, also in a dry run. */
export interface ImportCounts {
  readonly created: number;
  readonly changed: number;
  /** Animals that match their row, or whose row is the same as in the last import. */
  readonly unchanged: number;
  /** Part of `unchanged`: changed in the database since the last import. */
  readonly kept: number;
  /** Part of `unchanged`: removed from the database since the last import. */
  readonly removed: number;
  /** Not changed, because an open order holds them. */
  readonly held: number;
  readonly categories: number;
}

/** Counts the outcomes of batches. */
export interface OutcomeCounter {
  counts(): ImportCounts;
  /** Returns what the counts will be with one more outcome. */
  with(outcome: ImportOutcome): ImportCounts;
  add(outcome: ImportOutcome): void;
}

/** Creates a counter at 0. */
export function createOutcomeCounter(): OutcomeCounter {
  let counts: ImportCounts = {
    ...{ created: 0, changed: 0, unchanged: 0, kept: 0, removed: 0 },
    ...{ held: 0, categories: 0 },
  };
  // A dry run creates no category, so several batches can report the same one.
  const categories = new Set<string>();

  function countsWith(outcome: ImportOutcome): ImportCounts {
    const { created, changes, unchanged, kept, removed, held, categoriesCreated } = outcome;
    const newCategories = categoriesCreated.filter((name) => !categories.has(foldCase(name)));
    return {
      created: counts.created + created,
      changed: counts.changed + changes.length,
      unchanged: counts.unchanged + unchanged + kept + removed,
      kept: counts.kept + kept,
      removed: counts.removed + removed,
      held: counts.held + held.length,
      categories: counts.categories + newCategories.length,
    };
  }

  return {
    counts: () => counts,
    with: countsWith,
    add(outcome) {
      counts = countsWith(outcome);
      for (const name of outcome.categoriesCreated) categories.add(foldCase(name));
    },
  };
}
