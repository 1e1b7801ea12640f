import { WrongMapping } from './wrong-mapping.ts';

/** A name for animals without one, made from columns of their row. */
export interface NameTemplate {
  readonly columns: readonly string[];
  /** Builds a name; `cell` returns the text of a column. */
  fill(cell: (column: string) => string): string;
}

const PLACEHOLDER = /\{([^{}]*)\}/g;

/** Reads `Unnamed {AnimalType}`. Throws `WrongMapping` for a wrong template. */
export function parseNameTemplate(text: string): NameTemplate {
  if (text.trim() === '') throw new WrongMapping('It must not be empty.');
  if (/[{}]/.test(text.replaceAll(PLACEHOLDER, ''))) {
    throw new WrongMapping('Each { needs a }, with the name of a column between them.');
  }
  const columns = [...text.matchAll(PLACEHOLDER)].map(([, column = '']) => column.trim());
  return {
    columns,
    fill: (cell) =>
      text.replaceAll(PLACEHOLDER, (_placeholder, column: string) => cell(column.trim())).trim(),
  };
}
