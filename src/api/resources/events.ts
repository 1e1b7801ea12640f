import * as z from 'zod';
import { FREE_WAIT_MIN_S, FREE_WAITS_MAX } from '../../domain/allowance.ts';
import {
  CHANGE_TYPES,
  type ChangeFeed,
  type ChangeOf,
  type ChangePage,
  type ChangeRequest,
  type ChangeType,
  EVENT_RESOURCES,
  type EventResource,
  eventsExpired,
  type LoggedChange,
  resourceOf,
  typesOf,
} from '../../domain/change-log.ts';
import { SECOND_MS } from '../../domain/clock.ts';
import { PAGE_LIMIT_DEFAULT } from '../../domain/page.ts';
import { EMPTY_PROFILE } from '../../domain/profile.ts';
import { type WritableJson, writeJson } from '../../http/json.ts';
import { lists } from '../contract/bodies.ts';
import { limitInQuery, pageOf, queryPairs } from '../contract/list-page.ts';
import { defineOperation, operationsNamed } from '../contract/operation.ts';
import { int64OrWordInQuery, wholeInQuery, wordsInQuery } from '../contract/request-fields.ts';
import { assignedIdOut, recordOut, timeOut, timeText } from '../contract/response-fields.ts';
import { categorySchema, categoryValue } from './categories.ts';
import { orderSchema } from './order-schemas.ts';
import { publicOrder } from './orders.ts';
import { petSchema, petValue } from './pets.ts';
import { photoPublicSchema, publicPhotoValue } from './photo-schemas.ts';
import { dateOut } from './profile-fields.ts';
import { profileValue, publicProfileSchema } from './profiles.ts';
import { eventShop, shopSchema } from './shop.ts';

const LATEST = 'latest';
/** Each event has the time of its own step. */
const STEP_TIMES = {
  approvedAt: true,
  completedAt: true,
  cancelledAt: true,
  returnedAt: true,
} as const;
const WAIT_MAX_S = 30;

/** What an event shows of a resource, in the document and on the wire. */
interface EventShape<R extends EventResource> {
  readonly id: string;
  readonly description: string;
  readonly data?: () => z.ZodType;
  dataOf(change: LoggedChange & ChangeOf<R>): WritableJson | undefined;
}

const petId = () => assignedIdOut('Id of the animal.');

const SHAPES: { readonly [R in EventResource]: EventShape<R> } = {
  pet: {
    id: 'PetEvent',
    description: 'A change of an animal. `data` is the animal right after it, or as it last was.',
    data: () => petSchema,
    dataOf: ({ pet }) => petValue(pet),
  },
  category: {
    id: 'CategoryEvent',
    description:
      'A change of a category. `data` is the category right after it, or as it last was.',
    data: () => categorySchema,
    dataOf: ({ category }) => categoryValue(category),
  },
  order: {
    id: 'OrderEvent',
    description: 'A change of an adoption, as it was right after it.',
    data: () =>
      orderSchema
        .unwrap()
        .omit({ adopter: true, contact: true, note: true, returnReason: true, ...STEP_TIMES })
        .meta({ id: 'EventOrder', description: 'An adoption without its personal data.' }),
    dataOf: ({ order }) => publicOrder(order),
  },
  profile: {
    id: 'ProfileEvent',
    description: 'A change of a profile, as it was right after it.',
    data: () =>
      z.object({ petId: petId(), profile: publicProfileSchema }).meta({
        id: 'EventProfile',
        description: 'The profile of an animal, without private fields.',
      }),
    dataOf({ part: { petId, data }, at }) {
      const profile = { ...EMPTY_PROFILE, ...JSON.parse(data) };
      return { petId, profile: profileValue(profile, at, false) };
    },
  },
  photo: {
    id: 'PhotoEvent',
    description:
      'A change of a photo. `data` has the photo right after it, or as it last was. The photos that make room for it have no events of their own.',
    data: () =>
      z.object({ petId: petId(), photo: photoPublicSchema }).meta({
        id: 'EventPhoto',
        description: 'A photo of an animal, without its addresses.',
      }),
    dataOf: ({ part }) => ({ petId: part.petId, photo: publicPhotoValue(JSON.parse(part.data)) }),
  },
  stay: {
    id: 'StayEvent',
    description:
      'A stay of an animal began or ended, or an ended one is open again. The first stay begins with `pet.created`.',
    data: () =>
      z
        .object({
          petId: petId(),
          stayId: assignedIdOut('Id of the stay.'),
          intakeDate: dateOut('The day on which the animal came.'),
          outcomeDate: dateOut('The day on which it left; null while it is here.').nullable(),
        })
        .meta({ id: 'EventStay', description: 'A stay, without how the animal came and left.' }),
    dataOf: ({ part }) => ({ petId: part.petId, ...JSON.parse(part.data) }),
  },
  shop: {
    id: 'ShopEvent',
    description: 'A change of what the public is told about the shop, as it was right after it.',
    data: () => shopSchema,
    dataOf: ({ part }) => eventShop(part.data),
  },
  enquiry: {
    id: 'EnquiryEvent',
    description: 'An enquiry about an animal was received, or its status has changed.',
    data: () =>
      z
        .object({ enquiryId: assignedIdOut('Id of the enquiry.'), petId: petId() })
        .meta({ id: 'EventEnquiry', description: 'An enquiry, without what somebody wrote.' }),
    dataOf: ({ part }) => ({ enquiryId: JSON.parse(part.data).enquiryId, petId: part.petId }),
  },
  store: {
    id: 'ResetEvent',
    description:
      'The records were replaced as a whole: by a reset of staging, or by a backup that was restored. Read the lists again. It has no `data`.',
    dataOf: () => undefined,
  },
};

