import type { oas31 } from 'zod-openapi';

/*
 * The header fields of answers, as the document shows them. Field names do not depend on case
 * (RFC 9110, section 5.1). Absent are those of transport and security, Cache-Control and Vary,
 * which mean here what they mean everywhere.
 */

const ALWAYS = { required: true } as const;
const REQUEST_ID = '^[A-Za-z0-9._-]+$';

/** A text without line breaks, of which nothing but its length is promised to a machine. */
function text(example: string, maxLength = 2_048): Partial<oas31.HeaderObject> {
  return { schema: { type: 'string', minLength: 1, maxLength, pattern: '^.+$' }, example };
}

/** A text of a certain form. */
function form(pattern: string, example: string): Partial<oas31.HeaderObject> {
  return { schema: { type: 'string', maxLength: 256, pattern }, example };
}

/** A whole number from `minimum` on that a JavaScript client can hold. */
function count(minimum: number, example: number): Partial<oas31.HeaderObject> {
  const maximum = Number.MAX_SAFE_INTEGER;
  return { schema: { type: 'integer', format: 'int64', minimum, maximum }, example };
}

/** Every header field that an operation may answer with. */
export const HEADERS = {
  'X-Request-Id': {
    ...ALWAYS,
    description:
      'The id under which the service logged the request: the one that was sent in `X-Request-Id`, if that is 1 to 128 of `A-Za-z0-9._-`, else a new UUID. Say it when you ask for help.',
    schema: { type: 'string', minLength: 1, maxLength: 128, pattern: REQUEST_ID },
    example: '0b6f0c5e-7d5c-4a55-9d3c-3f5f4b0f7f2a',
  },
  'X-RateLimit-Limit': {
    ...ALWAYS,
    description:
      'Requests that the window lets through. The three `X-RateLimit` fields describe the window (minute or day) with the least remaining, or the one that refused.',
    ...count(0, 60),
  },
  'X-RateLimit-Remaining': {
    ...ALWAYS,
    description: 'Requests that are left in that window.',
    ...count(0, 59),
  },
  'X-RateLimit-Reset': {
    ...ALWAYS,
    description: 'When that window ends, as a Unix timestamp in seconds.',
    ...count(0, 1_800_014_460),
  },
  // Spelled so because the OWASP rules take `RateLimit` beside `X-RateLimit-Limit` for a mistake:
  // see docs/decisions/0004-conformance-suites.md.
  Ratelimit: {
    ...ALWAYS,
    description:
      'What is left of each window (`r`) and the seconds until it ends (`t`): the `RateLimit` field of draft-ietf-httpapi-ratelimit-headers-10.',
    ...form(
      '^"minute";r=\\d+;t=\\d+(, "day";r=\\d+;t=\\d+)?$',
      '"minute";r=59;t=42, "day";r=999;t=43182',
    ),
  },
  'RateLimit-Policy': {
    ...ALWAYS,
    description: 'The windows of the plan: requests (`q`) in so many seconds (`w`).',
    ...form(
      '^"minute";q=\\d+;w=60(, "day";q=\\d+;w=86400)?$',
      '"minute";q=60;w=60, "day";q=1000;w=86400',
    ),
  },
  'Access-Control-Allow-Origin': {
    description:
      'The origin that asked, where the deployment allows its pages to call from a browser; absent otherwise.',
    ...text('https://shop.example'),
  },
  'Retry-After': {
    ...ALWAYS,
    description: 'Whole seconds to wait before the next try.',
    ...count(1, 42),
  },
  'WWW-Authenticate': {
    ...ALWAYS,
    description: 'The challenge of RFC 6750: what kind of credential is asked for, and why.',
    ...form(
      '^Bearer realm="petstore"(, error="(invalid_token|insufficient_scope)")?$',
      'Bearer realm="petstore", error="invalid_token"',
    ),
  },
  ETag: {
    ...ALWAYS,
    description:
      'Changes whenever the answer does. Send it in `If-None-Match` to get 304 while nothing has changed. That of a single record is also what `If-Match` takes.',
    ...form('^"[0-9a-f]{16}"$', '"5f3c9b1e0a7d2846"'),
  },
  Link: {
    ...ALWAYS,
    description:
      'Further pages (RFC 8288): `rel="next"` unless this is the last one, and `rel="first"`. The addresses are whole and hold every filter: follow them as they are.',
    ...text(
      '<https://petstore.example/v1/pets?status=available&cursor=AAAAAAAAABxw0o6nqMtFJA>; rel="next", <https://petstore.example/v1/pets?status=available>; rel="first"',
      65_536,
    ),
  },
  Location: {
    ...ALWAYS,
    description: 'The address of what was added.',
    schema: { type: 'string', format: 'uri', maxLength: 2_048 },
    example: 'https://petstore.example/v1/pets/28',
  },
  'Idempotent-Replayed': {
    description:
      'There where the answer is that of an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
} as const satisfies Record<string, oas31.HeaderObject>;

export type HeaderName = keyof typeof HEADERS;

/** The fields that tell of a deprecation. Their Link is not that of a page. */
export const DEPRECATION_HEADERS = {
  Deprecation: {
    ...ALWAYS,
    description: 'Since when the operation is deprecated, in Unix seconds after `@` (RFC 9745).',
    ...form('^@\\d+$', '@1795219200'),
  },
  Sunset: {
    ...ALWAYS,
    description: 'When the operation is removed (RFC 8594).',
    ...form(
      '^[A-Z][a-z]{2}, \\d{2} [A-Z][a-z]{2} \\d{4} 00:00:00 GMT$',
      'Thu, 05 Dec 2030 00:00:00 GMT',
    ),
  },
  DeprecationLink: {
    ...ALWAYS,
    description:
      'What takes the place of the operation (`rel="successor-version"`), and the page about its deprecation and removal (`rel="deprecation"`, `rel="sunset"`).',
    ...text(
      '<https://petstore.example/v1/pets>; rel="successor-version", <https://petstore.example/docs/deprecations>; rel="deprecation", <https://petstore.example/docs/deprecations>; rel="sunset"',
    ),
  },
} as const satisfies Record<string, oas31.HeaderObject>;

/** Fields of every answer of every operation. */
export const EVERY_RESPONSE = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Ratelimit',
  'RateLimit-Policy',
  'Access-Control-Allow-Origin',
] as const satisfies readonly HeaderName[];

/** Headers of a response: the fields by name, each as a reference to its description. */
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
