import { settings } from './settings.ts';

const PREFIX = 'PETSTORE_';
/** No setting of ours: the guides have clients read their key from it. */
const OF_CLIENTS = 'PETSTORE_API_KEY';

/** A variable that looks like a setting and is none, such as one that is mistyped. */
export interface UnknownVariable {
  readonly name: string;
  /** The variable of a setting with the name most like it. */
  readonly nearest: string;
}

/** Finds the variables that begin like those of settings and belong to none. */
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

/** How many letters must be put in, left out or replaced to make one text of the other. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [row, letter] of [...from].entries()) {
    const current = [row + 1];
    for (const [column, other] of [...to].entries()) {
      const replaced = (previous[column] ?? 0) + (letter === other ? 0 : 1);
      const putIn = (current[column] ?? 0) + 1;
      const leftOut = (previous[column + 1] ?? 0) + 1;
      current.push(Math.min(replaced, putIn, leftOut));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}
