import * as z from 'zod';
import { CHANGE_TYPES } from '../../domain/change-log.ts';
import { Failure } from '../../domain/failure.ts';
import { DELIVERY_STATUSES, type Delivery, webhookStatus } from '../../domain/webhook.ts';
import { lists, shows } from '../contract/bodies.ts';
import { listPage, pageOf, pageQuery } from '../contract/list-page.ts';
import { defineOperation, Missing, operationsNamed } from '../contract/operation.ts';
import { int64InPath } from '../contract/request-fields.ts';
import {
  ANY_TEXT,
  assignedIdOut,
  recordOut,
  textOrNullOut,
  timeOut,
  withTimeTexts,
} from '../contract/response-fields.ts';
import { aboutWebhooks, NO_SUCH_WEBHOOK, onWebhook, ownWebhook } from './webhook-values.ts';

const BODY_MAX = 1_024;
const ERROR_MAX = 1_024;

const httpStatus = z.int().min(100).max(999).meta({ format: 'int32' });

const deliverySchema = recordOut('Delivery', 'An event for a webhook.', () => ({
  id: assignedIdOut('Identifier of the delivery, unique within its webhook.'),
  eventId: assignedIdOut('Id of the event, which is also its `webhook-id`.'),
  type: z.enum(CHANGE_TYPES).meta({ description: 'The type of the event.' }),
  status: z.enum(DELIVERY_STATUSES).meta({ description: 'Delivery status.' }),
  attempts: z.int().min(0).meta({ description: 'Attempts so far.', format: 'int32' }),
  responseStatus: httpStatus
    .nullable()
    .meta({ description: 'Status of the last response; null if there was none.' }),
  responseBody: textOrNullOut('The first KiB of the last response.', BODY_MAX),
  error: textOrNullOut('Why the last attempt failed; null if it did not.', ERROR_MAX),
  createdAt: timeOut('When the event was made'),
  nextAttemptAt: timeOut(
    'When the next attempt is due; null if there is none, if it is due at once, or if it waits for an earlier event of the same record',
  ).nullable(),
  deliveredAt: timeOut('When it was delivered, or null').nullable(),
}));

const DELIVERED = {
  id: 1_204n,
  eventId: 1_204n,
  type: 'pet.created',
  status: 'delivered',
  attempts: 1,
  responseStatus: 204,
  responseBody: null,
  error: null,
  createdAt: '2026-11-22T09:31:00.000Z',
  nextAttemptAt: null,
  deliveredAt: '2026-11-22T09:31:00.120Z',
};

function deliveryValue(delivery: Delivery) {
  return { id: delivery.eventId, ...withTimeTexts(delivery) };
}

const NO_SUCH_DELIVERY = new Missing('delivery_not_found', 'delivery');
const DISABLED = 'The webhook is disabled: enable it first.';

const testOutcomeSchema = recordOut('TestOutcome', 'The outcome of a test.', () => ({
  delivered: z.boolean().meta({ description: 'Whether a 2xx response arrived in time.' }),
  status: httpStatus.optional().meta({ description: 'Status of the response, if there was one.' }),
  error: z
    .string()
    .optional()
    .meta({ description: 'What went wrong.', maxLength: ERROR_MAX, pattern: ANY_TEXT }),
  milliseconds: z.int().min(0).meta({ description: 'How long it took.', format: 'int32' }),
}));

const TESTED = { delivered: true, status: 204, milliseconds: 87 };

const SENT_ONCE =
  'An earlier request with this Idempotency-Key was for a test: send the next one with another key.';

export const webhookDeliveryOperations = operationsNamed({
  testWebhook: defineOperation({
    ...onWebhook,
    method: 'POST',
    path: '/webhooks/{webhookId}/test',
    summary: 'Send a test to a webhook',
    description:
      'Sends `webhook.test` now, also to a disabled webhook, and returns the outcome after at most 15 seconds. It is sent once and not in the list of deliveries. A repeat with the same `Idempotency-Key` sends nothing and is 409. Each instance sends at most 8 tests at once, one to each webhook and two for a key that has its own webhooks: further ones are 503 with `Retry-After`.',
    success: shows('The outcome of the test, also if it failed.', testOutcomeSchema, TESTED),
    failures: { conflict: SENT_ONCE },
    // A refused test does not use up the Idempotency-Key.
    prepare: async ({ path, caller }, { storage, webhooks }) => {
      webhooks.requireTestSlot(ownWebhook(await storage.webhooks.find(path.webhookId), caller));
    },
    async handle({ path, caller }, { storage, webhooks }) {
      const webhook = ownWebhook(await storage.webhooks.find(path.webhookId), caller);
      return {
        stored: {},
        // After the transaction of an idempotent request, which must not wait for a receiver.
        async complete() {
          const { isDelivered: delivered, ...outcome } = await webhooks.test(webhook);
          return { value: { delivered, ...outcome } };
        },
      };
    },
    restore() {
      throw new Failure('conflict', SENT_ONCE);
    },
  }),
  listDeliveries: defineOperation({
    ...onWebhook,
    method: 'GET',
    path: '/webhooks/{webhookId}/deliveries',
    summary: 'List the deliveries of a webhook',
    description:
      'Lists the events that were sent to a webhook or wait for it, newest first, for 30 days. The newest events may be missing for a moment. Follow the Link header for more pages.',
    queryParameters: pageQuery,
    success: lists(
      'A page of deliveries.',
      pageOf(deliverySchema, 'Deliveries', 'Deliveries, newest first.'),
      [DELIVERED],
    ),
    async handle({ path: { webhookId }, query, caller }, { storage, baseUrl }) {
      const path = `/webhooks/${webhookId}/deliveries`;
      const list = listPage({ baseUrl, path, query });
      ownWebhook(await storage.webhooks.find(webhookId), caller);
      const page = await storage.webhooks.deliveries(webhookId, list.request);
      return list.result(page, deliveryValue);
    },
  }),
  retryDelivery: defineOperation({
    ...aboutWebhooks,
    method: 'POST',
    path: '/webhooks/{webhookId}/deliveries/{deliveryId}/retry',
    summary: 'Make a delivery again',
    description:
      'Makes a delivery due now, whatever its status: also one that was delivered. It still waits for earlier events of its record.',
    pathParameters: z.object({
      ...onWebhook.pathParameters.shape,
      deliveryId: int64InPath('Id of the delivery.'),
    }),
    missing: NO_SUCH_DELIVERY,
    success: {
      status: 202,
      description: 'The delivery is due.',
      schema: deliverySchema,
      example: {
        ...DELIVERED,
        status: 'pending',
        nextAttemptAt: '2026-11-22T10:00:00.000Z',
        deliveredAt: null,
      },
      headers: ['ETag'],
    },
    failures: { ...NO_SUCH_WEBHOOK.failure, conflict: DISABLED },
    async handle({ path: { webhookId, deliveryId }, stamp, caller }, { storage }) {
      const webhook = ownWebhook(await storage.webhooks.find(webhookId), caller);
      if (webhookStatus(webhook) !== 'enabled') throw new Failure('conflict', DISABLED);
      const delivery = await storage.webhooks.retry(webhookId, deliveryId, stamp.at);
      return { value: deliveryValue(NO_SUCH_DELIVERY.orThrow(delivery)) };
    },
  }),
});
