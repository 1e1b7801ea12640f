import * as z from 'zod';
import {
  IMPORT_FAILURE_CODES,
  IMPORT_STATUSES,
  type ImportRecord,
  MISSING_CHOICES,
  MISSING_MOST,
  PROFILE_PARTS,
  type ProfilePart,
  REASON_MAX,
  REJECTED_ROWS_MAX,
  UNREAD_MAX,
} from '../../domain/import.ts';
import { CATEGORY_NAME_MAX, PET_NAME_MAX } from '../../domain/name.ts';
import { PROFILE_FIELD_NAMES } from '../../domain/profile.ts';
import {
  encodingNamed,
  PART_NOTES,
  parseCategoryMap,
  parseNameTemplate,
  parseStatusMap,
  WEIGHT_UNITS,
  WrongMapping,
} from '../../import/mapping.ts';
import { oneOf, textInQuery, wholeInQuery } from '../contract/request-fields.ts';
import {
  assignedIdOut,
  countOut,
  recordOut,
  timeOut,
  timeText,
} from '../contract/response-fields.ts';

const MESSAGE_MAX = 2_000;
const TEXT_PATTERN = String.raw`^[\s\S]+$`;

const text = (description: string, maxLength: number) =>
  z.string().meta({ description, minLength: 1, maxLength, pattern: TEXT_PATTERN });

const rejectedRowSchema = recordOut(
  'RejectedRow',
  'A row of a file that cannot become an animal.',
  () => ({
    line: z.int().min(1).meta({ description: 'Line it starts on.', format: 'int64' }),
    reason: text('Why it cannot become an animal. Quotes values of the row.', REASON_MAX),
  }),
);

const failureSchema = recordOut('ImportFailure', 'Why an import failed.', () => ({
  code: oneOf(IMPORT_FAILURE_CODES).meta({ description: 'Machine-readable reason.' }),
  message: text('Description for people, and what to do.', MESSAGE_MAX),
}));

const unreadSchema = recordOut(
  'UnreadValues',
  'Values for a profile that fit nothing, so that it stayed as it was.',
  () => ({
    part: oneOf(['age', 'ageAt', ...PROFILE_FIELD_NAMES]).meta({
      description: 'Parameter of its column.',
    }),
    rows: countOut('Rows with such values.'),
    example: z.string().meta({
      description: 'The first of these values.',
      maxLength: UNREAD_MAX,
      pattern: String.raw`^[\s\S]*$`,
    }),
    examples: z
      .array(z.string().meta({ maxLength: UNREAD_MAX, pattern: String.raw`^[\s\S]*$` }))
      .max(3)
      .meta({ description: 'The first three of them that differ.' }),
    reason: text('Why it was not read, where more is known.', UNREAD_MAX).optional(),
  }),
);

const COLUMNS_MAX = 1_100;
const recognisedSchema = recordOut(
  'RecognisedColumn',
  'A column of a file, and what it was taken for.',
  () => ({
    part: text('What it was taken for: a parameter, or a part of a stay.', 100),
    column: text('Its header.', MESSAGE_MAX),
  }),
);

const summaryFields = () => ({
  id: assignedIdOut('Unique identifier assigned by the service.'),
  status: oneOf(IMPORT_STATUSES).meta({
    description:
      '`queued`: waits for its turn. `reading`: the file is checked, nothing is written yet. `running`: animals are written. `completed` and `failed` are final.',
  }),
  dryRun: z.boolean().meta({ description: 'Nothing is written: the counts say what would be.' }),
  keyId: assignedIdOut('Id of the API key that started it.'),
  createdAt: timeOut('When it was started'),
  endedAt: timeOut('When it ended').optional(),
  read: countOut('Rows read: while `reading` of the first pass, then again from 0.'),
  total: countOut('All rows of the file. Absent until it has been read.').optional(),
  created: countOut('Animals added.'),
  changed: countOut('Animals changed.'),
  unchanged: countOut(
    'Animals that match their row, or whose row is the same as in the last import.',
  ),
  held: countOut('Animals left as they are, because an open adoption holds them.'),
  skipped: countOut('Rows that the status map leaves out.'),
  repeated: countOut('Rows that do not count, because a later one has the same external id.'),
  rejected: countOut('Rows that cannot become animals.'),
  left: countOut('Animals here that the file says have left: they are sold and unpublished.'),
  leftBefore: countOut('Animals left out, because they had left before they ever came here.'),
  missing: countOut('Animals of earlier imports that are present here and missing from the file.'),
  missingHeld: z.boolean().meta({
    description: 'Nothing was done about missing animals: too many, or the file is empty.',
  }),
  failure: failureSchema.optional(),
});

