import type { oas31 } from 'zod-openapi';
import type { OperationDefinition } from '../contract/operation.ts';

/**
 * Returns the links from a created record to its operations: those whose path is that of the
 * collection followed by one parameter, which is the new id.
 */
export function linksFrom(
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
