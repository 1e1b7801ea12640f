import type { oas31, ZodOpenApiContentObject, ZodOpenApiOperationObject } from 'zod-openapi';
import { FORM_TYPE, OCTETS_TYPE } from '../../http/form-file.ts';
import {
  type OperationDefinition,
  takesIdempotencyKey,
  takesIfMatch,
  type UploadDefinition,
} from '../contract/operation.ts';

/**
 * A request header with entity tags or preferences. What is unknown in it does nothing and is no
 * error. The length is sure to fit into the headers that the runtime accepts.
 */
const LENIENT_SCHEMA = { type: 'string', maxLength: 8_192, pattern: '^.*$' } as const;

/** Request headers besides Authorization. */
export const REQUEST_HEADERS = {
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description:
      'The `ETag` of an earlier response. If nothing has changed, the response is 304 without a body.',
    schema: LENIENT_SCHEMA,
    example: '"5f3c9b1e0a7d2846"',
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'The `ETag` of the record to change. If somebody else has changed it since, nothing is done and the response is 412.',
    schema: LENIENT_SCHEMA,
    example: '"5f3c9b1e0a7d2846"',
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      'With `handling=strict` unknown query parameters are refused with `invalid_parameter`, otherwise they are ignored (RFC 7240).',
    schema: LENIENT_SCHEMA,
    example: 'handling=strict',
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A unique text of your choice, such as a UUID: 1 to 255 characters, with or without quotes. Quotes and backslashes, which the pattern allows, do not count. If you send the request again with the same key and body within 24 hours, nothing is done twice and you get the first response again.',
    // 1 to 255 characters, bare or as a quoted string with backslashes before some.
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: 512,
      pattern: String.raw`^([!#-~]{1,255}|"([ !#-\[\]-~]|\\["\\]){1,255}")$`,
    },
    example: '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
  },
} as const satisfies Record<string, oas31.ParameterObject>;

type RequestHeader = keyof typeof REQUEST_HEADERS;

function requestHeaders(operation: OperationDefinition): RequestHeader[] {
  const names: RequestHeader[] = ['Prefer'];
  if (operation.method === 'GET') names.push('IfNoneMatch');
  if (takesIfMatch(operation)) names.push('IfMatch');
  if (takesIdempotencyKey(operation)) names.push('IdempotencyKey');
  return names;
}

/** Returns the parameters and the body of an operation. */
export function requestOf(
  operation: OperationDefinition,
): Pick<ZodOpenApiOperationObject, 'requestParams' | 'parameters' | 'requestBody'> {
  const { pathParameters: path, queryParameters: query, body, upload } = operation;
  const headers = requestHeaders(operation);
  return {
    ...((path ?? query) && { requestParams: { ...(path && { path }), ...(query && { query }) } }),
    parameters: headers.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ...(body && {
      requestBody: {
        required: body.optional !== true,
        description: body.description,
        content: Object.fromEntries(
          body.mediaTypes.map((type) => [type, { schema: body.schema, example: body.example }]),
        ),
      },
    }),
    ...(upload && {
      requestBody: {
        required: true,
        description: upload.description,
        content: uploadContent(upload),
      },
    }),
  };
}

/** Returns a file in each way in which it may be sent. */
function uploadContent({ examples, bytesMax }: UploadDefinition): ZodOpenApiContentObject {
  const file = { type: 'string', format: 'binary', maxLength: bytesMax } as const;
  const typed = Object.entries({ ...examples, [OCTETS_TYPE]: undefined });
  const contents = typed.map(([type, example]) => [
    type,
    { schema: file, ...(example !== undefined && { example }) },
  ]);
  const form = { type: 'object', properties: { file }, required: ['file'] } as const;
  return { ...Object.fromEntries(contents), [FORM_TYPE]: { schema: form } };
}
