import { SECOND_MS } from '../../domain/clock.ts';
import { Failure } from '../../domain/failure.ts';
import { type IssuedKey, issueKey, rotateKey as replaceKey } from '../../domain/key-issuance.ts';
import { OVERLAP_DEFAULT_MS } from '../../domain/key-lifecycle.ts';
import { thenDo } from '../../domain/maybe-promise.ts';
import { JSON_TYPE } from '../../http/response.ts';
import {
  defineOperation,
  type HandlerServices,
  type RequestFacts,
  type Restore,
  type Result,
} from '../contract/operation.ts';
import { newKeySchema, requestedKey, rotationSchema } from './key-bodies.ts';
import {
  currentKeyValue,
  found,
  issuedKeySchema,
  keyPath,
  NO_SUCH_KEY,
  SHOP,
  tagOfKey,
} from './key-values.ts';

const { id: shopId, ...shopFacts } = SHOP;
const ISSUED_SHOP = {
  id: shopId,
  key: 'petstore_live_ExampleKeyExampleKeyExampleKeyExample0',
  ...shopFacts,
  lastUsedAt: null,
};

/** The key itself is only in the completed result, so nothing that is stored can hold it. */
function issuedResult(
  { key, text }: IssuedKey,
  { stamp }: RequestFacts,
  { baseUrl, limiter }: HandlerServices,
): Result {
  const headers = { location: `${baseUrl}/keys/${key.id}`, 'cache-control': 'no-store' };
  return {
    status: 201,
    stored: { id: key.id },
    headers,
    complete: () =>
      thenDo(currentKeyValue(key, stamp.at, limiter), (value) => {
        const { id, ...facts } = value;
        const etag = tagOfKey(key, value);
        return { status: 201, value: { id, key: text, ...facts }, headers: { ...headers, etag } };
      }),
  };
}

/** The failure of a retry that would show a key a second time. */
function shownOnce(id: bigint): Failure {
  return new Failure(
    'conflict',
    `An earlier request with this Idempotency-Key created key ${id}, which is not shown again: if you did not get it, rotate key ${id} with overlapSeconds 0.`,
  );
}

const refuseReplay: Restore = (stored) => {
  const { id } = JSON.parse(stored);
  throw shownOnce(BigInt(id));
};

/** Creates a key, and shows it once. */
export const createKey = defineOperation({
  id: 'createKey',
  method: 'POST',
  path: '/keys',
  access: 'admin',
  stability: 'beta',
  tag: 'Keys',
  summary: 'Create an API key',
  description:
    'Creates a key with any scopes, also `admin`. The response is the only one that contains the key: a repeat with the same `Idempotency-Key` creates nothing and is 409.',
  body: {
    schema: newKeySchema,
    mediaTypes: [JSON_TYPE],
    description: 'The key to create.',
    example: { name: SHOP.name, plan: SHOP.plan, scopes: SHOP.scopes },
  },
  success: {
    status: 201,
    description: 'Key created.',
    schema: issuedKeySchema,
    example: ISSUED_SHOP,
    headers: ['Location', 'ETag'],
  },
  failures: { conflict: shownOnce(SHOP.id).message },
  handle(input, services) {
    const { environment, storage } = services;
    const now = input.stamp.at;
    const issuer = { keys: storage.keys, environment, now };
    return thenDo(issueKey(issuer, requestedKey(input.body, now)), (issued) =>
      issuedResult(issued, input, services),
    );
  },
  restore: refuseReplay,
});

/** Replaces a key, and shows the new one once. */
export const rotateKey = defineOperation({
  id: 'rotateKey',
  method: 'POST',
  path: '/keys/{keyId}/rotate',
  access: 'admin',
  stability: 'beta',
  tag: 'Keys',
  summary: 'Replace an API key',
  description:
    'Creates a key with the same plan, limits, scopes and lifetime, which shares its limits and bans. The old key keeps working during the overlap, so that a program can switch without a gap. The response is the only one that contains the new key: a repeat with the same `Idempotency-Key` creates nothing and is 409.',
  pathParameters: keyPath,
  pathFailure: 'key_not_found',
  body: {
    schema: rotationSchema,
    mediaTypes: [JSON_TYPE],
    description: 'How to replace the key; `{}` for an overlap of a day.',
    example: { overlapSeconds: 3_600 },
  },
  success: {
    status: 201,
    description: 'New key created.',
    schema: issuedKeySchema,
    example: ISSUED_SHOP,
    headers: ['Location', 'ETag'],
  },
  failures: { key_not_found: NO_SUCH_KEY, conflict: shownOnce(SHOP.id).message },
  handle(input, services) {
    const { path, body, stamp } = input;
    const { environment, storage } = services;
    const issuer = { keys: storage.keys, environment, now: stamp.at };
    const { overlapSeconds } = body;
    const overlapMs =
      overlapSeconds === undefined ? OVERLAP_DEFAULT_MS : overlapSeconds * SECOND_MS;
    return thenDo(replaceKey(issuer, path.keyId, overlapMs), (key) =>
      issuedResult(found(key), input, services),
    );
  },
  restore: refuseReplay,
});
