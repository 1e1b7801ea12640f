import * as z from 'zod';
import {
  MISSING_CHOICES,
  MISSING_MOST,
  PROFILE_PARTS,
  type ProfilePart,
  STAY_PARTS,
  type StayPart,
} from '../../domain/import.ts';
import { CATEGORY_NAME_MAX, PET_NAME_MAX } from '../../domain/name.ts';
import {
  encodingNamed,
  PART_NOTES,
  parseCategoryMap,
  parseNameTemplate,
  parseStatusMap,
  STAY_NOTES,
  WEIGHT_UNITS,
  WrongMapping,
} from '../../import/mapping.ts';
import { oneOf, textInQuery, wholeInQuery } from '../contract/request-fields.ts';

/** Names of columns are as long as any cell that names an animal. */
const COLUMN_MAX = PET_NAME_MAX;
const ENCODING_MAX = 40;
const TEXT_MAX = 2_000;

/** One schema, described for each of 40 parameters: to make as many would take 2 % of a start. */
const COLUMN = textInQuery('Column.', COLUMN_MAX, 'Column');
const column = (description: string, example: string) =>
  COLUMN.meta({ description, param: { example } });

/** The parameters that name the columns of profiles, as its fields are called. */
const profileColumns = Object.fromEntries(
  PROFILE_PARTS.map((part) => {
    const note = PART_NOTES[part] ?? '';
    return [part, column(`Column. ${note}`.trim(), part)];
  }),
) as Record<ProfilePart, ReturnType<typeof column>>; // One for each part.

/** The parameters that name the columns of stays. */
const stayColumns = Object.fromEntries(
  STAY_PARTS.map((part) => [part, column(`Column with ${STAY_NOTES[part]}.`, part)]),
) as Record<StayPart, ReturnType<typeof column>>; // One for each part.

/** A text that `parse` accepts: it throws `WrongMapping`. */
function parsedText(description: string, example: string, parse: (text: string) => unknown) {
  return textInQuery(description, TEXT_MAX, example).superRefine((text, context) => {
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
function flag(description: string, fallback = false) {
  return (
    z
      .string()
      // No enum: in the document it would be one of strings, and the type is boolean.
      .refine((word) => word === 'true' || word === 'false', { error: 'must be true or false' })
      .transform((word) => word === 'true')
      .optional()
      .meta({ description, override: { type: 'boolean', default: fallback } })
  );
}

/** The mapping of an import, as `petstore import` takes it in flags. */
export const importQuery = z
  .object({
    dryRun: flag('Write nothing: the counts say what would happen.'),
    overwrite: flag('Let the file win over changes and removals since the last import.'),
    publish: flag('Publish the animals. Otherwise none is published or unpublished.'),
    onlyNamed: flag(
      'Read profiles from the columns that are named here alone, not from known headers.',
    ),
    photos: flag(
      'Fetch photos by their addresses, at most 6 an animal and none twice, before the import ends.',
      true,
    ),
    name: column('Column with the names. By default the one that is recognised.', 'Animal Name'),
    category: column('Column with names of categories. New categories are created.', 'Animal Type'),
    categoryId: column(
      'Column with ids of categories, in place of `category`. By default `categoryId`.',
      'kind',
    ),
    categoryIs: textInQuery(
      'The category of all animals, for a file of one kind, in place of a column.',
      CATEGORY_NAME_MAX,
      'Dog',
    ),
    categoryMap: parsedText(
      'What the values of the category become, for example `Hund=Dog,Katze=Cat`. Others stay.',
      'Hund=Dog,Katze=Cat',
      parseCategoryMap,
    ),
    weightUnit: oneOf(WEIGHT_UNITS)
      .optional()
      .meta({ description: 'The unit of weights that have none.' }),
    withHistory: flag('Add animals too that had left before they ever came here.'),
    missing: oneOf(MISSING_CHOICES)
      .optional()
      .meta({
        description:
          'What becomes of animals of earlier imports that are present here and missing from the file. `leave` ends their stay and unpublishes them.',
        override: { type: 'string', enum: [...MISSING_CHOICES], default: 'keep' },
      }),
    missingMost: wholeInQuery(
      'Nothing is done when more of the present animals are missing, in percent.',
      [0, 100],
      MISSING_MOST,
    ),
    encoding: textInQuery(
      'The encoding of the text, as the WHATWG standard names it. By default it is found out.',
      ENCODING_MAX,
      'windows-1250',
    ).refine((name) => name === undefined || encodingNamed(name) !== undefined, {
      error: 'must be an encoding of the WHATWG standard',
    }),
    status: column(
      'Column with the status. By default the one that is recognised.',
      'Outcome Type',
    ),
    statusMap: parsedText(
      'What the values of the status become, for example `Adoption=sold,Died=skip,*=available`. `skip` leaves a row out, `*` matches all other values. A value with a comma is quoted. Without it, the words of other systems are read; empty means available.',
      'Adoption=sold,Died=skip,*=available',
      parseStatusMap,
    ),
    externalId: column(
      'Column with the ids of your own system, to import the file again.',
      'Animal ID',
    ),
    unnamed: parsedText(
      'Name for animals without one, with columns in braces. Else their rows are rejected.',
      'Unnamed {Species}',
      parseNameTemplate,
    ),
    ...profileColumns,
    ...stayColumns,
  })
  .superRefine(({ category, categoryId, categoryIs }, context) => {
    const given = Object.entries({ category, categoryId, categoryIs }).filter(([, one]) => one);
    const [[first] = [], [second] = []] = given;
    if (first === undefined || second === undefined) return;
    const message = `must not be given together with ${first}`;
    context.addIssue({ code: 'custom', path: [second], message });
  });
