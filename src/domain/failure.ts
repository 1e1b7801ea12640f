/**
 * Every failure of a request, with its HTTP status. The list is closed: clients switch on `code`, so
 * a new one changes the interface. Each has a section in docs/guides/errors.md and a test that
 * produces it.
 */
export const FAILURE_STATUS = {
  invalid_json: 400,
  invalid_body: 400,
  invalid_parameter: 400,
  invalid_cursor: 400,
  invalid_idempotency_key: 400,
  invalid_request: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  wrong_password: 401,
  invalid_invitation: 401,
  insufficient_scope: 403,
  cross_site_request: 403,
  insecure_connection: 403,
  pet_not_found: 404,
  order_not_found: 404,
  enquiry_not_found: 404,
  category_not_found: 404,
  key_not_found: 404,
  person_not_found: 404,
  webhook_not_found: 404,
  channel_not_found: 404,
  delivery_not_found: 404,
  import_not_found: 404,
  photo_not_found: 404,
  stay_not_found: 404,
  route_not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  idempotency_in_progress: 409,
  operation_removed: 410,
  events_expired: 410,
  precondition_failed: 412,
  body_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  rate_limit_minute: 429,
  rate_limit_day: 429,
  api_key_banned: 429,
  too_many_sign_ins: 429,
  headers_too_large: 431,
  internal_error: 500,
  service_unavailable: 503,
} as const satisfies Record<string, number>;

export type FailureCode = keyof typeof FAILURE_STATUS;

/** Details of a failure besides its message, most of them for headers. */
interface FailureDetails {
  /** Methods that the path supports, for 405. */
  readonly allow?: readonly string[];
  /** Whole seconds to wait before trying again, for 429 and 503. */
  readonly retryAfterSeconds?: number;
  /** Closes the connection after the response. */
  readonly endsConnection?: true;
  /** Set if the change may have been made although it was not confirmed. */
  readonly inDoubt?: true;
  /** The internal cause: for the log, never for the caller. */
  readonly cause?: unknown;
}

/** A request that cannot be served. The message tells the caller what to do. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly details: FailureDetails;

  constructor(code: FailureCode, message: string, details: FailureDetails = {}) {
    super(message, { cause: details.cause });
    this.name = 'Failure';
    this.code = code;
    this.details = details;
  }

  /** The HTTP status code. */
  get status(): number {
    return FAILURE_STATUS[this.code];
  }
}

/** The failure of a path where nothing is served. */
export function routeNotFound(): Failure {
  return new Failure(
    'route_not_found',
    'There is nothing at this path. Paths start with /v1 and do not end with a slash.',
  );
}

/** The failure of a method that a path does not support; `allow` lists those that it does. */
export function methodNotAllowed(method: string, allow: readonly string[]): Failure {
  const message = `${method} is not allowed here; use ${allow.join(', ')}.`;
  return new Failure('method_not_allowed', message, { allow });
}

/** Seconds after which a client should try again when the storage is unavailable. */
const UNAVAILABLE_RETRY_SECONDS = 2;

/** The failure of a storage that cannot be reached or is too slow. */
export function unavailable(cause: unknown): Failure {
  return new Failure(
    'service_unavailable',
    'The service cannot reach its database; nothing was changed, try again shortly.',
    { retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS, cause },
  );
}

/** The failure of a change for which the disk of the database has no space. */
export function diskFull(cause: unknown): Failure {
  return new Failure(
    'service_unavailable',
    'The disk of the database is full; nothing was changed, try again later.',
    { retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS, cause },
  );
}

/** Returns whether an error means that the storage is unavailable, rather than a bug of ours. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof Failure && error.code === 'service_unavailable';
}

/** Returns whether an error means that a change may or may not have been made. */
export function isInDoubt(error: unknown): boolean {
  return error instanceof Failure && error.details.inDoubt === true;
}
