import type { ZodOpenApiOperationObject } from 'zod-openapi';
import type { OperationDefinition } from '../contract/operation.ts';
import { requestOf } from './parameters.ts';
import { responsesOf, type SharedResponses } from './responses.ts';

/** Returns an operation as the document describes it. */
export function operationObject(
  operation: OperationDefinition,
  operations: readonly OperationDefinition[],
  shared: SharedResponses,
): ZodOpenApiOperationObject {
  const { id, tag, summary, access, stability, deprecation, hideTryItPanel } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `${operation.description}\n\nRequires an API key with the scope \`${access}\`.`,
    ...(deprecation && {
      deprecated: true,
      'x-deprecated-sunset': new Date(deprecation.sunset).toISOString().slice(0, 10),
    }),
    ...(stability !== 'stable' && { 'x-stability': stability }),
    ...(hideTryItPanel === true && { 'x-hideTryItPanel': true }),
    ...requestOf(operation),
    responses: responsesOf(operation, operations, shared),
  };
}
