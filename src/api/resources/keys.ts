import type { ApiKey } from '../../domain/api-key.ts';
import { SECOND_MS } from '../../domain/clock.ts';
import {
  type IssuedKey,
  issueKey,
  lastAdmin,
  OVERLAP_DEFAULT_MS,
  rotateKey as replaceKey,
} from '../../domain/key-lifecycle.ts';
import { JSON_TYPE } from '../../http/response.ts';
import { changes, creates, lists, removes, removing, shows, takes } from '../contract/bodies.ts';
import { listPage, pageOf, pageQuery } from '../contract/list-page.ts';
import {
  defineOperation,
  type HandlerServices,
  operationsNamed,
  type Result,
} from '../contract/operation.ts';
import type { RequestFacts } from '../contract/request-input.ts';
import { shownOnce } from '../contract/shown-once.ts';
import {
  aboutKeys,
  changedSettings,
  currentKeyValue,
  issuedKeySchema,
  type KeyValue,
  keyChangeSchema,
  keySchema,
  keyValue,
  NO_SUCH_KEY,
  newKeySchema,
  onKey,
  requestedKey,
  requireSettingsMatch,
  rotationSchema,
  SHOP,
  tagOfKey,
} from './key-schemas.ts';

function keyResult(key: ApiKey, value: KeyValue): Result {
  return { value, headers: { etag: tagOfKey(key, value) } };
}

/** Returns a key as it is now. */
async function currentKey(
  key: ApiKey | undefined,
  { stamp }: RequestFacts,
  { limiter }: HandlerServices,
): Promise<Result> {
  const known = NO_SUCH_KEY.orThrow(key);
  const value = await currentKeyValue(known, stamp.at, limiter);
  return keyResult(known, value);
}

const { id: shopId, ...shopFacts } = SHOP;
const ISSUED_SHOP = {
  id: shopId,
  key: 'petstore_live_ExampleKeyExampleKeyExampleKeyExample0',
  ...shopFacts,
  lastUsedAt: null,
};

const shown = shownOnce(
  (id) =>
    `An earlier request with this Idempotency-Key created key ${id}, which is not shown again: if you did not get it, rotate key ${id} with overlapSeconds 0.`,
);

function issuedResult(
  { key, text }: IssuedKey,
  { stamp }: RequestFacts,
  { baseUrl, limiter }: HandlerServices,
): Result {
  return shown.resultOf(key.id, `${baseUrl}/keys/${key.id}`, async () => {
    const value = await currentKeyValue(key, stamp.at, limiter);

    const { id, ...facts } = value;
    return { value: { id, key: text, ...facts }, headers: { etag: tagOfKey(key, value) } };
  });
}

