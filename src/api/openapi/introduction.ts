import { FIXED_PLANS } from '../../domain/plan.ts';
import { BODY_BYTES_MAX } from '../../http/body.ts';
import { TARGET_BYTES_MAX } from '../../http/target.ts';

const PLANS = Object.values(FIXED_PLANS)
  .map(({ name, perMinute, perDay }) => `| ${name} | ${perMinute} | ${perDay} |`)
  .join('\n');

/** What stands above the operations: all that holds for every one of them (in Markdown). */
export const INTRODUCTION = `
Browse and manage the animals that a store has for adoption.

## Authentication

Every request under the base address needs an API key: \`Authorization: Bearer <API key>\`. A key
has scopes: \`read\`; \`adopt\`, which includes read and may place orders; \`write\`, which includes
both; and \`admin\`, which includes all.

## Limits

| Plan | Requests per minute | Requests per day |
|---|---|---|
${PLANS}
| enterprise | as agreed | as agreed |

Windows are the UTC minute and the UTC day. Every answer says in \`X-RateLimit-Limit\`,
\`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` where the key stands. A request over the limit
gets 429: wait for the time in \`Retry-After\`, and back off exponentially from there. A key that
sends on regardless is banned for a while. Requests without a valid key are charged to the address
that they come from.

URLs may have ${TARGET_BYTES_MAX} bytes, bodies ${BODY_BYTES_MAX}.

## Errors

The body of every error is an \`Error\`: \`code\` for programs, \`message\` for people, and \`status\`.
The codes are a closed list. Two of them belong to no operation: an unknown path is 404
\`route_not_found\`, and a method that a path does not take is 405 \`method_not_allowed\`, with those
that it takes in \`Allow\`. What is no HTTP request, or has more than 16 KiB of headers, is refused
before it is one, by 400 or 431 without a body.

## Numbers

Ids are integers of 64 bits (\`int64\`), exact in both directions. Those that the service assigns
stay under 2^53, so that JavaScript holds them exactly; a \`categoryId\` of your own need not.

## Lists, caching, versions

Lists are pages, ascending by id: follow the link with \`rel="next"\` in \`Link\` until there is none.
\`HEAD\` works wherever \`GET\` does, with the same headers. Answers to \`GET\` have an \`ETag\` for
\`If-None-Match\`. \`X-Request-Id\`, if you send one, comes back and stands in our log.

What carries \`x-stability\` (\`beta\`, \`experimental\`) may change; the rest only grows. Fields that
the service does not know are ignored in bodies, and so are parameters in queries. Deprecated
operations say so on every answer (\`Deprecation\`, \`Sunset\`), long before they answer 410.
`.trim();
