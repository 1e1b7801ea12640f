import { keyProblem } from '../../domain/api-key.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Environment } from '../../domain/deployment.ts';
import { Failure } from '../../domain/failure.ts';
import { hashKey } from '../../domain/key-hash.ts';
import { type MaybePromise, thenDo } from '../../domain/maybe-promise.ts';
import type { KeyCache } from './key-cache.ts';

const BEARER = /^bearer(?: +(.*))?$/is;
/** The runtime joins repeated fields with commas. */
const SECOND_BEARER = /, *bearer(?: |$)/i;

/** The longest field that is remembered as it was sent; one that is not padded has 58 characters. */
const FIELD_MAX = 64;

/** Either who calls, or why that is not known: a refusal is charged before it is answered. */
export type Authentication = Caller | Failure;

/**
 * Finds out who calls, from the Authorization field (RFC 6750, section 2.1). `isPastLimit` says
 * whether whoever asks is refused as a stranger. Messages tell apart only what a thief could see in the key itself: never whether a key was revoked or expired.
 */
export function authenticate(
  authorization: string | null,
  environment: Environment,
  keys: KeyCache,
  isPastLimit: () => boolean = () => false,
): MaybePromise<Authentication> {
  const text = authorization ?? '';
  const known = keys.recent(text);
  if (known !== undefined) return known;
  const match = BEARER.exec(text);
  if (match === null && SECOND_BEARER.test(text))
    return invalidKey('Send one Authorization header');
  const key = match?.[1]?.trim() ?? '';
  if (key === '') return missingKey();

  switch (keyProblem(key, environment)) {
    case 'malformed':
      return invalidKey('The API key is malformed: check that you copied all of it');
    case 'other_deployment':
      return invalidKey(`The API key does not belong to the ${environment} deployment`);
    case undefined:
      return findCaller(key, text, keys, isPastLimit);
  }
}

/**
 * Looks a well-formed key up. Everybody can make one up, so for somebody who is past the limit of
 * strangers that costs the database nothing.
 */
function findCaller(
  key: string,
  text: string,
  keys: KeyCache,
  isPastLimit: () => boolean,
): MaybePromise<Authentication> {
  // A padded field is remembered as if it was not: it may have 16 KB.
  const field = text.length <= FIELD_MAX ? text : `Bearer ${key}`;
  const recent = field === text ? undefined : keys.recent(field);
  if (recent !== undefined) return recent;
  const hash = hashKey(key);
  const find = () => thenDo(keys.find(hash, field), (caller) => caller ?? unknownKey());
  if (!isPastLimit()) return find();
  return thenDo(keys.mayExist(hash), (mayExist) => (mayExist ? find() : unknownKey()));
}

function missingKey(): Failure {
  return new Failure(
    'missing_api_key',
    'Send your API key in the Authorization header, as "Authorization: Bearer <API key>".',
  );
}

function invalidKey(problem: string): Failure {
  return new Failure('invalid_api_key', `${problem}.`);
}

function unknownKey(): Failure {
  return invalidKey('The API key is not valid: use a different one, or ask for a new one');
}
