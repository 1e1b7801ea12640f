import { stringify } from 'yaml';
import { operations } from '../resources/operations.ts';
import { type ApiDocument, buildDocument, type DocumentServers } from './document.ts';
import { asVersion30 } from './version-3-0.ts';

/** A format of the document. */
export type Rendering = 'json' | 'yaml' | 'json-3.0';

/** Renders the document of the service. */
export function renderDocument(rendering: Rendering, servers: DocumentServers): string {
  const document = buildDocument(operations, servers);
  switch (rendering) {
    case 'json':
      return jsonText(document);
    case 'json-3.0':
      return jsonText(asVersion30(document));
    case 'yaml':
      // Quoted so that readers of YAML 1.1 parse dates and versions as text.
      return stringify(document, {
        version: '1.1',
        aliasDuplicateObjects: false,
        blockQuote: 'literal',
        lineWidth: 0,
      });
  }
}

// TypeScript does not declare this function yet. It creates a number that is written as this text.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): object };

/** JSON for people and for diffs, with integers exact. */
function jsonText(document: ApiDocument): string {
  const exact = (_key: string, value: unknown) =>
    typeof value === 'bigint' ? rawJSON(String(value)) : value;
  return `${JSON.stringify(document, exact, 2)}\n`;
}
