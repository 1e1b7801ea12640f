import * as z from 'zod';
import { PET_NAME_MAX } from '../../domain/name.ts';
import { parseNameTemplate } from '../../import/name-template.ts';
import { parseStatusMap } from '../../import/status-map.ts';
import { WrongMapping } from '../../import/wrong-mapping.ts';
import { textInQuery } from '../contract/fields.ts';

/** Names of columns are as long as any cell that names an animal. */
const COLUMN_MAX = PET_NAME_MAX;
const TEXT_MAX = 2_000;

const column = (description: string) => textInQuery(description, COLUMN_MAX);

/** A text that `parse` accepts: it throws `WrongMapping`. */
function parsedText(description: string, parse: (text: string) => unknown) {
  return textInQuery(description, TEXT_MAX).superRefine((text, context) => {
    try {
      if (text !== undefined && text.length <= TEXT_MAX) parse(text);
    } catch (error) {
      if (!(error instanceof WrongMapping)) throw error;
      const message = `is wrong: ${error.message.replace(/\.$/, '')}`;
      context.addIssue({ code: 'custom', message });
    }
  });
}

/** `true` or `false`, as an optional query parameter. */
function flag(description: string) {
  return (
    z
      .string()
      // No enum: in the document it would be one of strings, and the type is boolean.
      .refine((word) => word === 'true' || word === 'false', { error: 'must be true or false' })
      .transform((word) => word === 'true')
      .optional()
      .meta({ description, override: { type: 'boolean', default: false } })
  );
}

/** The mapping of an import, as `petstore import` takes it in flags. */
export const importQuery = z
  .object({
    dryRun: flag('Write nothing: the counts say what would happen.'),
    overwrite: flag('Let the file win over changes and removals since the last import.'),
    name: column('Column with the names. By default `name`.'),
    category: column('Column with names of categories. New categories are created.'),
    categoryId: column(
      'Column with ids of categories, in place of `category`. By default `categoryId`.',
    ),
    status: column('Column with the status. By default `status`, if there is one.'),
    statusMap: parsedText(
      'What the values of the status become, for example `Adoption=sold,Died=skip,*=available`. `skip` leaves a row out, `*` stands for all other values. Without it, the status must be `available`, `pending` or `sold`; empty means available.',
      parseStatusMap,
    ),
    externalId: column(
      'Column with the ids of your own system, so that you can import the file again. By default `external_id`, if there is one.',
    ),
    unnamed: parsedText(
      'Name for animals without one, with columns in braces, for example `Unnamed {Species}`. Without it, their rows are rejected.',
      parseNameTemplate,
    ),
  })
  .superRefine(({ category, categoryId }, context) => {
    if (category === undefined || categoryId === undefined) return;
    const message = 'must not be given together with category';
    context.addIssue({ code: 'custom', path: ['categoryId'], message });
  });
