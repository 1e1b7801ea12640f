/** The categories of a file, and those of the shop that they become. */
import { foldCase } from '../../../domain/name.ts';
import { PROFILE_FIELDS } from '../../../domain/profile.ts';
import { wordIn } from '../../../import/words.ts';
import type { FileSample } from './file-sample.ts';

/** What was chosen of categories. */
export interface ChosenCategories {
  /** The column with names of categories, or with ids of categories; `ONE_KIND` if all are of one. */
  readonly category: string;
  readonly isCategoryId: boolean;
  /** What values of the category become, by their folded texts; others stay as they are. */
  readonly categories: Readonly<Record<string, string>>;
}

/** Returns the category that a value becomes: the one of the shop that means the same, else a new one. */
export function categoryFor(
  value: string,
  { categories }: Pick<ChosenCategories, 'categories'>,
  existing: readonly string[],
): string {
  const chosen = categories[foldCase(value)];
  if (chosen !== undefined) return chosen;
  const same = existing.find((name) => foldCase(name) === foldCase(value));
  if (same !== undefined) return same;
  const species = speciesOf(value);
  const [only, other] =
    species === undefined ? [] : existing.filter((name) => speciesOf(name) === species);
  return only !== undefined && other === undefined ? only : value;
}

const speciesOf = (text: string) => {
  const species = wordIn('species', PROFILE_FIELDS.species.words, text);
  return species === 'other' ? undefined : species;
};

/** The values of the category column, if they are names and few enough to choose for each. */
export function categoryValues(sample: FileSample, mapping: ChosenCategories): readonly string[] {
  if (mapping.isCategoryId) return [];
  const values = sample.values.get(mapping.category);
  return [...(values?.keys() ?? [])].filter((value) => value !== '');
}
