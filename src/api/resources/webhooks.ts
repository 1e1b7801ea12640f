import * as z from 'zod';
import { Failure } from '../../domain/failure.ts';
import { thenDo } from '../../domain/maybe-promise.ts';
import { PAGE_LIMIT_MAX } from '../../domain/page.ts';
import {
  OLD_SECRET_MS,
  tooManyWebhooks,
  type Webhook,
  type WebhookSending,
  type WebhookSettings,
} from '../../domain/webhook.ts';
import { JSON_TYPE } from '../../http/response.ts';
import { cursorInQuery, limitInQuery } from '../contract/fields.ts';
import { listPage } from '../contract/list-page.ts';
import {
  defineOperation,
  MERGE_PATCH_TYPES,
  type Operation,
  type Restore,
  type Result,
} from '../contract/operation.ts';
import { requireMatch } from '../contract/precondition.ts';
import {
  createdWebhookSchema,
  foundWebhook,
  NO_SUCH_WEBHOOK,
  newWebhookSchema,
  PARTNER,
  webhookChangeSchema,
  webhookPath,
  webhookSchema,
  webhookValue,
} from './webhook-values.ts';

const CREATED_PARTNER = {
  ...PARTNER,
  secret: 'whsec_RXhhbXBsZVNlY3JldEV4YW1wbGVTZWNyZXRFeGFtcGw=',
};

/** Throws `invalid_body` for a URL that must not be called. */
async function requireUrl(url: string, { problemOf }: WebhookSending): Promise<void> {
  const problem = await problemOf(url);
  if (problem !== undefined) throw new Failure('invalid_body', `url ${problem}.`);
}

/** The secret is only in the completed result, so nothing that is stored can hold it. */
function secretResult(webhook: Webhook, secret: string, baseUrl: string): Result {
  const headers = {
    location: `${baseUrl}/webhooks/${webhook.id}`,
    'cache-control': 'no-store',
  };
  return {
    status: 201,
    stored: { id: webhook.id },
    headers,
    complete: () => ({ status: 201, value: { ...webhookValue(webhook), secret }, headers }),
  };
}

/** The failure of a retry that would show a secret a second time. */
function shownOnce(id: bigint): Failure {
  return new Failure(
    'conflict',
    `An earlier request with this Idempotency-Key made the secret of webhook ${id}, which is not shown again: if you did not get it, rotate the secret.`,
  );
}

const refuseReplay: Restore = (stored) => {
  const { id } = JSON.parse(stored);
  throw shownOnce(BigInt(id));
};

const createWebhook = defineOperation({
  id: 'createWebhook',
  method: 'POST',
  path: '/webhooks',
  access: 'admin',
  stability: 'experimental',
  tag: 'Webhooks',
  summary: 'Create a webhook',
  description:
    'Creates a webhook that gets the events from now on, signed as Standard Webhooks 1.0 says. The response is the only one that contains the secret: a repeat with the same `Idempotency-Key` creates nothing and is 409.',
  body: {
    schema: newWebhookSchema,
    mediaTypes: [JSON_TYPE],
    description: 'The webhook to create.',
    example: { url: PARTNER.url, types: PARTNER.types, description: PARTNER.description },
  },
  success: {
    status: 201,
    description: 'Webhook created.',
    schema: createdWebhookSchema,
    example: CREATED_PARTNER,
    headers: ['Location', 'ETag'],
  },
  failures: { conflict: tooManyWebhooks().message },
  precheck: ({ body }, { webhooks }) => requireUrl(body.url, webhooks),
  handle({ body, stamp }, { storage, webhooks, baseUrl }) {
    const { url, types = null, description = null } = body;
    const secret = webhooks.newSecret();
    const seal = (id: bigint) => webhooks.seal(secret, id);
    const webhook = { url, types, description, createdAt: stamp.at };
    return thenDo(storage.webhooks.create(webhook, seal), (created) =>
      secretResult(created, secret, baseUrl),
    );
  },
  restore: refuseReplay,
});

const listWebhooks = defineOperation({
  id: 'listWebhooks',
  method: 'GET',
  path: '/webhooks',
  access: 'admin',
  stability: 'experimental',
  tag: 'Webhooks',
  summary: 'List webhooks',
  description:
    'Lists webhooks in ascending order of id, without their secrets. Follow the Link header for more pages.',
  queryParameters: z.object({ limit: limitInQuery, cursor: cursorInQuery }),
  success: {
    status: 200,
    description: 'A page of webhooks.',
    schema: z
      .array(webhookSchema)
      .max(PAGE_LIMIT_MAX)
      .meta({ id: 'Webhooks', description: 'Webhooks in ascending order of id.' }),
    example: [PARTNER],
    headers: ['Link', 'ETag'],
  },
  failures: {},
  handle({ query }, { storage, baseUrl }) {
    const list = listPage({ baseUrl, path: '/webhooks', filters: {}, query });
    return thenDo(storage.webhooks.page(list.request), (page) => list.result(page, webhookValue));
  },
});

