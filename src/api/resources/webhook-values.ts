import * as z from 'zod';
import { type Caller, mayUse } from '../../domain/api-key.ts';
import { CHANGE_TYPES } from '../../domain/change-log.ts';
import {
  DISABLED_REASONS,
  WEBHOOK_DESCRIPTION_MAX,
  WEBHOOK_STATUSES,
  WEBHOOK_URL_MAX,
  type Webhook,
  webhookStatus,
} from '../../domain/webhook.ts';
import { Missing } from '../contract/operation.ts';
import { int64InPath, linesInBody, oneOf, orRequired } from '../contract/request-fields.ts';
import {
  assignedIdOut,
  linesOut,
  recordOut,
  timeOut,
  timeText,
} from '../contract/response-fields.ts';

/** A webhook as the interface shows it, and what requests say of one. */

const URL_TEXT = 'Where events are sent, with `https`.';
const TYPES = 'The types of events to send; null for all, also those that are added later.';
const NOTE = 'What the webhook is for, or null.';
const URL_PATTERN = '^https?://\\S+$';

const urlMeta = {
  description: URL_TEXT,
  format: 'uri',
  minLength: 1,
  maxLength: WEBHOOK_URL_MAX,
  pattern: URL_PATTERN,
};

const webhookFields = () => ({
  id: assignedIdOut('Unique identifier assigned by the service on creation.'),
  url: z.string().meta(urlMeta),
  types: z
    .array(z.enum(CHANGE_TYPES))
    .max(CHANGE_TYPES.length)
    .nullable()
    .meta({ description: TYPES }),
  description: linesOut(NOTE, WEBHOOK_DESCRIPTION_MAX).nullable(),
  status: z.enum(WEBHOOK_STATUSES).meta({ description: 'Whether events are sent.' }),
  disabledReason: z.enum(DISABLED_REASONS).nullable().meta({
    description:
      'Why it is disabled: a request, a 410 of its endpoint (`gone`), five days without a success (`failing`), a database that was restored or copied (`copied`), or an API key that has ended, or lacks `read` or `webhooks` (`key`). Null while it is enabled.',
  }),
  keyId: assignedIdOut(
    "Id of the API key that it belongs to, of which a rotated key is a successor; null if it is the shop's own.",
  ).nullable(),
  createdAt: timeOut('When the webhook was created'),
});

export const webhookSchema = recordOut(
  'Webhook',
  'An endpoint that gets events, without its secret.',
  webhookFields,
);

export const createdWebhookSchema = recordOut(
  'CreatedWebhook',
  'A webhook with a new secret.',
  () => ({
    ...webhookFields(),
    secret: z.string().meta({
      description: 'Signs the requests. Save it now: it is not shown again.',
      minLength: 50,
      maxLength: 50,
      pattern: '^whsec_[A-Za-z0-9+/]{43}=$',
    }),
  }),
);

const urlInBody = z
  .string({ error: orRequired('must be a string') })
  .max(WEBHOOK_URL_MAX, { error: `must have at most ${WEBHOOK_URL_MAX} characters` })
  .meta(urlMeta);

const typesInBody = z
  .array(oneOf(CHANGE_TYPES), { error: 'must be a list of types of events' })
  .min(1, { error: 'must name at least one type' })
  .max(CHANGE_TYPES.length, { error: `must name at most ${CHANGE_TYPES.length} types` })
  .nullable()
  .optional()
  .meta({ description: TYPES });

const noteInBody = linesInBody(NOTE, WEBHOOK_DESCRIPTION_MAX).nullable().optional();

export const newWebhookSchema = z
  .object({ url: urlInBody, types: typesInBody, description: noteInBody })
  .meta({ id: 'NewWebhook', description: 'A webhook to create.' });

export const webhookChangeSchema = z
  .object({
    url: urlInBody.optional(),
    types: typesInBody,
    description: noteInBody,
    status: oneOf(WEBHOOK_STATUSES)
      .optional()
      .meta({ description: '`enabled` starts again where it stopped.' }),
  })
  .meta({ id: 'WebhookChange', description: 'The changes to make to a webhook.' });

/** The webhook of the examples. */
export const PARTNER = {
  id: 3n,
  url: 'https://partner.example/petstore-events',
  types: ['pet.created', 'pet.updated', 'pet.deleted'],
  description: 'Keeps the search of our partner up to date.',
  status: 'enabled',
  disabledReason: null,
  keyId: null,
  createdAt: '2026-11-22T09:30:00.000Z',
};

export const NO_SUCH_WEBHOOK = new Missing('webhook_not_found', 'webhook');
export const aboutWebhooks = {
  access: 'webhooks',
  stability: 'experimental',
  tag: 'Webhooks',
} as const;
/** What the operations on a single webhook have in common. */
export const onWebhook = {
  ...aboutWebhooks,
  path: '/webhooks/{webhookId}',
  pathParameters: z.object({ webhookId: int64InPath('Id of the webhook.') }),
  missing: NO_SUCH_WEBHOOK,
} as const;

/** Returns the family of keys whose webhooks a caller manages; undefined for all webhooks. */
export function ownerOf(caller: Caller): bigint | undefined {
  return mayUse(caller, 'admin') ? undefined : caller.familyId;
}

/** Returns a webhook that the caller manages. Throws `webhook_not_found` for those of others too. */
export function ownWebhook(webhook: Webhook | undefined, caller: Caller): Webhook {
  const owner = ownerOf(caller);
  const isOwn = owner === undefined || webhook?.ownerId === owner;
  return NO_SUCH_WEBHOOK.orThrow(isOwn ? webhook : undefined);
}

/** Returns a webhook as the interface shows it. */
export function webhookValue(webhook: Webhook) {
  const { id, url, types, description, disabledReason, ownerId, createdAt } = webhook;
  return {
    id,
    url,
    types: types && [...types],
    description,
    status: webhookStatus(webhook),
    disabledReason,
    keyId: ownerId,
    createdAt: timeText(createdAt),
  };
}
