import * as z from 'zod';
import type { oas31, ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { FAILURE_STATUS, type FailureCode } from '../../domain/failure.ts';
import { JSON_TYPE } from '../../http/response.ts';
import { EVERY_RESPONSE, type HeaderName, headerReferences } from '../contract/headers.ts';
import { type OperationDefinition, takesIdempotencyKey } from '../contract/operation.ts';
import { failuresOf } from './failures.ts';

type FailureStatus = (typeof FAILURE_STATUS)[FailureCode];

// The keys of this record are codes; `Object.keys` loses their type.
const CODES = Object.keys(FAILURE_STATUS) as [FailureCode, ...FailureCode[]];

/** The body of every failure. */
const errorSchema = z
  .object({
    code: z.enum(CODES).meta({ description: 'Machine-readable error code.' }),
    message: z.string().meta({
      description: 'Description for people: every problem found, and what to do.',
      minLength: 1,
      maxLength: 2_048,
      pattern: '^\\S.*\\.$',
    }),
    status: z
      .int()
      .min(400)
      .max(599)
      .meta({ description: 'The HTTP status code.', format: 'int32' }),
  })
  .meta({ id: 'Error', description: 'Why a request failed.' });

const STATUS_DESCRIPTIONS: Record<FailureStatus, string> = {
  400: 'Something required is missing from the request, or a value is invalid.',
  401: 'Missing or invalid API key.',
  403: 'The API key is valid but lacks the required scope.',
  404: 'Not found.',
  405: 'The path does not support this method.',
  409: 'The request conflicts with the current data.',
  410: 'The operation was removed.',
  412: 'The record has changed since you read it.',
  413: 'The body is too large.',
  414: 'The URL is longer than 8 KiB.',
  415: 'The operation does not accept this media type.',
  422: 'The `Idempotency-Key` was already used with a different body.',
  429: 'Rate limit exceeded: wait for the time in `Retry-After`.',
  431: 'The headers are too large.',
  500: 'Something went wrong on our side.',
  503: 'Temporarily unavailable: try again after the time in `Retry-After`.',
};

const FAILURE_HEADERS: Partial<Record<FailureStatus, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** Returns the responses of an operation by status. `operations` are those that it may link to. */
export function responsesOf(
  operation: OperationDefinition,
  operations: readonly OperationDefinition[],
): ZodOpenApiResponsesObject {
  const deprecated = operation.deprecation !== undefined;
  const success = successOf(operation, operations);
  const responses: ZodOpenApiResponsesObject = { [`${operation.success.status}`]: success };
  if ('unchanged' in operation.success && operation.success.unchanged !== undefined) {
    responses['200'] = { ...success, description: operation.success.unchanged };
  }
  if (operation.method === 'GET') {
    responses['304'] = {
      description: 'Nothing has changed since the response with this `ETag`.',
      headers: headerReferences([...EVERY_RESPONSE, ...operation.success.headers], deprecated),
    };
  }
  const byStatus = Map.groupBy(failuresOf(operation), ([code]) => FAILURE_STATUS[code]);
  for (const [status, failures] of byStatus) {
    responses[`${status}`] = failureResponse(status, failures, deprecated);
  }
  return responses;
}

function successOf(
  operation: OperationDefinition,
  operations: readonly OperationDefinition[],
): ZodOpenApiResponseObject {
  const { success, deprecation } = operation;
  const replayed = takesIdempotencyKey(operation) ? (['Idempotent-Replayed'] as const) : [];
  const names = [...EVERY_RESPONSE, ...success.headers, ...replayed];
  const headers = headerReferences(names, deprecation !== undefined);
  const { description } = success;
  if (success.status === 204) return { description, headers };
  const content: ZodOpenApiResponseObject['content'] = {
    [JSON_TYPE]: { schema: success.schema, example: success.example },
  };
  if (success.csv !== undefined) {
    const schema = {
      type: 'string',
      format: 'binary',
      maxLength: CSV_BYTES_MAX,
      description: 'A line of names, then a line for each.',
    } as const;
    content['text/csv'] = { schema, example: success.csv };
  }
  const links = linksFrom(operation, operations);
  return { description, headers, content, ...(Object.keys(links).length > 0 && { links }) };
}

/** More than any shop has: a bound for programs that read the document. */
const CSV_BYTES_MAX = 2 ** 31 - 1;

function failureResponse(
  status: FailureStatus,
  failures: readonly (readonly [FailureCode, string])[],
  deprecated: boolean,
): ZodOpenApiResponseObject {
  const examples: Record<string, oas31.ExampleObject> = {};
  for (const [code, message] of failures) examples[code] = { value: { code, message, status } };
  return {
    description: STATUS_DESCRIPTIONS[status],
    headers: headerReferences([...EVERY_RESPONSE, ...(FAILURE_HEADERS[status] ?? [])], deprecated),
    content: { [JSON_TYPE]: { schema: errorSchema, examples } },
  };
}

/**
 * Returns the links from a created record to its operations: those whose path is that of the
 * collection followed by one parameter, which is the new id.
 */
function linksFrom(
  operation: OperationDefinition,
  operations: readonly OperationDefinition[],
): Record<string, oas31.LinkObject> {
  const links: Record<string, oas31.LinkObject> = {};
  if (![201, 202].includes(operation.success.status)) return links;
  for (const other of operations) {
    const [, collection, parameter] = /^([^{]+)\/\{([^{}]+)\}[^{]*$/.exec(other.path) ?? [];
    if (collection !== operation.path || parameter === undefined) continue;
    links[other.id] = {
      operationId: other.id,
      parameters: { [parameter]: '$response.body#/id' },
      description: `${other.summary}: use the \`id\` of this response as \`${parameter}\`.`,
    };
  }
  return links;
}
