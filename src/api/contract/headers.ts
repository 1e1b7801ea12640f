import type { oas31 } from 'zod-openapi';

/*
 * The response headers in the document. Their names are case-insensitive (RFC 9110, section 5.1).
 * Headers of transport and security, Cache-Control and Vary are left out: they have their usual
 * meaning.
 */

const ALWAYS = { required: true } as const;
const REQUEST_ID = '^[A-Za-z0-9._-]+$';

/** Text without line breaks. Only its length is promised. */
function text(example: string, maxLength = 2_048): Partial<oas31.HeaderObject> {
  return { schema: { type: 'string', minLength: 1, maxLength, pattern: '^.+$' }, example };
}

/** Text that matches a pattern. */
function form(pattern: string, example: string): Partial<oas31.HeaderObject> {
  return { schema: { type: 'string', maxLength: 256, pattern }, example };
}

/** A whole number, at least `minimum`, that a JavaScript client can represent. */
function count(minimum: number, example: number): Partial<oas31.HeaderObject> {
  const maximum = Number.MAX_SAFE_INTEGER;
  return { schema: { type: 'integer', format: 'int64', minimum, maximum }, example };
}

/** Every header that an operation may send. */
export const HEADERS = {
  'X-Request-Id': {
    ...ALWAYS,
    description:
      'The id of the request in the log: yours from `X-Request-Id` if it is 1 to 128 of `A-Za-z0-9._-`, otherwise a new UUID. Include it when you ask for help.',
    schema: { type: 'string', minLength: 1, maxLength: 128, pattern: REQUEST_ID },
    example: '0b6f0c5e-7d5c-4a55-9d3c-3f5f4b0f7f2a',
  },
  Traceresponse: {
    description:
      'The trace of the request, if you send a `traceparent` (W3C Trace Context): version, your trace id, the id of this request in our log, flags. The flag `sampled` is never set.',
    ...form(
      '^00-[0-9a-f]{32}-[0-9a-f]{16}-0[02]$',
      '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00',
    ),
  },
  'X-RateLimit-Limit': {
    ...ALWAYS,
    description:
      'Requests allowed in the window. The three `X-RateLimit` headers describe the window (minute or day) with the fewest requests remaining, or the one that refused the request.',
    ...count(0, 60),
  },
  'X-RateLimit-Remaining': {
    ...ALWAYS,
    description: 'Requests remaining in that window.',
    ...count(0, 59),
  },
  'X-RateLimit-Reset': {
    ...ALWAYS,
    description: 'When that window ends, as a Unix timestamp in seconds.',
    ...count(0, 1_800_014_460),
  },
  // Spelled like this because the OWASP rules reject `RateLimit` beside `X-RateLimit-Limit`:
  // see CONTRIBUTING.md#conformance.
  Ratelimit: {
    ...ALWAYS,
    description:
      'Requests remaining in each window (`r`) and the seconds until it ends (`t`): the `RateLimit` header of draft-ietf-httpapi-ratelimit-headers-10.',
    ...form(
      '^"minute";r=\\d+;t=\\d+(, "day";r=\\d+;t=\\d+)?$',
      '"minute";r=59;t=42, "day";r=999;t=43182',
    ),
  },
  'RateLimit-Policy': {
    ...ALWAYS,
    description: 'The windows of the plan: requests (`q`) per number of seconds (`w`).',
    ...form(
      '^"minute";q=\\d+;w=60(, "day";q=\\d+;w=86400)?$',
      '"minute";q=60;w=60, "day";q=1000;w=86400',
    ),
  },
  'Access-Control-Allow-Origin': {
    description:
      'The origin of the page that sent the request, if the deployment lets its pages call from a browser.',
    ...text('https://shop.example'),
  },
  'X-Ignored-Parameters': {
    description:
      'The query parameters that the operation does not know and has ignored, or refused: percent-encoded, each once, up to 1,000 characters.',
    ...text('limt, colour', 1_000),
  },
  'Preference-Applied': {
    description: 'The `handling` that `Prefer` has asked for (RFC 7240).',
    schema: { type: 'string', enum: ['handling=strict', 'handling=lenient'] },
    example: 'handling=strict',
  },
  'Retry-After': {
    ...ALWAYS,
    description: 'Whole seconds to wait before you try again.',
    ...count(1, 42),
  },
  'WWW-Authenticate': {
    ...ALWAYS,
    description: 'The challenge of RFC 6750: the kind of credential to send, and what was wrong.',
    ...form(
      '^Bearer realm="petstore"(, error="(invalid_token|insufficient_scope)")?$',
      'Bearer realm="petstore", error="invalid_token"',
    ),
  },
  ETag: {
    ...ALWAYS,
    description:
      'Changes whenever the response does. Send it in `If-None-Match` to get 304 while nothing has changed. The `ETag` of a single record also works in `If-Match`.',
    ...form('^"[0-9a-f]{16}"$', '"5f3c9b1e0a7d2846"'),
  },
  Link: {
    ...ALWAYS,
    description:
      'Links to other pages (RFC 8288): `rel="first"`, and `rel="next"` unless this is the last page. Events always have `rel="next"`, and no `rel="first"`. The URLs are absolute and include every filter: follow them as they are.',
    ...text(
      '<https://petstore.example/v1/pets?status=available&cursor=AAAAAAAAABxw0o6nqMtFJA>; rel="next", <https://petstore.example/v1/pets?status=available>; rel="first"',
      65_536,
    ),
  },
  'X-Total-Count': {
    description: 'The number of animals that pass the filters, if `total=true` asks for it.',
    ...count(0, 265),
  },
  'Content-Disposition': {
    description: 'The name of the file, if the response is one.',
    ...text('attachment; filename="animals.csv"', 200),
  },
  Location: {
    ...ALWAYS,
    description: 'The URL of the new record.',
    schema: { type: 'string', format: 'uri', maxLength: 2_048 },
    example: 'https://petstore.example/v1/pets/28',
  },
  'Idempotent-Replayed': {
    description:
      'Present when the response replays an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
} as const satisfies Record<string, oas31.HeaderObject>;

export type HeaderName = keyof typeof HEADERS;

/** The headers of a deprecated operation. This Link differs from that of a page. */
export const DEPRECATION_HEADERS = {
  Deprecation: {
    ...ALWAYS,
    description: 'When the operation was deprecated, in Unix seconds after `@` (RFC 9745).',
    ...form('^@\\d+$', '@1795219200'),
  },
  Sunset: {
    ...ALWAYS,
    description: 'When the operation will be removed (RFC 8594).',
    ...form(
      '^[A-Z][a-z]{2}, \\d{2} [A-Z][a-z]{2} \\d{4} 00:00:00 GMT$',
      'Thu, 05 Dec 2030 00:00:00 GMT',
    ),
  },
  DeprecationLink: {
    ...ALWAYS,
    description:
      'The operation to use instead (`rel="successor-version"`), and the page about the deprecation and removal (`rel="deprecation"`, `rel="sunset"`).',
    ...text(
      '<https://petstore.example/v1/pets>; rel="successor-version", <https://petstore.example/docs/deprecations>; rel="deprecation", <https://petstore.example/docs/deprecations>; rel="sunset"',
    ),
  },
} as const satisfies Record<string, oas31.HeaderObject>;

/** What scripts of other origins may read: every header in the document, and that of a method that is not allowed. */
export const EXPOSED_HEADERS: readonly string[] = [
  ...Object.keys({ ...HEADERS, ...DEPRECATION_HEADERS }).filter(
    (name) => name !== 'DeprecationLink' && name !== 'Access-Control-Allow-Origin',
  ),
  'Allow',
];

/** The headers of every response of every operation. */
export const EVERY_RESPONSE = [
  'X-Request-Id',
  'Traceresponse',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Ratelimit',
  'RateLimit-Policy',
  'Access-Control-Allow-Origin',
  'X-Ignored-Parameters',
  'Preference-Applied',
] as const satisfies readonly HeaderName[];

/** Returns the headers of a response by name, each as a reference to its description. */
export function headerReferences(names: readonly HeaderName[], deprecated: boolean) {
  const references: Record<string, oas31.ReferenceObject> = {};
  for (const name of names) references[name] = { $ref: `#/components/headers/${name}` };
  if (deprecated) {
    references['Deprecation'] = { $ref: '#/components/headers/Deprecation' };
    references['Sunset'] = { $ref: '#/components/headers/Sunset' };
    references['Link'] = { $ref: '#/components/headers/DeprecationLink' };
  }
  return references;
}
