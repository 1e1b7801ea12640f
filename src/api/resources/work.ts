import * as z from 'zod';
import { mayUse } from '../../domain/api-key.ts';
import { CHANNEL_DISABLED_REASONS, CHANNEL_KINDS } from '../../domain/channel.ts';
import { LISTED_STATUSES } from '../../domain/listing-filter.ts';
import { PET_NAME_MAX } from '../../domain/name.ts';
import { DISABLED_REASONS, WEBHOOK_URL_MAX } from '../../domain/webhook.ts';
import {
  LONG_CARE_DAYS,
  ORDER_WAIT_DAYS,
  RECENT_IMPORT_DAYS,
  WORK_COUNTED,
  WORK_SHOWN,
  type WorkGroup,
} from '../../domain/work.ts';
import { shows } from '../contract/bodies.ts';
import { defineOperation, operationsNamed } from '../contract/operation.ts';
import {
  assignedIdOut,
  countOut,
  nameOut,
  recordOut,
  textOrNullOut,
  timeOut,
  withTimeTexts,
} from '../contract/response-fields.ts';
import { dateOut } from './profile-fields.ts';

/** A kind of work: how much of it there is, and the first of it. */
function groupOut(id: string, description: string, fields: () => z.ZodRawShape) {
  return z
    .object({
      count: countOut(`How many there are, up to ${WORK_COUNTED}.`),
      first: z
        .array(recordOut(id, description, fields))
        .max(WORK_SHOWN)
        .meta({ description: `The first ${WORK_SHOWN} of them.` }),
    })
    .meta({ description });
}

const animalFields = () => ({
  petId: assignedIdOut('Id of the animal.'),
  petName: nameOut('Its name.', PET_NAME_MAX),
});

const channelsOut = () =>
  groupOut(
    'StoppedChannel',
    'Channels whose last file was not sent, or that the service has disabled: for keys with the scope `admin` alone.',
    () => ({
      id: assignedIdOut('Id of the channel.'),
      kind: z.enum(CHANNEL_KINDS).meta({ description: 'The place.' }),
      problem: textOrNullOut('Why its last file was not sent.', 500),
      disabledReason: z
        .enum(CHANNEL_DISABLED_REASONS)
        .nullable()
        .meta({ description: 'Why it is disabled; null while it is enabled.' }),
    }),
  );

const workSchema = recordOut('Work', 'What there is to do today.', () => ({
  orders: groupOut(
    'WaitingOrder',
    `Orders that were placed over ${ORDER_WAIT_DAYS} days ago and are still open, the oldest first.`,
    () => ({
      id: assignedIdOut('Id of the order.'),
      ...animalFields(),
      status: z.enum(['placed', 'approved']).meta({ description: 'Its status.' }),
      placedAt: timeOut('When the order was placed'),
    }),
  ),
  enquiries: groupOut('WaitingEnquiry', 'New enquiries, the oldest first.', () => ({
    id: assignedIdOut('Id of the enquiry.'),
    petId: assignedIdOut('Id of the animal.'),
    petName: nameOut('Its name; null if it was removed.', PET_NAME_MAX).nullable(),
    receivedAt: timeOut('When the enquiry came'),
  })),
  longInCare: groupOut(
    'WaitingAnimal',
    `Listed animals that have been in care for over ${LONG_CARE_DAYS} days, the longest first.`,
    () => ({
      ...animalFields(),
      since: z.iso.date().meta({ description: 'The date since which it waits.', maxLength: 10 }),
    }),
  ),
  withoutPhoto: groupOut('AnimalWithoutPhoto', 'Listed animals without a photo.', () => ({
    ...animalFields(),
    status: z.enum(LISTED_STATUSES).meta({ description: 'Its status.' }),
  })),
  endedHolds: groupOut(
    'EndedHold',
    'Animals in quarantine, in medical care or on hold whose last day has come, the longest first.',
    () => ({ ...animalFields(), careUntil: dateOut('The last day.') }),
  ),
  imports: groupOut(
    'IncompleteImport',
    `Imports of the last ${RECENT_IMPORT_DAYS} days with rejected rows, the latest first.`,
    () => ({
      id: assignedIdOut('Id of the import.'),
      endedAt: timeOut('When it ended'),
      rejected: countOut('Rows that could not become animals.'),
    }),
  ),
  webhooks: groupOut(
    'FailingWebhook',
    'Webhooks that fail, or that the service has disabled: for keys with the scope `admin` alone.',
    () => ({
      id: assignedIdOut('Id of the webhook.'),
      url: z.string().meta({
        description: 'Where events are sent.',
        format: 'uri',
        minLength: 1,
        maxLength: WEBHOOK_URL_MAX,
      }),
      failingSince: timeOut('When the first attempt failed since the last success')
        .nullable()
        .meta({ description: 'When the first attempt failed since the last success.' }),
      disabledReason: z
        .enum(DISABLED_REASONS)
        .nullable()
        .meta({ description: 'Why it is disabled; null while it is enabled.' }),
    }),
  ).optional(),
  channels: channelsOut().optional(),
}));

/** Returns a kind of work as the interface shows it. */
export function groupValue<Item extends object>({ count, first }: WorkGroup<Item>) {
  return { count, first: first.map(withTimeTexts) };
}

export const workOperations = operationsNamed({
  getWork: defineOperation({
    method: 'GET',
    path: '/work',
    access: 'write',
    stability: 'experimental',
    tag: 'Work',
    summary: 'Get what there is to do',
    description: `Counts what waits for somebody, and shows the first ${WORK_SHOWN} of each kind. Nothing personal is in it.`,
    success: shows('What there is to do.', workSchema, {
      orders: {
        count: 1,
        first: [
          {
            id: 3n,
            petId: 15n,
            petName: 'Oliver',
            status: 'placed',
            placedAt: '2026-11-18T15:04:05.000Z',
          },
        ],
      },
      enquiries: {
        count: 1,
        first: [{ id: 7n, petId: 28n, petName: 'Chloe', receivedAt: '2026-11-21T08:15:00.000Z' }],
      },
      longInCare: { count: 1, first: [{ petId: 28n, petName: 'Chloe', since: '2026-06-02' }] },
      withoutPhoto: {
        count: 1,
        first: [{ petId: 28n, petName: 'Chloe', status: 'available' }],
      },
      endedHolds: {
        count: 1,
        first: [{ petId: 15n, petName: 'Oliver', careUntil: '2026-11-22' }],
      },
      imports: {
        count: 1,
        first: [{ id: 2n, endedAt: '2026-11-21T09:30:00.000Z', rejected: 4 }],
      },
    }),
    async handle({ stamp, caller }, { storage }) {
      const work = await storage.work.list(stamp.at);
      return {
        value: {
          orders: groupValue(work.orders),
          enquiries: groupValue(work.enquiries),
          longInCare: groupValue(work.longInCare),
          withoutPhoto: groupValue(work.withoutPhoto),
          endedHolds: groupValue(work.endedHolds),
          imports: groupValue(work.imports),
          webhooks: mayUse(caller, 'admin') ? groupValue(work.webhooks) : undefined,
          channels: mayUse(caller, 'admin') ? groupValue(work.channels) : undefined,
        },
      };
    },
  }),
});
