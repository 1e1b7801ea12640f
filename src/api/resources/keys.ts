import * as z from 'zod';
import type { ApiKey } from '../../domain/api-key.ts';
import { lastAdmin } from '../../domain/key-lifecycle.ts';
import { type MaybePromise, thenDo } from '../../domain/maybe-promise.ts';
import { PAGE_LIMIT_MAX } from '../../domain/page.ts';
import { cursorInQuery, limitInQuery } from '../contract/fields.ts';
import { listPage } from '../contract/list-page.ts';
import {
  defineOperation,
  type HandlerServices,
  MERGE_PATCH_TYPES,
  type Operation,
  type RequestFacts,
  type Result,
} from '../contract/operation.ts';
import { changedSettings, keyChangeSchema } from './key-bodies.ts';
import { createKey, rotateKey } from './key-issuance.ts';
import {
  currentKeyValue,
  found,
  type KeyValue,
  keyPath,
  keySchema,
  keyValue,
  NO_SUCH_KEY,
  requireSettingsMatch,
  SHOP,
  tagOfKey,
} from './key-values.ts';

function keyResult(key: ApiKey, value: KeyValue): Result {
  return { status: 200, value, headers: { etag: tagOfKey(key, value) } };
}

/** Returns a key as it is now. */
function currentKey(
  key: ApiKey | undefined,
  { stamp }: RequestFacts,
  { limiter }: HandlerServices,
): MaybePromise<Result> {
  const known = found(key);
  return thenDo(currentKeyValue(known, stamp.at, limiter), (value) => keyResult(known, value));
}

const listKeys = defineOperation({
  id: 'listKeys',
  method: 'GET',
  path: '/keys',
  access: 'admin',
  stability: 'beta',
  tag: 'Keys',
  summary: 'List API keys',
  description:
    'Lists keys in ascending order of id, including revoked and expired ones. Follow the Link header for more pages.',
  queryParameters: z.object({ limit: limitInQuery, cursor: cursorInQuery }),
  success: {
    status: 200,
    description: 'A page of keys.',
    schema: z
      .array(keySchema)
      .max(PAGE_LIMIT_MAX)
      .meta({ id: 'Keys', description: 'API keys in ascending order of id.' }),
    example: [SHOP],
    headers: ['Link', 'ETag'],
  },
  failures: {},
  handle({ query, stamp }, { storage, baseUrl, limiter }) {
    const list = listPage({ baseUrl, path: '/keys', filters: {}, query });
    return thenDo(storage.keys.page(list.request), async ({ items, more }) => {
      const values = items.map((key) => currentKeyValue(key, stamp.at, limiter));
      return list.result({ items: await Promise.all(values), more }, (value) => value);
    });
  },
});

const getKey = defineOperation({
  id: 'getKey',
  method: 'GET',
  path: '/keys/{keyId}',
  access: 'admin',
  stability: 'beta',
  tag: 'Keys',
  summary: 'Get an API key',
  description: 'Returns what is known about a key. The key itself is not stored.',
  pathParameters: keyPath,
  pathFailure: 'key_not_found',
  success: {
    status: 200,
    description: 'The requested key.',
    schema: keySchema,
    example: SHOP,
    headers: ['ETag'],
  },
  failures: { key_not_found: NO_SUCH_KEY },
  handle(input, services) {
    return thenDo(services.storage.keys.find(input.path.keyId), (key) =>
      currentKey(key, input, services),
    );
  },
});

const updateKey = defineOperation({
  id: 'updateKey',
  method: 'PATCH',
  path: '/keys/{keyId}',
  access: 'admin',
  stability: 'beta',
  tag: 'Keys',
  summary: 'Change an API key',
  description:
    'Changes the name, plan, limits, scopes or end of a key (JSON merge patch, RFC 7396), on every instance within a second. Limits that are left out stay, unless the plan changes. A changed end also changes the lifetime that successors get. The last active key with the scope `admin` keeps that scope and its end. `If-Match` compares only what an administrator changes: the use of the key and its ban do not matter.',
  pathParameters: keyPath,
  pathFailure: 'key_not_found',
  body: {
    schema: keyChangeSchema,
    mediaTypes: MERGE_PATCH_TYPES,
    description: 'The members to change.',
    example: { plan: 'business' },
  },
  success: {
    status: 200,
    description: 'The changed key.',
    schema: keySchema,
    example: { ...SHOP, plan: 'business', perMinute: 1_000, perDay: 100_000 },
    headers: ['ETag'],
  },
  failures: { key_not_found: NO_SUCH_KEY, conflict: lastAdmin(1n).message },
  handle(input, services) {
    const { path, body, stamp, ifMatch } = input;
    const requireMatch = requireSettingsMatch(ifMatch);
    const updated = services.storage.keys.update(path.keyId, stamp.at, (key) => {
      requireMatch(key);
      return changedSettings(key, body, stamp.at);
    });
    return thenDo(updated, (key) => currentKey(key, input, services));
  },
});

const revokeKey = defineOperation({
  id: 'revokeKey',
  method: 'DELETE',
  path: '/keys/{keyId}',
  access: 'admin',
  stability: 'beta',
  tag: 'Keys',
  summary: 'Revoke an API key',
  description:
    'Ends a key for ever, on every instance within a second. It stays in the list. The last active key with the scope `admin` is not revoked.',
  pathParameters: keyPath,
  pathFailure: 'key_not_found',
  success: { status: 204, description: 'Key revoked.', headers: [] },
  failures: { key_not_found: NO_SUCH_KEY, conflict: lastAdmin(1n).message },
  handle({ path, stamp, ifMatch }, { storage }) {
    const requireMatch = requireSettingsMatch(ifMatch);
    const revoked = storage.keys.update(path.keyId, stamp.at, (key) => {
      requireMatch(key);
      return { ...key, revokedAt: key.revokedAt ?? stamp.at };
    });
    return thenDo(revoked, (key) => {
      found(key);
      return { status: 204 };
    });
  },
});

const unbanKey = defineOperation({
  id: 'unbanKey',
  method: 'POST',
  path: '/keys/{keyId}/unban',
  access: 'admin',
  stability: 'beta',
  tag: 'Keys',
  summary: 'Lift the ban of an API key',
  description:
    'Lifts the ban of a key and of those it shares limits with, and forgets earlier bans, on every instance within a second. The requests that were sent still count.',
  pathParameters: keyPath,
  pathFailure: 'key_not_found',
  success: {
    status: 200,
    description: 'The key, without a ban.',
    schema: keySchema,
    example: SHOP,
    headers: ['ETag'],
  },
  failures: { key_not_found: NO_SUCH_KEY },
  handle({ path, stamp }, { storage }) {
    return thenDo(storage.keys.find(path.keyId), (key) => {
      const known = found(key);
      return thenDo(storage.keys.unban(known.id, stamp.at), () =>
        keyResult(known, keyValue(known, stamp.at, undefined)),
      );
    });
  },
});

export const keyOperations: readonly Operation[] = [
  listKeys,
  createKey,
  getKey,
  updateKey,
  revokeKey,
  rotateKey,
  unbanKey,
];
