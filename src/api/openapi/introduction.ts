import { FIXED_PLANS } from '../../domain/plan.ts';
import { BODY_BYTES_MAX } from '../../http/body.ts';
import { TARGET_BYTES_MAX } from '../../http/target.ts';

const PLANS = Object.values(FIXED_PLANS)
  .map(({ name, perMinute, perDay }) => `| ${name} | ${perMinute} | ${perDay} |`)
  .join('\n');

/** The rules that apply to every operation, in Markdown. */
export const INTRODUCTION = `
Browse and manage the animals that a store offers for adoption.

## Authentication

Every request under the base URL needs an API key: \`Authorization: Bearer <API key>\`. A key
has scopes: \`read\`; \`adopt\`, which includes \`read\` and may place orders; \`write\`, which
includes both; \`webhooks\`, for webhooks of its own; and \`admin\`, which includes all of them.

## Limits

| Plan | Requests per minute | Requests per day |
|---|---|---|
${PLANS}
| enterprise | as agreed | as agreed |

Windows are the UTC minute and the UTC day. Every response shows your quota status in
\`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`. A request over the limit
gets 429: wait for the time in \`Retry-After\`, then back off exponentially. A key that keeps
sending requests is banned for a while. Requests without a valid key count against the IP address
that they come from.

URLs may have up to ${TARGET_BYTES_MAX} bytes, bodies up to ${BODY_BYTES_MAX}.

## Errors

The body of every error is an \`Error\`: \`code\` for programs, \`message\` for people, and \`status\`.
The list of codes is closed. Two of them belong to no operation: an unknown path is 404
\`route_not_found\`, and a method that a path does not support is 405 \`method_not_allowed\`, with
the supported methods in \`Allow\`. A malformed HTTP request, or one with more than 16 KiB of
headers, gets 400 or 431 without a body.

## Numbers

Ids are 64-bit integers (\`int64\`), exact in both directions. Ids that the service assigns stay
below 2^53, so JavaScript represents them exactly; a \`categoryId\` of your own need not.

## Lists, caching, versions

Lists are paged, in ascending order of id: follow the \`rel="next"\` link in \`Link\` until there is
none. \`HEAD\` works wherever \`GET\` does, with the same headers. Responses to \`GET\` have an
\`ETag\` for \`If-None-Match\`. If you send an \`X-Request-Id\`, it is returned and appears in our log. So does
the trace id of a \`traceparent\` (W3C Trace Context), which \`Traceresponse\` returns.

Anything marked \`x-stability\` (\`beta\`, \`experimental\`) may change; everything else only gains
additions. Unknown members of a body are ignored. So are unknown query parameters:
\`X-Ignored-Parameters\` names them, and \`Prefer: handling=strict\` makes them 400
\`invalid_parameter\`. Deprecated operations say so in every response (\`Deprecation\`, \`Sunset\`)
long before they return 410.
`.trim();
