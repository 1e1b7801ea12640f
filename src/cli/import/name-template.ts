import { InvalidArgumentError } from 'commander';

/** A name for animals that have none, with columns of their row in it. */
export interface NameTemplate {
  /** The columns it takes. */
  readonly columns: readonly string[];
  /** Makes a name; `cell` gives the text of a column. */
  fill(cell: (column: string) => string): string;
}

const PLACE = /\{([^{}]*)\}/g;

/** Reads `Unnamed {AnimalType}`. Throws `InvalidArgumentError` for a wrong template. */
export function nameTemplateArgument(text: string): NameTemplate {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  if (/[{}]/.test(text.replaceAll(PLACE, ''))) {
    throw new InvalidArgumentError('Each { needs its }, with the name of a column between them.');
  }
  const columns = [...text.matchAll(PLACE)].map(([, column = '']) => column.trim());
  return {
    columns,
    fill: (cell) => text.replaceAll(PLACE, (_place, column: string) => cell(column.trim())).trim(),
  };
}
