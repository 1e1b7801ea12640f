import type * as z from 'zod';
import { type Caller, mayUse } from '../../domain/api-key.ts';
import { Failure } from '../../domain/failure.ts';
import {
  type DisabledReason,
  OLD_SECRET_MS,
  tooManyWebhooks,
  WEBHOOKS_OF_KEY_MAX,
  type Webhook,
  type WebhookService,
  type WebhookSettings,
} from '../../domain/webhook.ts';
import { changes, creates, lists, removes, shows, takes } from '../contract/bodies.ts';
import { listPage, pageOf, pageQuery } from '../contract/list-page.ts';
import {
  defineOperation,
  type HandlerServices,
  operationsNamed,
  type Result,
} from '../contract/operation.ts';
import { requireMatch } from '../contract/precondition.ts';
import { shownOnce } from '../contract/shown-once.ts';
import {
  aboutWebhooks,
  createdWebhookSchema,
  NO_SUCH_WEBHOOK,
  newWebhookSchema,
  onWebhook,
  ownerOf,
  ownWebhook,
  PARTNER,
  webhookChangeSchema,
  webhookSchema,
  webhookValue,
} from './webhook-values.ts';

const CREATED_PARTNER = {
  ...PARTNER,
  secret: 'whsec_RXhhbXBsZVNlY3JldEV4YW1wbGVTZWNyZXRFeGFtcGw=',
};

/** Throws `invalid_body` for a URL that must not be called. */
async function requireUrl(url: string, { problemOf }: WebhookService): Promise<void> {
  const problem = await problemOf(url);
  if (problem !== undefined) throw new Failure('invalid_body', `url ${problem}.`);
}

const shown = shownOnce(
  (id) =>
    `An earlier request with this Idempotency-Key made the secret of webhook ${id}, which is not shown again: if you did not get it, rotate the secret.`,
);

function secretResult(
  webhook: Webhook,
  secret: string,
  { baseUrl, webhooks }: Pick<HandlerServices, 'baseUrl' | 'webhooks'>,
): Result {
  return shown.resultOf(webhook.id, `${baseUrl}/webhooks/${webhook.id}`, async () => {
    webhooks.changed(webhook.id, webhook);
    return { value: { ...webhookValue(webhook), secret } };
  });
}

/** Why a caller cannot enable a webhook, which sends what the scope `read` shows; null if it can. */
function enabledFor(caller: Caller): DisabledReason | null {
  return mayUse(caller, 'read') ? null : 'key';
}

/** Returns the settings of a webhook after a change. */
function changedSettings(
  current: Webhook,
  body: z.output<typeof webhookChangeSchema>,
  caller: Caller,
): WebhookSettings {
  const { url = current.url, types, description, status } = body;
  const disabled = current.disabledReason ?? 'requested';
  return {
    ...current,
    url,
    types: types === undefined ? current.types : types,
    description: description === undefined ? current.description : description,
    ...(status !== undefined && {
      disabledReason: status === 'enabled' ? enabledFor(caller) : disabled,
    }),
  };
}

