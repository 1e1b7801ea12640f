import {
  type DocumentModel,
  nameOf,
  type Schema,
} from '../../../src/api/openapi/document-model.ts';
import { groupsOf, type Placed, queryName, queryOf } from './operations.ts';
import { baseOf, declare } from './types.ts';

type Schemas = DocumentModel['components']['schemas'];

/** A generated file of types, without its imports. */
export interface TypeFile {
  readonly name: string;
  /** The types that it exports. */
  readonly names: readonly string[];
  readonly text: string;
}

/**
 * Returns a file for the error codes, four for the schemas that several groups use, and one for each
 * group, with the schemas that it alone uses and its queries.
 */
export function typeFilesOf(document: DocumentModel): readonly TypeFile[] {
  const { schemas } = document.components;
  const codes = schemas['Error']?.properties?.['code'] ?? {};
  const code = { ServiceErrorCode: { ...codes, description: 'Why a request failed.' } };
  const groups = groupsOf(document).map(([{ name }, operations]) => {
    return { name, operations, used: namesIn(operations, schemas) };
  });
  const users = (type: string) => groups.filter(({ used }) => used.has(type)).length;
  // The client has a class for errors, and needs no names for arrays.
  const types = Object.entries(schemas).filter(
    ([type, schema]) => type !== 'Error' && schema.type !== 'array',
  );
  const shared = types.filter(([type]) => users(type) > 1);
  const files = groups.map(({ name, operations, used }) => {
    const own = types.filter(([type]) => used.has(type) && users(type) === 1);
    return fileOf(name, { ...Object.fromEntries(own), ...queriesOf(operations) }, schemas);
  });
  files.push(fileOf('error-code', code, schemas));
  const kinds = Object.groupBy(shared, ([type, schema]) => {
    if (/^Event|Event$/.test(type)) return 'shared-events';
    if (schema.enum !== undefined) return 'shared-words';
    return /Profile|Photo/.test(type) ? 'shared-profiles' : 'shared';
  });
  for (const [name, kind] of Object.entries(kinds)) {
    files.push(fileOf(name, Object.fromEntries(kind), schemas));
  }
  return files.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function fileOf(name: string, types: Schemas, schemas: Schemas): TypeFile {
  const texts = Object.entries(types).map(([type, schema]) => declare(type, schema, schemas));
  return { name, names: Object.keys(types), text: texts.join('\n\n') };
}

/** Returns the names of the schemas that operations refer to, directly or through others. */
function namesIn(operations: readonly Placed[], schemas: Schemas): ReadonlySet<string> {
  const found = new Set<string>();
  const take = (name: string): void => {
    const schema = schemas[name];
    if (schema === undefined || found.has(name)) return;
    found.add(name);
    visit(schema);
    const base = baseOf(name, schema, schemas);
    if (base !== undefined) take(base);
  };
  const visit = (value: unknown): void => {
    for (const [, reference = ''] of JSON.stringify(value).matchAll(/"\$ref":"([^"]*)"/g)) {
      const [name = ''] = nameOf(reference).split('[');
      if (!reference.startsWith('#/components/schemas/')) continue;
      take(name);
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