export const keyOperations = operationsNamed({
  listKeys: defineOperation({
    ...aboutKeys,
    method: 'GET',
    path: '/keys',
    summary: 'List API keys',
    description:
      'Lists the keys of programs in ascending order of id, including revoked and expired ones. Follow the Link header for more pages.',
    queryParameters: pageQuery,
    success: lists(
      'A page of keys.',
      pageOf(keySchema, 'Keys', 'API keys in ascending order of id.'),
      [SHOP],
    ),
    async handle({ query, stamp }, { storage, baseUrl, limiter }) {
      const list = listPage({ baseUrl, path: '/keys', query });
      const { items, more } = await storage.keys.page(list.request);
      const values = items.map((key) => currentKeyValue(key, stamp.at, limiter));
      return list.result({ items: await Promise.all(values), more }, (value) => value);
    },
  }),
  /** Creates a key, and shows it once. */
  createKey: defineOperation({
    ...aboutKeys,
    grantsAccess: true,
    method: 'POST',
    path: '/keys',
    summary: 'Create an API key',
    description:
      'Creates a key with any scopes, also `admin`. In the console, only within five minutes of signing in. The response is the only one that contains the key: a repeat with the same `Idempotency-Key` creates nothing and is 409.',
    body: takes('The key to create.', newKeySchema, {
      name: SHOP.name,
      plan: SHOP.plan,
      scopes: SHOP.scopes,
    }),
    success: creates('Key created.', issuedKeySchema, ISSUED_SHOP),
    failures: { conflict: shown.refusal(SHOP.id) },
    async handle(input, services) {
      const { environment, storage } = services;
      const now = input.stamp.at;
      const issuer = { keys: storage.keys, environment, now, by: input.stamp.keyId };
      const issued = await issueKey(issuer, requestedKey(input.body, now));
      return issuedResult(issued, input, services);
    },
    restore: shown.restore,
  }),
  getKey: defineOperation({
    ...onKey,
    method: 'GET',
    summary: 'Get an API key',
    description:
      'Returns what is known about a key, also about that of a person. The key itself is not stored.',
    success: shows('The requested key.', keySchema, SHOP),
    async handle(input, services) {
      const key = await services.storage.keys.find(input.path.keyId);
      return currentKey(key, input, services);
    },
  }),
  updateKey: defineOperation({
    ...onKey,
    grantsAccess: true,
    method: 'PATCH',
    summary: 'Change an API key',
    description:
      'Changes the name, plan, limits, scopes or end of a key (JSON merge patch, RFC 7396), on every instance within a second. Limits that are left out stay, unless the plan changes. A changed end also changes the lifetime that successors get. The last active key with the scope `admin` keeps that scope and its end. In the console, only within five minutes of signing in. `If-Match` compares only what an administrator changes: the use of the key and its ban do not matter.',
    body: changes('The members to change.', keyChangeSchema, { plan: 'business' }),
    success: shows('The changed key.', keySchema, {
      ...SHOP,
      plan: 'business',
      perMinute: 1_000,
      perDay: 100_000,
    }),
    failures: { conflict: lastAdmin(1n).message },
    async handle(input, services) {
      const { path, body, stamp, ifMatch } = input;
      const requireMatch = requireSettingsMatch(ifMatch);
      const change = (key: ApiKey) => {
        requireMatch(key);
        return changedSettings(key, body, stamp.at);
      };
      const { keys } = services.storage;
      const updated = keys.update(path.keyId, stamp.at, change, stamp.keyId);
      const known = NO_SUCH_KEY.orThrow(await updated);
      const complete = () => currentKey(known, input, services);
      return { ...keyResult(known, keyValue(known, stamp.at, undefined)), complete };
    },
  }),
  revokeKey: defineOperation({
    ...onKey,
    method: 'DELETE',
    summary: 'Revoke an API key',
    description:
      'Ends a key for ever, on every instance within a second. It stays in the list as long as the audit goes back. The last active key with the scope `admin` is not revoked.',
    success: removes('Key revoked.'),
    failures: { conflict: lastAdmin(1n).message },
    handle({ path, stamp, ifMatch }, { storage }) {
      const requireMatch = requireSettingsMatch(ifMatch);
      const revoke = (key: ApiKey) => {
        requireMatch(key);
        return { ...key, revokedAt: key.revokedAt ?? stamp.at };
      };
      const revoked = storage.keys.update(path.keyId, stamp.at, revoke, stamp.keyId);
      return removing(NO_SUCH_KEY, revoked);
    },
  }),
  /** Replaces a key, and shows the new one once. */
  rotateKey: defineOperation({
    ...onKey,
    grantsAccess: true,
    method: 'POST',
    path: '/keys/{keyId}/rotate',
    summary: 'Replace an API key',
    description:
      'Creates a key with the same plan, limits, scopes and lifetime, which shares its limits and bans. The old key keeps working during the overlap, so that a program can switch without a gap. Its webhooks stay and get events: after a leak, list them and delete those that are not yours. The response is the only one that contains the new key: a repeat with the same `Idempotency-Key` creates nothing and is 409.',
    body: {
      schema: rotationSchema,
      mediaTypes: [JSON_TYPE],
      description: 'How to replace the key. Without it, the overlap is a day.',
      example: { overlapSeconds: 3_600 },
      optional: true,
    },
    success: creates('New key created.', issuedKeySchema, ISSUED_SHOP),
    failures: { conflict: shown.refusal(SHOP.id) },
    async handle(input, services) {
      const { path, body, stamp } = input;
      const { environment, storage } = services;
      const issuer = { keys: storage.keys, environment, now: stamp.at, by: stamp.keyId };
      const { overlapSeconds } = body;
      const overlapMs =
        overlapSeconds === undefined ? OVERLAP_DEFAULT_MS : overlapSeconds * SECOND_MS;
      const key = await replaceKey(issuer, path.keyId, overlapMs);
      return issuedResult(NO_SUCH_KEY.orThrow(key), input, services);
    },
    restore: shown.restore,
  }),
  unbanKey: defineOperation({
    ...onKey,
    method: 'POST',
    path: '/keys/{keyId}/unban',
    summary: 'Lift the ban of an API key',
    description:
      'Lifts the ban of a key and of those it shares limits with, and forgets earlier bans, on every instance within a second. The requests that were sent still count.',
    success: shows('The key, without a ban.', keySchema, SHOP),
    async handle({ path, stamp }, { storage }) {
      const known = NO_SUCH_KEY.orThrow(await storage.keys.find(path.keyId));
      await storage.keys.unban(known.id, stamp.at, stamp.keyId);
      return keyResult(known, keyValue(known, stamp.at, undefined));
    },
  }),
});