/** An import in a list. */
export const importSummarySchema = recordOut(
  'ImportSummary',
  'An import of a file, without its rejected rows.',
  summaryFields,
);

/** An import. */
export const importSchema = recordOut('Import', 'An import of a file.', () => ({
  ...summaryFields(),
  rejectedRows: z
    .array(rejectedRowSchema)
    .max(REJECTED_ROWS_MAX)
    .meta({ description: `The first ${REJECTED_ROWS_MAX} rejected rows.` }),
  recognised: z
    .array(recognisedSchema)
    .max(COLUMNS_MAX)
    .meta({ description: 'What the columns were taken for.' }),
  unread: z.array(unreadSchema).max(PROFILE_PARTS.length).meta({
    description: 'Values of imported rows that fit nothing in the profile. They reject no row.',
  }),
}));

/** Returns an import without its rejected rows. */
export function importSummaryValue(record: ImportRecord) {
  const { id, status, dryRun, keyId, createdAt, endedAt, rows, animals, failure } = record;
  return {
    id,
    status,
    dryRun,
    keyId,
    createdAt: timeText(createdAt),
    ...(endedAt !== null && { endedAt: timeText(endedAt) }),
    read: rows.read,
    ...(rows.total !== null && { total: rows.total }),
    ...animals,
    skipped: rows.skipped,
    repeated: rows.repeated,
    rejected: rows.rejected,
    left: rows.left ?? 0,
    leftBefore: rows.leftBefore ?? 0,
    missing: rows.missing ?? 0,
    missingHeld: rows.missingHeld ?? false,
    ...(failure !== null && { failure: { ...failure } }),
  };
}

/** Returns an import. */
export function importValue(record: ImportRecord) {
  const rejectedRows = record.rejectedRows.map(({ line, reason }) => ({ line, reason }));
  const unread = (record.rows.unread ?? []).map(({ examples, reason, ...values }) => ({
    ...values,
    examples: [...(examples ?? [values.example])],
    ...(reason !== undefined && { reason }),
  }));
  const recognised = (record.rows.recognised ?? []).map(({ part, column }) => ({ part, column }));
  return { ...importSummaryValue(record), rejectedRows, recognised, unread };
}

/** Names of columns are as long as any cell that names an animal. */
const COLUMN_MAX = PET_NAME_MAX;
const ENCODING_MAX = 40;
const TEXT_MAX = 2_000;

/** Described for each of 40 parameters, not made again: that would take 2 % of a start. */
const COLUMN = textInQuery('Column.', COLUMN_MAX, 'Column');
const column = (description: string, example: string) =>
  COLUMN.meta({ description, param: { example } });

/** The parameters that name the columns of profiles, as its fields are called. */
const profileColumns = Object.fromEntries(
  PROFILE_PARTS.map((part) => {
    const note = PART_NOTES[part] ?? '';
    return [part, column(`Column for \`${part}\` of the profile. ${note}`.trim(), part)];
  }),
) as Record<ProfilePart, ReturnType<typeof column>>; // One for each part.

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
    publish: flag('Publish the animals. Otherwise none is published or unpublished.'),
    onlyNamed: flag(
      'Read profiles from the columns that are named here alone, not from known headers.',
    ),
    name: column('Column with the names. By default the one that is recognised.', 'Animal Name'),
    category: column('Column with names of categories. New categories are created.', 'Animal Type'),
    categoryId: column(
      'Column with ids of categories, in place of `category`. By default `categoryId`, if there is one.',
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
      'Nothing is done about missing animals when more of the present ones are missing, in percent.',
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
      'Column with the ids of your own system, so that you can import the file again. By default the one that is recognised.',
      'Animal ID',
    ),
    unnamed: parsedText(
      'Name for animals without one, with columns in braces, for example `Unnamed {Species}`. Without it, their rows are rejected.',
      'Unnamed {Species}',
      parseNameTemplate,
    ),
    ...profileColumns,
  })
  .superRefine(({ category, categoryId, categoryIs }, context) => {
    const given = Object.entries({ category, categoryId, categoryIs }).filter(([, one]) => one);
    const [[first] = [], [second] = []] = given;
    if (first === undefined || second === undefined) return;
    const message = `must not be given together with ${first}`;
    context.addIssue({ code: 'custom', path: [second], message });
  });
