import * as z from 'zod';
import { KEY_NAME_MAX } from '../../domain/api-key.ts';
import {
  alreadyOrdered,
  ENQUIRER_MAX,
  ENQUIRY_NOTE_MAX,
  ENQUIRY_SORTS,
  ENQUIRY_STATUSES,
  type Enquiry,
  MESSAGE_MAX,
  noSuchOwner,
} from '../../domain/enquiry.ts';
import { foldName } from '../../domain/name.ts';
import { petNotFound } from '../../domain/order.ts';
import { EMAIL, TELEPHONE_MAX } from '../../domain/shop.ts';
import { changes, creates, lists, showing, shows } from '../contract/bodies.ts';
import { cursorInQuery, limitInQuery, listPage, pageOf } from '../contract/list-page.ts';
import { defineOperation, Missing, operationsNamed } from '../contract/operation.ts';
import { pii } from '../contract/pii.ts';
import { requireMatch } from '../contract/precondition.ts';
import {
  int64InBody,
  int64InPath,
  int64InQuery,
  int64OrWordInQuery,
  linesInBody,
  oneOf,
  searchInQuery,
  trueOrFalseInQuery,
} from '../contract/request-fields.ts';
import {
  assignedIdOut,
  linesOut,
  nameOut,
  recordOut,
  timeOut,
  withTimeTexts,
} from '../contract/response-fields.ts';
import { orderSchema } from './order-schemas.ts';
import { PLACED, placedResult, restoreOrder } from './orders.ts';
import { inResponse } from './profile-fields.ts';
import { answersOut } from './question-schemas.ts';

const STATUS = oneOf(ENQUIRY_STATUSES).meta({
  id: 'EnquiryStatus',
  description:
    'The progress of an enquiry: `new`, `answered` or `closed`. Each may become each other.',
});

const OWNER = 'The person who takes care of it.';
const NOTE = 'What staff note about it for each other. Who enquired never sees it.';

const enquirySchema = recordOut('Enquiry', 'What somebody asks about an animal.', () => ({
  id: assignedIdOut('Unique identifier assigned by the service when the enquiry is received.'),
  petId: assignedIdOut('Id of the animal, which may have been removed since.'),
  orderId: assignedIdOut('Id of the adoption that was started from it.').optional(),
  status: STATUS,
  name: nameOut('Who wrote it.', ENQUIRER_MAX),
  email: inResponse('The e-mail address of who wrote it.', EMAIL).optional(),
  telephone: nameOut('The telephone number of who wrote it.', TELEPHONE_MAX).optional(),
  ownerId: assignedIdOut(OWNER).optional(),
  ownerName: nameOut(
    'What they are called, also if they were removed since.',
    KEY_NAME_MAX,
  ).optional(),
  note: linesOut(NOTE, ENQUIRY_NOTE_MAX).optional(),
  message: linesOut('What they wrote. Plain text.', MESSAGE_MAX),
  answers: answersOut('Their answers to the questions of the shop, if there are any.').optional(),
  suspected: z.boolean().meta({
    description:
      'Whether it may be spam: sent faster than people write, with a field that only robots fill, or after many others.',
  }),
  language: nameOut('The language of the page on which they wrote it, such as `en`.', 2),
  receivedAt: timeOut('When it was received'),
  updatedAt: timeOut('When it last changed'),
}));

const enquiryChangeSchema = z
  .object({
    status: STATUS.optional(),
    ownerId: int64InBody(OWNER)
      .nullable()
      .optional()
      .meta({ description: `${OWNER} \`null\`: nobody.` }),
    note: pii(linesInBody(NOTE, ENQUIRY_NOTE_MAX))
      .nullable()
      .optional()
      .meta({ description: `${NOTE} \`null\` erases it.` }),
  })
  .meta({ id: 'EnquiryChange', description: 'The changes to make to an enquiry.' });

const NO_SUCH_ENQUIRY = new Missing('enquiry_not_found', 'enquiry');

const RECEIVED = {
  id: 5n,
  petId: 15n,
  status: 'new',
  ownerId: 7n,
  ownerName: 'Maria',
  note: 'Called back on Monday: they come on Saturday at 10.',
  name: 'Robin Alvarez',
  email: 'robin@example.com',
  message: 'Hello! We have a garden and two children. May we visit her on Saturday?',
  language: 'en',
  suspected: false,
  receivedAt: '2026-11-21T15:04:05.000Z',
  updatedAt: '2026-11-21T15:04:05.000Z',
};

function enquiryValue({ answers, ...enquiry }: Enquiry) {
  const shown = answers.map((answer) => ({ ...answer }));
  return { ...withTimeTexts(enquiry), answers: shown.length === 0 ? undefined : shown };
}

