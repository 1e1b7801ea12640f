import { SECOND_MS } from '../../domain/clock.ts';
import {
  type IssuedKey,
  issueKey,
  OVERLAP_DEFAULT_MS,
  rotateKey as replaceKey,
} from '../../domain/key-lifecycle.ts';
import { thenDo } from '../../domain/maybe-promise.ts';
import { JSON_TYPE } from '../../http/response.ts';
import { creates, takes } from '../contract/bodies.ts';
import {
  defineOperation,
  type HandlerServices,
  type RequestFacts,
  type Result,
} from '../contract/operation.ts';
import { shownOnce } from '../contract/shown-once.ts';
import {
  aboutKeys,
  currentKeyValue,
  issuedKeySchema,
  NO_SUCH_KEY,
  newKeySchema,
  onKey,
  requestedKey,
  rotationSchema,
  SHOP,
  tagOfKey,
} from './key-schemas.ts';

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
  return shown.resultOf(key.id, `${baseUrl}/keys/${key.id}`, () =>
    thenDo(currentKeyValue(key, stamp.at, limiter), (value) => {
      const { id, ...facts } = value;
      return { value: { id, key: text, ...facts }, headers: { etag: tagOfKey(key, value) } };
    }),
  );
}

/** Creates a key, and shows it once. */
export const createKey = defineOperation({
  ...aboutKeys,
  id: 'createKey',
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
  handle(input, services) {
    const { environment, storage } = services;
    const now = input.stamp.at;
    const issuer = { keys: storage.keys, environment, now, by: input.stamp.keyId };
    return thenDo(issueKey(issuer, requestedKey(input.body, now)), (issued) =>
      issuedResult(issued, input, services),
    );
  },
  restore: shown.restore,
});

/** Replaces a key, and shows the new one once. */
export const rotateKey = defineOperation({
  ...onKey,
  id: 'rotateKey',
  grantsAccess: true,
  method: 'POST',
  path: '/keys/{keyId}/rotate',
  summary: 'Replace an API key',
  description:
    'Creates a key with the same plan, limits, scopes and lifetime, which shares its limits and bans. The old key keeps working during the overlap, so that a program can switch without a gap. The response is the only one that contains the new key: a repeat with the same `Idempotency-Key` creates nothing and is 409.',
  body: {
    schema: rotationSchema,
    mediaTypes: [JSON_TYPE],
    description: 'How to replace the key. Without it, the overlap is a day.',
    example: { overlapSeconds: 3_600 },
    optional: true,
  },
  success: creates('New key created.', issuedKeySchema, ISSUED_SHOP),
  failures: { conflict: shown.refusal(SHOP.id) },
  handle(input, services) {
    const { path, body, stamp } = input;
    const { environment, storage } = services;
    const issuer = { keys: storage.keys, environment, now: stamp.at, by: stamp.keyId };
    const { overlapSeconds } = body;
    const overlapMs =
      overlapSeconds === undefined ? OVERLAP_DEFAULT_MS : overlapSeconds * SECOND_MS;
    return thenDo(replaceKey(issuer, path.keyId, overlapMs), (key) =>
      issuedResult(NO_SUCH_KEY.found(key), input, services),
    );
  },
  restore: shown.restore,
});
