import { crossSiteRequest, missingKey } from '../../auth/authenticate.ts';
import type { QuotaStatus } from '../../domain/allowance.ts';
import { DAY_MS, MINUTE_MS } from '../../domain/clock.ts';
import { FAILURE_STATUS, Failure, type FailureCode, unavailable } from '../../domain/failure.ts';
import { inProgress, keyReused } from '../../domain/idempotency.ts';
import { endedKey, insufficientScope } from '../../domain/key-lifecycle.ts';
import { bodyTooLarge, checkMediaType, jsonFromBytes } from '../../http/body.ts';
import { noFile } from '../../http/form-file.ts';
import { readTarget, TARGET_BYTES_MAX } from '../../http/target.ts';
import { checkUploadType } from '../../http/upload.ts';
import { parseBody, parseQuery } from '../contract/check.ts';
import { decodeCursor } from '../contract/list-page.ts';
import {
  type BodyDefinition,
  type OperationDefinition,
  takesIdempotencyKey,
  takesIfMatch,
  type UploadDefinition,
} from '../contract/operation.ts';
import { preconditionFailed } from '../contract/precondition.ts';
import { refuseAfterSunset } from '../pipeline/admission.ts';
import { readIdempotencyKey } from '../pipeline/execute.ts';
import { refusalOf } from '../pipeline/rate-limit.ts';
import { internalError } from '../pipeline/respond.ts';
import { unknownParametersRefused } from '../pipeline/target-cache.ts';

/*
 * The failures of an operation, with example messages. The messages are not written here: each comes
 * from the code that refuses a request, so no example can differ from the service.
 */

/** A time within a minute and a day, for messages that contain one. */
const EXAMPLE_NOW = Date.UTC(2027, 0, 15, 12, 0, 18);
const EXAMPLE_REQUEST_ID = '0b6f0c5e-7d5c-4a55-9d3c-3f5f4b0f7f2a';
const EXAMPLE_QUOTA: QuotaStatus = {
  at: EXAMPLE_NOW,
  minute: {
    limit: 60,
    remaining: 0,
    resetsAt: EXAMPLE_NOW - (EXAMPLE_NOW % MINUTE_MS) + MINUTE_MS,
  },
  day: { limit: 1_000, remaining: 0, resetsAt: EXAMPLE_NOW - (EXAMPLE_NOW % DAY_MS) + DAY_MS },
  bannedUntil: EXAMPLE_NOW + 15 * MINUTE_MS,
};

/** Returns every failure of an operation with an example of its message. */
export function failuresOf(operation: OperationDefinition): ReadonlyMap<FailureCode, string> {
  const failures = new Map<FailureCode, string>();
  const add = (code: FailureCode, refuse: () => unknown) => {
    failures.set(code, messageOf(code, refuse));
  };
  addAnyRequest(operation, add);
  if (takesIdempotencyKey(operation)) addIdempotency(operation, add);
  if (takesIfMatch(operation)) add('precondition_failed', preconditionFailed);
  if (operation.body !== undefined) addBody(operation.body, add);
  if (operation.upload !== undefined) addUpload(operation.upload, add);
  if (operation.queryParameters === undefined) {
    add('invalid_parameter', () => unknownParametersRefused('limit', operation));
  } else {
    const { queryParameters } = operation;
    // The first parameter, with values of which one is invalid for any of them.
    const [name = ''] = Object.keys(queryParameters.shape);
    const parse = (value: string) => parseQuery(queryParameters, new Map([[name, [value]]]));
    add('invalid_parameter', () => parse('?') && parse(''));
    if ('cursor' in queryParameters.shape) add('invalid_cursor', () => decodeCursor('', ''));
  }
  const { deprecation } = operation;
  if (deprecation !== undefined) {
    add('operation_removed', () => refuseAfterSunset(deprecation, deprecation.sunset));
  }
  for (const [code, message] of Object.entries(operation.failures)) {
    // The keys of this record are codes; `Object.entries` loses their type.
    failures.set(code as FailureCode, message);
  }
  return new Map([...failures].sort(([a], [b]) => FAILURE_STATUS[a] - FAILURE_STATUS[b]));
}

type Add = (code: FailureCode, refuse: () => unknown) => void;

/** Adds the failures of any request. */
function addAnyRequest({ access, unmetered }: OperationDefinition, add: Add): void {
  add('invalid_request', () => readTarget('/?name=%', null).problem);
  add('missing_api_key', missingKey);
  add('invalid_api_key', endedKey);
  add('insufficient_scope', () => insufficientScope(access));
  add('cross_site_request', crossSiteRequest);
  add('uri_too_long', () => readTarget(`/${'x'.repeat(TARGET_BYTES_MAX)}`, null).problem);
  const refused = (refusal: 'minute' | 'day' | 'banned') => () =>
    refusalOf({ refusal, quota: EXAMPLE_QUOTA });
  add('rate_limit_minute', refused('minute'));
  // An unmetered operation uses no quota of a key.
  if (unmetered !== true) {
    add('rate_limit_day', refused('day'));
    add('api_key_banned', refused('banned'));
  }
  add('internal_error', () => internalError(EXAMPLE_REQUEST_ID));
  add('service_unavailable', () => unavailable(undefined));
}

/** Adds the failures of any request with an Idempotency-Key. */
function addIdempotency({ body, upload }: OperationDefinition, add: Add): void {
  add('invalid_idempotency_key', () => readIdempotencyKey(''));
  add('idempotency_in_progress', inProgress);
  if (body !== undefined || upload !== undefined) add('idempotency_key_reused', keyReused);
}

/** Adds the failures of any request with a body. */
function addBody({ schema, mediaTypes }: BodyDefinition, add: Add): void {
  const plainText = new Headers({ 'content-type': 'text/plain' });
  add('invalid_json', () => jsonFromBytes(new Uint8Array(0)));
  add('invalid_body', () => parseBody(schema, {}) && parseBody(schema, []));
  add('body_too_large', () => bodyTooLarge());
  add('unsupported_media_type', () => checkMediaType(plainText, mediaTypes));
}

/** Adds the failures of any request with a file. */
function addUpload({ examples, bytesMax }: UploadDefinition, add: Add): void {
  const plainText = new Headers({ 'content-type': 'text/plain' });
  add('invalid_body', noFile);
  add('body_too_large', () => bodyTooLarge(bytesMax));
  add('unsupported_media_type', () => checkUploadType(plainText, Object.keys(examples)));
}

/** Returns the message of the failure that `refuse` throws or returns. */
function messageOf(code: FailureCode, refuse: () => unknown): string {
  let refusal: unknown;
  try {
    refusal = refuse();
  } catch (error) {
    refusal = error;
  }
  if (refusal instanceof Failure && refusal.code === code) return refusal.message;
  throw new Error(`there is no example of ${code}`, { cause: refusal });
}
