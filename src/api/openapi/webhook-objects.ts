import type * as z from 'zod';
import type { oas31, ZodOpenApiPathItemObject } from 'zod-openapi';
import { EVENT_SCHEMAS } from '../resources/operations.ts';

/** A header of Standard Webhooks 1.0. */
function header(name: string, description: string, schema: oas31.SchemaObject, example: string) {
  return { in: 'header', name, required: true, description, schema, example } as const;
}

const HEADERS = [
  header(
    'webhook-id',
    'Id of the event, the same at every attempt: use it to drop repeats.',
    { type: 'string', minLength: 1, maxLength: 64, pattern: '^\\S+$' },
    '1204',
  ),
  header(
    'webhook-timestamp',
    'Time of the attempt, in Unix seconds.',
    { type: 'string', minLength: 1, maxLength: 12, pattern: '^\\d+$' },
    '1800000000',
  ),
  header(
    'webhook-signature',
    'Signatures of `id.timestamp.body` (HMAC-SHA256), one for each valid secret.',
    { type: 'string', minLength: 1, maxLength: 256, pattern: '^v1,\\S+( v1,\\S+)*$' },
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

/** Returns the requests that the service sends to webhooks, by type of event. */
export function webhookObjects(): Record<string, ZodOpenApiPathItemObject> {
  const entries = [...EVENT_SCHEMAS].map(([type, schema]) => [
    type,
    {
      post: {
        operationId: `on_${type.replace('.', '_')}`,
        tags: ['Webhooks'],
        summary: `The event ${type}`,
        description:
          'Sent to every enabled webhook that wants this type, signed as Standard Webhooks 1.0 says. Events of one record come in order; each comes at least once.',
        security: [],
        parameters: HEADERS,
        requestBody: {
          required: true,
          description: 'The event as `/events` shows it.',
          content: { 'application/json': { schema: referenceTo(schema) } },
        },
        responses: {
          '2XX': { description: 'Delivered. Anything else is tried again.' },
          '410': { description: 'The endpoint is gone: the webhook is disabled.' },
        },
      },
    },
  ]);
  return Object.fromEntries(entries);
}

/** A reference, because the schema itself would count as that of a request. */
function referenceTo(schema: z.ZodLazy<z.ZodType>): oas31.ReferenceObject {
  return { $ref: `#/components/schemas/${schema.unwrap().meta()?.id}` };
}
