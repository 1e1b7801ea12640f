import { settings } from './settings.ts';

const PREFIX = 'PETSTORE_';
/** Not a setting: clients in the guides read their key from it. */
const OF_CLIENTS = 'PETSTORE_API_KEY';

/** A variable that looks like a setting but is none, probably a typo. */
export interface UnknownVariable {
  readonly name: string;
  /** The setting with the most similar name. */
  readonly nearest: string;
}

/** Finds variables that start with `PETSTORE_` but belong to no setting. */
export function unknownVariables(
  variables: Readonly<Partial<Record<string, string>>>,
): readonly UnknownVariable[] {
  const known = Object.values(settings).map(({ variable }): string => variable);
  return Object.keys(variables)
    .filter((name) => name.startsWith(PREFIX) && name !== OF_CLIENTS && !known.includes(name))
    .map((name) => ({ name, nearest: nearest(name, known) }));
}

function nearest(name: string, known: readonly string[]): string {
  return known.reduce((best, each) =>
    editDistance(name, each) < editDistance(name, best) ? each : best,
  );
}

/** The Levenshtein distance. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [row, letter] of [...from].entries()) {
    const current = [row + 1];
    for (const [column, other] of [...to].entries()) {
      const replaced = (previous[column] ?? 0) + (letter === other ? 0 : 1);
      const inserted = (current[column] ?? 0) + 1;
      const deleted = (previous[column + 1] ?? 0) + 1;
      current.push(Math.min(replaced, inserted, deleted));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}