/** What all operations on enquiries have in common. What people write is for staff. */
const common = { access: 'write', stability: 'experimental', tag: 'Enquiries' } as const;

const onEnquiry = {
  ...common,
  path: '/enquiries/{enquiryId}',
  pathParameters: z.object({ enquiryId: int64InPath('Id of the enquiry.') }),
  missing: NO_SUCH_ENQUIRY,
} as const;

export const enquiryOperations = operationsNamed({
  listEnquiries: defineOperation({
    ...common,
    method: 'GET',
    path: '/enquiries',
    summary: 'List enquiries',
    description:
      'Lists what people ask about animals on the adoption pages, newest first. Follow the Link header for more pages. With `q`, a page can have few items, or none, while more follow.',
    queryParameters: z.object({
      limit: limitInQuery,
      status: STATUS.optional().meta({ description: 'Only enquiries with this status.' }),
      petId: int64InQuery('Only enquiries about this animal.'),
      ownerId: int64OrWordInQuery(
        'none',
        'Only enquiries of which this person takes care; `none`: those of nobody who works here.',
        'EnquiryOwner',
      ),
      sort: oneOf(ENQUIRY_SORTS).optional().meta({
        description: 'By time of arrival: `newest` first, which is the default, or `oldest`.',
      }),
      q: searchInQuery(
        'Only enquiries with each of these words, or parts of them, in the letter, its sender, the note or the name of the animal, ignoring case and accents.',
        'garden',
      ),
      suspected: trueOrFalseInQuery('Only those that may be spam, or only the others.'),
      cursor: cursorInQuery,
    }),
    success: lists(
      'A page of enquiries.',
      pageOf(enquirySchema, 'Enquiries', 'Enquiries, sorted by id.'),
      [RECEIVED],
    ),
    async handle({ query }, { storage, baseUrl }) {
      const { status, petId, ownerId, sort, q, suspected } = query;
      const ids = { petId: petId?.toString(), ownerId: ownerId?.toString() };
      const filters = { status, ...ids, sort, q, suspected };
      const address = { baseUrl, path: '/enquiries', filters, query, defaultSort: 'newest' };
      const list = listPage({ ...address, isDescending: sort !== 'oldest' });
      const words = q === undefined ? undefined : foldName(q).split(/\s+/u).filter(Boolean);
      const mark = suspected && suspected === 'true';
      const wanted = { status, petId, ownerId, sort, words, suspected: mark };
      const page = await storage.enquiries.list(wanted, list.request);
      return list.result(page, enquiryValue);
    },
  }),
  getEnquiry: defineOperation({
    ...onEnquiry,
    method: 'GET',
    summary: 'Get an enquiry',
    description: 'Returns a single enquiry by id.',
    success: shows('The requested enquiry.', enquirySchema, RECEIVED),
    handle: ({ path }, { storage }) =>
      showing(NO_SUCH_ENQUIRY, storage.enquiries.find(path.enquiryId), enquiryValue),
  }),
  updateEnquiry: defineOperation({
    ...onEnquiry,
    method: 'PATCH',
    summary: 'Update an enquiry',
    description:
      'Changes the status of an enquiry, who takes care of it or the note of staff (JSON merge patch, RFC 7396): one that was answered or closed can be new again. `listStaff` has who can take care of it. Sending what it is already changes nothing.',
    body: changes('The members to change.', enquiryChangeSchema, { status: 'answered' }),
    success: shows('The changed enquiry.', enquirySchema, { ...RECEIVED, status: 'answered' }),
    failures: { person_not_found: noSuchOwner(7n).message },
    handle({ path, body, stamp, ifMatch }, { storage }) {
      const matches = requireMatch(ifMatch, enquiryValue);
      const updated = storage.enquiries.update(path.enquiryId, body, stamp, matches);
      return showing(NO_SUCH_ENQUIRY, updated, enquiryValue);
    },
  }),
  orderFromEnquiry: defineOperation({
    ...onEnquiry,
    method: 'POST',
    path: '/enquiries/{enquiryId}/order',
    summary: 'Start the adoption from an enquiry',
    description:
      'Places an order for the animal with the name, contact and message of who enquired. The enquiry gets its `orderId`, and a new one is answered. Everything else is as in `placeOrder`.',
    success: creates('Order placed.', orderSchema, PLACED),
    failures: {
      pet_not_found: petNotFound(15n).message,
      conflict: alreadyOrdered(5n, 3n).message,
    },
    async handle({ path, stamp, caller }, { storage, baseUrl }) {
      const order = await storage.enquiries.order(path.enquiryId, stamp);
      return placedResult(NO_SUCH_ENQUIRY.orThrow(order), caller, baseUrl);
    },
    restore: restoreOrder,
  }),
});
