import {
  type DocumentModel,
  nameOf,
  type Schema,
} from '../../../src/api/openapi/document-model.ts';
import { groupsOf, type Placed, queryName, queryOf } from './operations.ts';
import { declare } from './types.ts';

type Schemas = DocumentModel['components']['schemas'];

/** A generated file of types, without its imports. */
export interface TypeFile {
  readonly name: string;
  /** The types that it exports. */
  readonly names: readonly string[];
  readonly text: string;
}

/**
 * Returns a file for the error codes, then one for each group. A group has the schemas that no
 * group before it uses, and its queries.
 */
export function typeFilesOf(document: DocumentModel): readonly TypeFile[] {
  const { schemas } = document.components;
  const codes = schemas['Error']?.properties?.['code'] ?? {};
  const code = { ServiceErrorCode: { ...codes, description: 'Why a request failed.' } };
  // The client has a class for errors, and needs no names for arrays.
  const placed = new Set(['Error']);
  const groups = groupsOf(document).map(([{ name }, operations]) => {
    const used = namesIn(operations, schemas);
    const own = Object.entries(schemas).filter(
      ([type, schema]) => used.has(type) && !placed.has(type) && schema.type !== 'array',
    );
    for (const [type] of own) placed.add(type);
    return fileOf(name, { ...Object.fromEntries(own), ...queriesOf(operations) }, schemas);
  });
  const files = [fileOf('error-code', code, schemas), ...groups];
  return files.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function fileOf(name: string, types: Schemas, schemas: Schemas): TypeFile {
  const texts = Object.entries(types).map(([type, schema]) => declare(type, schema, schemas));
  return { name, names: Object.keys(types), text: texts.join('\n\n') };
}

/** Returns the names of the schemas that operations refer to, directly or through others. */
function namesIn(operations: readonly Placed[], schemas: Schemas): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    for (const [, reference = ''] of JSON.stringify(value).matchAll(/"\$ref":"([^"]*)"/g)) {
      const [name = ''] = nameOf(reference).split('[');
      if (!reference.startsWith('#/components/schemas/') || found.has(name)) continue;
      found.add(name);
      visit(schemas[name]);
    }
  };
  visit(operations.map(({ operation }) => operation));
  return found;
}

/** Returns a schema for the query of each operation that has one. */
function queriesOf(operations: readonly Placed[]): Schemas {
  const queries = operations
    .filter(({ operation }) => queryOf(operation).length > 0)
    .map(({ operation, method }) => {
      const fields = queryOf(operation).map(({ name = '', schema = {}, description }) => {
        const described = description === undefined ? schema : { ...schema, description };
        return [name, open(described)];
      });
      const required = queryOf(operation).flatMap(({ name = '', required }) =>
        required ? [name] : [],
      );
      const schema = { properties: Object.fromEntries(fields), required };
      const description = method === 'GET' ? 'What to list.' : 'Parameters of the call.';
      return [queryName(operation), { ...schema, description }] as const;
    });
  return Object.fromEntries(queries);
}

/** A parameter that takes many values takes one too. */
function open(schema: Schema): Schema {
  const { items, description } = schema;
  if (items === undefined) return schema;
  return { ...(description && { description }), anyOf: [items, { items }] };
}
