import type { DocumentModel } from '../../../src/api/openapi/document-model.ts';

/**
 * Returns the document with a reference such as `Event['type']` for each list of all values that tell
 * the members of a union apart.
 */
export function nameUnionTypes(document: DocumentModel): DocumentModel {
  const references = new Map<string, string>();
  for (const [name, { discriminator }] of Object.entries(document.components.schemas)) {
    if (discriminator === undefined) continue;
    const { propertyName, mapping } = discriminator;
    const reference = `#/components/schemas/${name}['${propertyName}']`;
    references.set(JSON.stringify(Object.keys(mapping)), reference);
  }
  return JSON.parse(JSON.stringify(document), (_, value) => {
    const $ref = references.get(JSON.stringify(value?.enum));
    return $ref === undefined ? value : { $ref, description: value.description };
  });
}