function schemaOf(resource: EventResource) {
  const { id, description, data } = SHAPES[resource];
  return recordOut(id, description, () => ({
    id: assignedIdOut('Position of the event. Grows from one event to the next, not always by 1.'),
    timestamp: timeOut('When the change was made'),
    type: z.enum(typesOf(resource)).meta({ description: 'What happened.' }),
    ...(data && { data: data() }),
  }));
}

const SCHEMAS = EVENT_RESOURCES.map((resource) => [resource, schemaOf(resource)] as const);

const eventSchema = z.lazy(() =>
  z
    .discriminatedUnion(
      'type',
      // Of a list that is not empty.
      SCHEMAS.map(([, schema]) => schema) as unknown as [ReturnType<typeof schemaOf>],
    )
    .meta({ id: 'Event', description: 'A change.' }),
);

/** The schema of each type of event, for the lists of events and for webhooks. */
export const EVENT_SCHEMAS: ReadonlyMap<ChangeType, z.ZodLazy<z.ZodType>> = new Map(
  SCHEMAS.flatMap(([resource, schema]) => typesOf(resource).map((type) => [type, schema])),
);

const CREATED = {
  id: 1_204n,
  type: 'pet.created',
  timestamp: '2026-11-21T15:04:05.000Z',
  data: { id: 28n, name: 'Chloe', categoryId: 1n, status: 'available' },
};

function eventValue(change: LoggedChange) {
  const { id, type, at } = change;
  // The shape of its own resource.
  const data = SHAPES[resourceOf(type)].dataOf(change as never);
  return { id, type, timestamp: timeText(at), data };
}

/** Writes an event as JSON. */
export function eventText(change: LoggedChange): string {
  return writeJson(eventValue(change));
}

const writePage = ({ changes }: ChangePage): string => writeJson(changes.map(eventValue));

/** Returns the first page, without waiting. A position beyond the newest event is of another database. */
async function read(
  feed: ChangeFeed,
  request: Omit<ChangeRequest, 'after'>,
  after: bigint | typeof LATEST | undefined,
): Promise<ChangePage> {
  if (after === LATEST) return { changes: [], resumeAfter: await feed.newest() };
  const page = await feed.list({ ...request, after: fromStart(after) });
  const isBeyond =
    after !== undefined && page.changes.length === 0 && after > (await feed.newest());
  if (isBeyond) throw eventsExpired();
  return page;
}

/** Ids start at 1, so nothing was removed before a negative one. */
function fromStart(after: bigint | undefined): bigint | undefined {
  return after !== undefined && after < 0n ? 0n : after;
}

export const eventOperations = operationsNamed({
  listEvents: defineOperation({
    method: 'GET',
    path: '/events',
    access: 'read',
    stability: 'experimental',
    waits: true,
    background: true,
    tag: 'Events',
    summary: 'List events',
    description:
      'Lists the changes of animals, their profiles, photos and stays, categories, adoptions, enquiries and the shop in the order in which they were made. To follow them, ask for `after=latest` once, then always for the `rel="next"` link of the previous response, which even an empty one has. With `wait`, the response comes within a second of the first event, with what else happens meanwhile, or empty when the time is over. A change that changes nothing makes no event. Events of one record come in order, and none is ever missed or repeated.',
    queryParameters: z.object({
      after: int64OrWordInQuery(
        LATEST,
        'Only events with a greater id. `latest` returns none, and a link that continues from now. By default, from the oldest event that is kept.',
        'EventPosition',
      ),
      limit: limitInQuery,
      type: wordsInQuery(
        CHANGE_TYPES,
        'Only events of these types, comma-separated or repeated. A response may then be empty although more follow.',
      ),
      wait: wholeInQuery(
        `Seconds to wait for an event if there is none yet: at most ${WAIT_MAX_S}. From ${FREE_WAIT_MIN_S} on, a request that has to wait does not count against the limits, up to ${FREE_WAITS_MAX} at once.`,
        [0, WAIT_MAX_S],
        0,
      ),
    }),
    success: lists(
      'Events, perhaps none.',
      pageOf(eventSchema, 'Events', 'Events in ascending order of id.'),
      [CREATED],
    ),
    failures: { events_expired: eventsExpired().message },
    async handle({ query, client, caller }, { feed, baseUrl }) {
      const { after, limit, type, wait = 0 } = query;
      const request = { types: type, limit: limit ?? PAGE_LIMIT_DEFAULT };
      let found = await read(feed, request, after);
      if (found.changes.length < request.limit && wait > 0) {
        const waitMs = wait * SECOND_MS;
        const signal = client.wait(waitMs, found.changes.length === 0);
        const waiting = { keyId: caller.familyId, signal };
        found = await feed.next(found, request, waitMs, waiting);
      }
      const next = { after: `${found.resumeAfter}`, limit, type: type?.join(), wait: query.wait };
      return {
        json: feed.textOf(found, writePage),
        headers: { link: `<${baseUrl}/events?${queryPairs(next).join('&')}>; rel="next"` },
      };
    },
  }),
});
