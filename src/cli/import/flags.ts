import { InvalidArgumentError } from 'commander';
import type { MappingTerms } from '../../import/columns.ts';
import { WrongMapping } from '../../import/wrong-mapping.ts';

/** The flags of the mapping. */
export const FLAGS: MappingTerms = {
  name: '--name',
  category: '--category',
  categoryId: '--category-id',
  status: '--status',
  statusMap: '--status-map',
  externalId: '--external-id',
  unnamed: '--unnamed',
};

/** Turns a parser of a mapping into one of the argument of a flag. */
export function argumentOf<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      if (error instanceof WrongMapping) throw new InvalidArgumentError(error.message);
      throw error;
    }
  };
}
