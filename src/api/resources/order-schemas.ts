import * as z from 'zod';
import {
  ADOPTER_MAX,
  CONTACT_MAX,
  NOTE_MAX,
  ORDER_STATUSES,
  RETURN_REASON_MAX,
} from '../../domain/order.ts';
import { pii } from '../contract/pii.ts';
import { int64InBody, linesInBody, nameInBody, oneOf } from '../contract/request-fields.ts';
import {
  assignedIdOut,
  linesOut,
  nameOut,
  recordOut,
  timeOut,
} from '../contract/response-fields.ts';
import { dateInBody } from './profile-fields.ts';
import { answersOut } from './question-schemas.ts';

export const STATUS = oneOf(ORDER_STATUSES).meta({
  id: 'OrderStatus',
  description:
    'The progress of an adoption: `placed`, then `approved`, then `completed`. A placed or approved order can become `cancelled`.',
});

const PERSONAL = 'Personal data: only keys with the scope `write` see it.';
const ADOPTER = `The adopter: a name, or a reference of your own. ${PERSONAL}`;
const CONTACT = `How to reach the adopter, such as an e-mail address or a telephone number. ${PERSONAL}`;
const NOTE = `Any other notes. May have several lines. ${PERSONAL}`;

const REASON = `Why the animal came back. ${PERSONAL}`;

/** The personal fields of a request body. */
const personalInBody = {
  adopter: pii(nameInBody(ADOPTER, ADOPTER_MAX)),
  contact: pii(nameInBody(CONTACT, CONTACT_MAX)),
  note: pii(linesInBody(NOTE, NOTE_MAX)),
};

function erasable<S extends z.ZodType>(field: S, description: string) {
  return field
    .nullable()
    .optional()
    .meta({ description: `${description} \`null\` erases it.` });
}

export const newOrderSchema = z
  .object({
    petId: int64InBody('Id of the animal to adopt; it must be available.'),
    adopter: personalInBody.adopter.optional(),
    contact: personalInBody.contact.optional(),
    note: personalInBody.note.optional(),
  })
  .meta({ id: 'NewOrder', description: 'An adoption to place.' });

export const orderChangeSchema = z
  .object({
    status: STATUS.optional(),
    adopter: erasable(personalInBody.adopter, ADOPTER),
    contact: erasable(personalInBody.contact, CONTACT),
    note: erasable(personalInBody.note, NOTE),
    returnReason: erasable(pii(linesInBody(REASON, RETURN_REASON_MAX)), REASON),
    answers: z
      .null({ error: 'must be null, which erases them' })
      .optional()
      .meta({ description: 'The answers to the questions of the shop. `null` erases them.' }),
    completedOn: dateInBody(
      'The day on which the animal left, for an order that becomes `completed`: today by default.',
    ).optional(),
  })
  .meta({ id: 'OrderChange', description: 'The changes to make to an adoption.' });

export const orderSchema = recordOut('Order', 'The adoption of an animal.', () => ({
  id: assignedIdOut('Unique identifier assigned by the service when the order is placed.'),
  petId: assignedIdOut('Id of the animal.'),
  adopter: nameOut(ADOPTER, ADOPTER_MAX).optional(),
  contact: nameOut(CONTACT, CONTACT_MAX).optional(),
  note: linesOut(NOTE, NOTE_MAX).optional(),
  status: STATUS,
  placedAt: timeOut('When the order was placed'),
  approvedAt: timeOut('When it was approved; absent until then').optional(),
  completedAt: timeOut('When it was completed; absent until then').optional(),
  cancelledAt: timeOut('When it was cancelled; absent until then').optional(),
  updatedAt: timeOut('When it last changed'),
  returnedAt: timeOut(
    'When the animal of a completed order came back; absent until then',
  ).optional(),
  returnReason: linesOut(REASON, RETURN_REASON_MAX).optional(),
  answers: answersOut(
    `The answers of the enquiry that it came from to the questions of the shop. ${PERSONAL}`,
  ).optional(),
}));

/** What is sent with a return. */
export const orderReturnSchema = z
  .object({
    date: dateInBody('The day on which it came back: today by default.').optional(),
    // Not as personal data by this name, which others use in the log: it is stored as `returnReason`.
    reason: linesInBody(REASON, RETURN_REASON_MAX).optional(),
  })
  .meta({ id: 'OrderReturn', description: 'The return of an animal.' });
