import { keyProblem } from '../../domain/api-key.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Environment } from '../../domain/deployment.ts';
import { Failure } from '../../domain/failure.ts';
import { hashKey } from '../../domain/key-hash.ts';
import { type MaybePromise, thenDo } from '../../domain/maybe-promise.ts';
import { lookUpWithin } from './credential-cache.ts';
import type { KeyCache } from './key-cache.ts';

const BEARER = /^bearer(?: +(.*))?$/is;
/** The runtime joins repeated headers with commas. */
const SECOND_BEARER = /, *bearer(?: |$)/i;

/** The longest header that is cached as it was sent. Without padding it has 58 characters. */
const HEADER_MAX = 64;

/** The caller, or the reason for a 401. A failure is charged before the client gets it. */
export type Authentication = Caller | Failure;

/**
 * Identifies the caller by the Authorization header (RFC 6750, section 2.1). `isPastLimit` returns
 * whether the address has used up its limit for requests without a key. Messages reveal only what a
 * thief could see in the key itself, never whether it was revoked or expired.
 */
export function authenticate(
  authorization: string | null,
  environment: Environment,
  keys: KeyCache,
  isPastLimit: () => boolean = () => false,
): MaybePromise<Authentication> {
  const header = authorization ?? '';
  const recent = keys.recent(header);
  if (recent !== undefined) return recent;
  const match = BEARER.exec(header);
  if (match === null && SECOND_BEARER.test(header)) {
    return invalidKey('Send one Authorization header');
  }
  const key = match?.[1]?.trim() ?? '';
  if (key === '') return missingKey();
  return identifyKey(key, header, environment, keys, isPastLimit);
}

/** Identifies the caller by a key, which was sent in `header`. */
export function identifyKey(
  key: string,
  header: string,
  environment: Environment,
  keys: KeyCache,
  isPastLimit: () => boolean,
): MaybePromise<Authentication> {
  switch (keyProblem(key, environment)) {
    case 'malformed':
      return invalidKey('The API key is malformed: check that you copied all of it');
    case 'other_deployment':
      return invalidKey(`The API key does not belong to the ${environment} deployment`);
    case undefined:
      return findCaller(key, header, keys, isPastLimit);
  }
}

function findCaller(
  key: string,
  sent: string,
  keys: KeyCache,
  isPastLimit: () => boolean,
): MaybePromise<Authentication> {
  // Padding is not cached: it can make a header as long as 16 KB.
  const header = sent.length <= HEADER_MAX ? sent : `Bearer ${key}`;
  const recent = header === sent ? undefined : keys.recent(header);
  if (recent !== undefined) return recent;
  const found = lookUpWithin(keys, hashKey(key), header, isPastLimit);
  return thenDo(found, (caller) => caller ?? unknownKey());
}

/** The failure of a request without a key. */
export function missingKey(): Failure {
  return new Failure(
    'missing_api_key',
    'Send your API key in the Authorization header, as "Authorization: Bearer <API key>".',
  );
}

/** The failure of a key that is not valid, for this reason. */
export function invalidKey(problem: string): Failure {
  return new Failure('invalid_api_key', `${problem}.`);
}

function unknownKey(): Failure {
  return invalidKey('The API key is not valid: use a different one, or ask for a new one');
}
