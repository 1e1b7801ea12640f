import { stringify } from 'yaml';
import { operations } from '../resources/operations.ts';
import { buildDocument, type DocumentServers } from './document.ts';
import type { ApiDocument, DocumentModel } from './document-model.ts';
import { postmanCollection } from './postman.ts';
import { smallDocument } from './small-document.ts';
import { generatorDocument } from './version-3-0.ts';

/** A format of the document. */
export type Rendering = 'json' | 'yaml' | 'json-3.0' | 'json-small' | 'postman';

/** Renders the document of the service. JSON has no white space unless it is `readable`. */
export function renderDocument(
  rendering: Rendering,
  servers: DocumentServers,
  readable = false,
): string {
  switch (rendering) {
    case 'json':
      return jsonText(buildDocument(operations, servers), readable);
    case 'json-3.0':
      return jsonText(generatorDocument(buildDocument(operations, servers)), readable);
    case 'json-small':
      return jsonText(smallDocument(operations, servers), readable);
    case 'postman':
      // The document that was built has the parts of the model.
      return jsonText(
        postmanCollection(buildDocument(operations, servers) as unknown as DocumentModel),
        readable,
      );
    case 'yaml':
      // Quoted so that readers of YAML 1.1 parse dates and versions as text.
      return stringify(buildDocument(operations, servers), {
        version: '1.1',
        aliasDuplicateObjects: false,
        blockQuote: 'literal',
        lineWidth: 0,
      });
  }
}

/** JSON with exact integers, and for people and diffs a member a line. */
function jsonText(document: ApiDocument, readable: boolean): string {
  const exact = (_key: string, value: unknown) =>
    typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value;
  return `${JSON.stringify(document, exact, readable ? 2 : 0)}\n`;
}
