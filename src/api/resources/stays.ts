import * as z from 'zod';
import {
  INTAKE_TYPES,
  isHere,
  OUTCOME_TYPES,
  overlaps,
  STAY_NOTE_MAX,
  STAYS_MAX,
  type Stay,
} from '../../domain/stay.ts';
import { changes, creates, creating, showing, shows, takes } from '../contract/bodies.ts';
import { defineOperation, Missing, operationsNamed } from '../contract/operation.ts';
import { pii } from '../contract/pii.ts';
import { requireMatch, tagOf } from '../contract/precondition.ts';
import { int64InPath, linesInBody, oneOf } from '../contract/request-fields.ts';
import { assignedIdOut, linesOut, recordOut } from '../contract/response-fields.ts';
import { NO_SUCH_PET } from './pets.ts';
import { dateInBody, dateOut } from './profile-fields.ts';

const INTAKE_DATE = 'The day on which the animal came. Not after today.';
const INTAKE_TYPE = 'How it came; null if it is not known.';
const OUTCOME_DATE = 'The day on which it left: not before it came, and not after today.';
const OUTCOME_TYPE = 'How it left; null while it is here.';
const NOTE = 'Notes for staff. May have several lines.';

const newStaySchema = z
  .object({
    intakeDate: dateInBody(INTAKE_DATE).optional(),
    intakeType: oneOf(INTAKE_TYPES).nullable().optional().meta({ description: INTAKE_TYPE }),
    outcomeDate: dateInBody(OUTCOME_DATE).nullable().optional(),
    outcomeType: oneOf(OUTCOME_TYPES).nullable().optional().meta({ description: OUTCOME_TYPE }),
    note: pii(linesInBody(NOTE, STAY_NOTE_MAX)).nullable().optional(),
  })
  .meta({ id: 'NewStay', description: 'A stay to add. The days are today by default.' });

const stayChangeSchema = newStaySchema.clone().meta({
  id: 'StayChange',
  description: 'The members to change. `outcomeType` null opens the newest stay again.',
});

const fields = () => ({
  id: assignedIdOut('Unique identifier assigned by the service.'),
  petId: assignedIdOut('Id of the animal.'),
  intakeDate: dateOut(INTAKE_DATE),
  intakeType: z.enum(INTAKE_TYPES).nullable().meta({ description: INTAKE_TYPE }),
  outcomeDate: dateOut(OUTCOME_DATE).nullable(),
  outcomeType: z.enum(OUTCOME_TYPES).nullable().meta({ description: OUTCOME_TYPE }),
  note: linesOut(NOTE, STAY_NOTE_MAX).nullable(),
});
export const staySchema = recordOut(
  'Stay',
  'From the day on which an animal came until it left.',
  fields,
);
const listedStaySchema = recordOut('ListedStay', 'A stay of a list, with its entity tag.', () => ({
  ...fields(),
  etag: z.string().meta({
    description: 'Its entity tag, for `If-Match`.',
    minLength: 18,
    maxLength: 18,
    pattern: '^"[0-9a-f]{16}"$',
  }),
}));

/** Returns a stay as staff see it. */
export function stayValue(stay: Stay) {
  const { id, petId, intakeDate, intakeType, outcomeDate, outcomeType, note } = stay;
  return { id, petId, intakeDate, intakeType, outcomeDate, outcomeType, note };
}

export const STAY = {
  ...{ id: 31n, petId: 28n, intakeDate: '2026-06-12', intakeType: 'stray' },
  ...{ outcomeDate: null, outcomeType: null, note: null },
} as const satisfies Stay;
const RETURNED = { ...STAY, outcomeDate: '2026-06-20', outcomeType: 'to_owner' } as const;

const common = { stability: 'experimental', tag: 'Stays' } as const;
const onStays = {
  ...common,
  path: '/pets/{petId}/stays',
  pathParameters: z.object({ petId: int64InPath('Id of the animal.') }),
  missing: NO_SUCH_PET,
} as const;

const NO_SUCH_STAY = new Missing('stay_not_found', 'stay');

export const stayOperations = operationsNamed({
  listStays: defineOperation({
    ...onStays,
    method: 'GET',
    access: 'write',
    summary: 'List the stays of an animal',
    description:
      'Lists when and how an animal came and left, in order: an open stay is the last one.',
    success: shows(
      'Its stays.',
      z.lazy(() =>
        z
          .array(listedStaySchema)
          .max(STAYS_MAX)
          .meta({ id: 'Stays', description: 'Stays in order.' }),
      ),
      [{ ...STAY, etag: tagOf(STAY) }],
    ),
    async handle({ path }, { storage }) {
      const stays = NO_SUCH_PET.orThrow(await storage.stays.list(path.petId));
      return { value: stays.map((stay) => ({ ...stayValue(stay), etag: tagOf(stayValue(stay)) })) };
    },
  }),
  createStay: defineOperation({
    ...onStays,
    method: 'POST',
    access: 'write',
    summary: 'Add a stay',
    description:
      'Adds a stay: a past one, or the return of an animal that had left, which becomes available and is not published. Stays do not overlap, but one may begin on the day on which another ended.',
    body: takes('The stay to add.', newStaySchema, {
      ...{ intakeDate: '2025-03-01', intakeType: 'owner' },
      ...{ outcomeDate: '2025-03-20', outcomeType: 'adopted' },
    }),
    success: creates('Stay added.', staySchema, STAY),
    failures: { conflict: isHere(28n).message },
    async handle({ path, body, stamp }, { storage, baseUrl }) {
      const stay = NO_SUCH_PET.orThrow(await storage.stays.create(path.petId, body, stamp));
      return creating(`${baseUrl}/pets/${path.petId}/stays`, stayValue(stay));
    },
  }),
  updateStay: defineOperation({
    ...common,
    method: 'PATCH',
    path: '/pets/{petId}/stays/{stayId}',
    access: 'write',
    summary: 'Change a stay',
    description:
      'Changes the members that you send and leaves the others as they are (JSON merge patch, RFC 7396). An outcome of the newest stay makes the animal `sold`; unless it was `adopted`, it also unpublishes the animal and cancels an open order. `outcomeType` null opens the newest stay again, and the animal is available.',
    pathParameters: z.object({
      petId: int64InPath('Id of the animal.'),
      stayId: int64InPath('Id of the stay.'),
    }),
    missing: NO_SUCH_STAY,
    body: changes('The members to change.', stayChangeSchema, {
      outcomeType: RETURNED.outcomeType,
    }),
    success: shows('The changed stay.', staySchema, RETURNED),
    failures: { conflict: overlaps(28n).message },
    handle({ path, body, stamp, ifMatch }, { storage }) {
      const { petId, stayId } = path;
      const matches = requireMatch(ifMatch, stayValue);
      return showing(
        NO_SUCH_STAY,
        storage.stays.update(petId, stayId, body, stamp, matches),
        stayValue,
      );
    },
  }),
});