export const webhookOperations = operationsNamed({
  listWebhooks: defineOperation({
    ...aboutWebhooks,
    method: 'GET',
    path: '/webhooks',
    summary: 'List webhooks',
    description:
      'Lists the webhooks of the key in ascending order of id, without their secrets; with the scope `admin`, all of them. Follow the Link header for more pages.',
    queryParameters: pageQuery,
    success: lists(
      'A page of webhooks.',
      pageOf(webhookSchema, 'Webhooks', 'Webhooks in ascending order of id.'),
      [PARTNER],
    ),
    async handle({ query, caller }, { storage, baseUrl }) {
      const list = listPage({ baseUrl, path: '/webhooks', query });
      const page = await storage.webhooks.page(list.request, ownerOf(caller));
      return list.result(page, webhookValue);
    },
  }),
  createWebhook: defineOperation({
    ...aboutWebhooks,
    method: 'POST',
    path: '/webhooks',
    summary: 'Create a webhook',
    description:
      'Creates a webhook that gets the events from now on, signed as Standard Webhooks 1.0 says. It belongs to the key and its successors, or to the shop if the key has the scope `admin`. It needs `read` too: without that it stays disabled. A key has at most 20. The response is the only one that contains the secret: a repeat with the same `Idempotency-Key` creates nothing and is 409.',
    body: takes('The webhook to create.', newWebhookSchema, {
      url: PARTNER.url,
      types: PARTNER.types,
      description: PARTNER.description,
    }),
    success: creates('Webhook created.', createdWebhookSchema, CREATED_PARTNER),
    failures: { conflict: tooManyWebhooks(WEBHOOKS_OF_KEY_MAX).message },
    prepare: ({ body }, { webhooks }) => requireUrl(body.url, webhooks),
    async handle({ body, stamp, caller }, services) {
      const { storage, webhooks } = services;
      const { url, types = null, description = null } = body;
      const secret = webhooks.newSecret();
      const secretFor = (id: bigint) => webhooks.encrypt(secret, id);
      const webhook = {
        ...{ url, types, description, createdAt: stamp.at },
        ownerId: ownerOf(caller) ?? null,
        disabledReason: enabledFor(caller),
      };
      const created = await storage.webhooks.create(webhook, secretFor, stamp);
      return secretResult(created, secret, services);
    },
    restore: shown.restore,
  }),
  getWebhook: defineOperation({
    ...onWebhook,
    method: 'GET',
    summary: 'Get a webhook',
    description: 'Returns a webhook, without its secret.',
    success: shows('The requested webhook.', webhookSchema, PARTNER),
    async handle({ path, caller }, { storage }) {
      const webhook = await storage.webhooks.find(path.webhookId);
      return { value: webhookValue(ownWebhook(webhook, caller)) };
    },
  }),
  updateWebhook: defineOperation({
    ...onWebhook,
    method: 'PATCH',
    summary: 'Change a webhook',
    description:
      'Changes the URL, types, description or status of a webhook (JSON merge patch, RFC 7396), for all attempts from now on; those of other instances follow within a second. A webhook that is enabled again continues with the event after the last one that it got, if that is still kept.',
    body: changes('The members to change.', webhookChangeSchema, { status: 'disabled' }),
    success: shows('The changed webhook.', webhookSchema, {
      ...PARTNER,
      status: 'disabled',
      disabledReason: 'requested',
    }),
    async prepare({ body }, { webhooks }) {
      if (body.url !== undefined) await requireUrl(body.url, webhooks);
    },
    async handle({ path, body, stamp, ifMatch, caller }, { storage, webhooks }) {
      const check = requireMatch(ifMatch, webhookValue);
      const change = (current: Webhook) => {
        check(ownWebhook(current, caller));
        return changedSettings(current, body, caller);
      };
      const updated = await storage.webhooks.update(path.webhookId, change, stamp);
      return {
        value: webhookValue(NO_SUCH_WEBHOOK.orThrow(updated)),
        async complete() {
          webhooks.changed(path.webhookId, updated);
        },
      };
    },
  }),
  deleteWebhook: defineOperation({
    ...onWebhook,
    method: 'DELETE',
    summary: 'Delete a webhook',
    description:
      'Deletes a webhook and the log of its deliveries. An attempt may still be under way.',
    success: removes('Webhook deleted.'),
    async handle({ path, stamp, ifMatch, caller }, { storage, webhooks }) {
      const matching = requireMatch(ifMatch, webhookValue);
      const check = (current: Webhook) => matching(ownWebhook(current, caller));
      NO_SUCH_WEBHOOK.orThrow(await storage.webhooks.remove(path.webhookId, check, stamp));
      return {
        async complete() {
          webhooks.changed(path.webhookId, undefined);
        },
      };
    },
  }),
  rotateWebhookSecret: defineOperation({
    ...onWebhook,
    method: 'POST',
    path: '/webhooks/{webhookId}/secret',
    summary: 'Replace the secret of a webhook',
    description:
      'Makes a new secret. For 24 hours requests are signed with the old one too, so that a receiver can switch without a gap. The response is the only one that contains the new secret: a repeat with the same `Idempotency-Key` makes none and is 409.',
    success: creates('New secret made.', createdWebhookSchema, CREATED_PARTNER),
    failures: { conflict: shown.refusal(PARTNER.id) },
    async handle({ path, stamp, caller }, services) {
      const { storage, webhooks } = services;
      const secret = webhooks.newSecret();
      const rotate = (current: Webhook) => {
        ownWebhook(current, caller);
        // One that cannot be decrypted would keep the new one from signing.
        const signs = webhooks.isReadable(current.secret, current.id);
        return {
          ...current,
          secret: webhooks.encrypt(secret, current.id),
          oldSecret: signs ? current.secret : null,
          oldSecretUntil: signs ? stamp.at + OLD_SECRET_MS : null,
        };
      };
      const webhook = await storage.webhooks.update(path.webhookId, rotate, stamp);
      return secretResult(NO_SUCH_WEBHOOK.orThrow(webhook), secret, services);
    },
    restore: shown.restore,
  }),
});
