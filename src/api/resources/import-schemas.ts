import * as z from 'zod';
import {
  IMPORT_FAILURE_CODES,
  IMPORT_STATUSES,
  type ImportRecord,
  PROFILE_PARTS,
  REASON_MAX,
  REJECTED_ROWS_MAX,
  STAY_PARTS,
  UNREAD_MAX,
} from '../../domain/import.ts';
import { NO_PHOTOS, PHOTO_PROBLEM_MAX, PHOTO_PROBLEMS_MAX } from '../../domain/imported-photos.ts';
import { PROFILE_FIELD_NAMES } from '../../domain/profile.ts';
import { oneOf } from '../contract/request-fields.ts';
import {
  assignedIdOut,
  countOut,
  recordOut,
  textOut,
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
  'Values for a profile or a stay that fit nothing, so that it stayed as it was.',
  () => ({
    part: oneOf(['age', 'ageAt', ...PROFILE_FIELD_NAMES, ...STAY_PARTS]).meta({
      description: 'Parameter of its column.',
    }),
    rows: countOut('Rows with such values.'),
    example: textOut('The first of these values.', UNREAD_MAX),
    examples: z
      .array(z.string().meta({ maxLength: UNREAD_MAX, pattern: String.raw`^[\s\S]*$` }))
      .max(3)
      .meta({ description: 'The first three of them that differ.' }),
    reason: text('Why it was not read, where more is known.', UNREAD_MAX).optional(),
  }),
);

const photosSchema = recordOut('ImportedPhotos', 'The photos that a file names.', () => ({
  found: countOut('Photos that the file names: at most 6 an animal.'),
  added: countOut('Photos fetched and added.'),
  known: countOut('Photos that were added before, by an earlier import or by hand.'),
  failed: countOut(
    'Photos that could not be fetched, or are not photos. The next import tries again.',
  ),
  problems: z
    .array(text('Its address without the query, and why.', PHOTO_PROBLEM_MAX))
    .max(PHOTO_PROBLEMS_MAX)
    .meta({ description: `The first ${PHOTO_PROBLEMS_MAX} of them.` }),
}));

const COLUMNS_MAX = 1_100;
const CHOICES_MAX = 200_000;
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
  photos: photosSchema,
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
  header: text('Tells its columns from those of other files.', 16).optional(),
  choices: textOut('The parameters that it was started with, as a query.', CHOICES_MAX),
  unread: z
    .array(unreadSchema)
    .max(PROFILE_PARTS.length + STAY_PARTS.length)
    .meta({
      description:
        'Values of imported rows that fit nothing in profile or stay. They reject no row.',
    }),
}));

/** Returns an import without its rejected rows. */
export function importSummaryValue(record: ImportRecord) {
  const { id, status, dryRun, keyId, createdAt, endedAt, rows, animals, failure } = record;
  const { read, total, skipped, repeated, rejected, photos = NO_PHOTOS } = rows;
  const { left = 0, leftBefore = 0, missing = 0, missingHeld = false } = rows;
  return {
    ...{ id, status, dryRun, keyId, createdAt: timeText(createdAt) },
    ...(endedAt !== null && { endedAt: timeText(endedAt) }),
    read,
    ...(total !== null && { total }),
    ...animals,
    ...{ skipped, repeated, rejected, left, leftBefore, missing, missingHeld },
    photos: { ...photos, problems: [...photos.problems] },
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
  const { header, choices } = record;
  return {
    ...importSummaryValue(record),
    ...{ rejectedRows, recognised, unread },
    ...(header !== null && { header }),
    choices,
  };
}