const getWebhook = defineOperation({
  id: 'getWebhook',
  method: 'GET',
  path: '/webhooks/{webhookId}',
  access: 'admin',
  stability: 'experimental',
  tag: 'Webhooks',
  summary: 'Get a webhook',
  description: 'Returns a webhook, without its secret.',
  pathParameters: webhookPath,
  pathFailure: 'webhook_not_found',
  success: {
    status: 200,
    description: 'The requested webhook.',
    schema: webhookSchema,
    example: PARTNER,
    headers: ['ETag'],
  },
  failures: { webhook_not_found: NO_SUCH_WEBHOOK },
  handle({ path }, { storage }) {
    return thenDo(storage.webhooks.find(path.webhookId), (webhook) => ({
      status: 200,
      value: webhookValue(foundWebhook(webhook)),
    }));
  },
});

/** Returns the settings of a webhook after a change. */
function changedSettings(
  current: Webhook,
  body: z.output<typeof webhookChangeSchema>,
): WebhookSettings {
  const { url = current.url, types, description, status } = body;
  const disabled = current.disabledReason ?? 'requested';
  return {
    ...current,
    url,
    types: types === undefined ? current.types : types,
    description: description === undefined ? current.description : description,
    ...(status !== undefined && { disabledReason: status === 'enabled' ? null : disabled }),
  };
}

const updateWebhook = defineOperation({
  id: 'updateWebhook',
  method: 'PATCH',
  path: '/webhooks/{webhookId}',
  access: 'admin',
  stability: 'experimental',
  tag: 'Webhooks',
  summary: 'Change a webhook',
  description:
    'Changes the URL, types, description or status of a webhook (JSON merge patch, RFC 7396), on every instance within two seconds. A webhook that is enabled again goes on with the event after the last one that it got, if that is still kept.',
  pathParameters: webhookPath,
  pathFailure: 'webhook_not_found',
  body: {
    schema: webhookChangeSchema,
    mediaTypes: MERGE_PATCH_TYPES,
    description: 'The members to change.',
    example: { status: 'disabled' },
  },
  success: {
    status: 200,
    description: 'The changed webhook.',
    schema: webhookSchema,
    example: { ...PARTNER, status: 'disabled', disabledReason: 'requested' },
    headers: ['ETag'],
  },
  failures: { webhook_not_found: NO_SUCH_WEBHOOK },
  async precheck({ body }, { webhooks }) {
    if (body.url !== undefined) await requireUrl(body.url, webhooks);
  },
  async handle({ path, body, ifMatch }, { storage }) {
    const check = requireMatch(ifMatch, webhookValue);
    const updated = await storage.webhooks.update(path.webhookId, (current) => {
      check(current);
      return changedSettings(current, body);
    });
    return { status: 200, value: webhookValue(foundWebhook(updated)) };
  },
});

const deleteWebhook = defineOperation({
  id: 'deleteWebhook',
  method: 'DELETE',
  path: '/webhooks/{webhookId}',
  access: 'admin',
  stability: 'experimental',
  tag: 'Webhooks',
  summary: 'Delete a webhook',
  description:
    'Deletes a webhook and the log of its deliveries. An attempt may still be under way.',
  pathParameters: webhookPath,
  pathFailure: 'webhook_not_found',
  success: { status: 204, description: 'Webhook deleted.', headers: [] },
  failures: { webhook_not_found: NO_SUCH_WEBHOOK },
  handle({ path, ifMatch }, { storage }) {
    const check = requireMatch(ifMatch, webhookValue);
    return thenDo(storage.webhooks.remove(path.webhookId, check), (existed) => {
      foundWebhook(existed || undefined);
      return { status: 204 };
    });
  },
});

const rotateWebhookSecret = defineOperation({
  id: 'rotateWebhookSecret',
  method: 'POST',
  path: '/webhooks/{webhookId}/secret',
  access: 'admin',
  stability: 'experimental',
  tag: 'Webhooks',
  summary: 'Replace the secret of a webhook',
  description:
    'Makes a new secret. For 24 hours requests are signed with the old one too, so that a receiver can switch without a gap. The response is the only one that contains the new secret: a repeat with the same `Idempotency-Key` makes none and is 409.',
  pathParameters: webhookPath,
  pathFailure: 'webhook_not_found',
  success: {
    status: 201,
    description: 'New secret made.',
    schema: createdWebhookSchema,
    example: CREATED_PARTNER,
    headers: ['Location', 'ETag'],
  },
  failures: { webhook_not_found: NO_SUCH_WEBHOOK, conflict: shownOnce(PARTNER.id).message },
  handle({ path, stamp }, { storage, webhooks, baseUrl }) {
    const secret = webhooks.newSecret();
    const updated = storage.webhooks.update(path.webhookId, (current) => {
      // One that cannot be decrypted would keep the new one from signing.
      const signs = webhooks.isReadable(current.secret, current.id);
      return {
        ...current,
        secret: webhooks.seal(secret, current.id),
        oldSecret: signs ? current.secret : null,
        oldSecretUntil: signs ? stamp.at + OLD_SECRET_MS : null,
      };
    });
    return thenDo(updated, (webhook) => secretResult(foundWebhook(webhook), secret, baseUrl));
  },
  restore: refuseReplay,
});

export const webhookOperations: readonly Operation[] = [
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
];
