import { join } from 'node:path';
import { type Document, nameOf, type Schema } from './document.ts';
import {
  capital,
  classOf,
  declareClass,
  type Group,
  groupsOf,
  queryName,
  queryOf,
} from './operations.ts';
import { declare } from './types.ts';

const FOLDER = join(import.meta.dir, '../src/generated');
const BIOME = join(import.meta.dir, '../../../node_modules/.bin/biome');
const NOTE = '// Made from openapi.json by `npm run openapi`.\n';

/** Returns the generated files of the client, formatted, by their paths. */
export function generate(document: Document): ReadonlyMap<string, string> {
  const operations = groupsOf(document);
  const files = new Map<string, string>();
  const add = (name: string, text: string) => {
    const path = join(FOLDER, name);
    files.set(path, format(path, NOTE + text));
  };
  add('types.ts', typesOf(document));
  const classes = operations
    .map(([group, placed]) => declareClass(group, placed, document.components.schemas))
    .join('\n\n');
  add('operations.ts', importsOf(classes, document) + classes);
  add('groups.ts', declareGroups(operations.map(([group]) => group)));
  return files;
}

/** The schemas that the operations of the client use, and their queries. */
function typesOf(document: Document): string {
  const { schemas } = document.components;
  const operations = groupsOf(document).flatMap(([, placed]) => placed);
  const used = new Set<string>(['Error']);
  const visit = (value: unknown): void => {
    for (const [, reference = ''] of JSON.stringify(value).matchAll(/"\$ref":"([^"]*)"/g)) {
      const name = nameOf(reference);
      if (!reference.startsWith('#/components/schemas/') || used.has(name)) continue;
      used.add(name);
      visit(schemas[name]);
    }
  };
  visit(operations.map(({ operation }) => operation));
  const types = Object.entries(schemas)
    .filter(([name, { type }]) => used.has(name) && name !== 'Error' && type !== 'array')
    .map(([name, schema]) => declare(name, schema));
  const queries = operations
    .filter(({ operation, method }) => method === 'GET' && queryOf(operation).length > 0)
    .map(({ operation }) => {
      const fields = queryOf(operation).map(({ name = '', schema = {} }) => [name, open(schema)]);
      const required = queryOf(operation).flatMap(({ name = '', required }) =>
        required ? [name] : [],
      );
      const schema = { properties: Object.fromEntries(fields), required };
      return declare(queryName(operation), { ...schema, description: 'What to list.' });
    });
  const codes = schemas['Error']?.properties?.['code'] ?? {};
  const error = declare('ServiceErrorCode', { ...codes, description: 'Why a request failed.' });
  return [`import type { Int64 } from '../json.ts';`, error, ...types, ...queries].join('\n\n');
}

/** A parameter that takes many values takes one too. */
function open(schema: Schema): Schema {
  const { items, description } = schema;
  if (items === undefined) return schema;
  return { ...(description && { description }), anyOf: [items, { items }] };
}

function importsOf(classes: string, document: Document): string {
  const types = typesOf(document).matchAll(/^export (?:type|interface) (\w+)/gm);
  const isUsed = (name: string) => new RegExp(`\\b${name}\\b`).test(classes);
  const named = [...types].map(([, name = '']) => name).filter(isUsed);
  const options = ['ChangeOptions', 'PostOptions'].filter(isUsed).map((name) => `type ${name}`);
  const lists = ['type List', ...(isUsed('searchOf') ? ['searchOf'] : [])];
  return `import { ${[...options.slice(0, 1), 'Group', ...options.slice(1)].join(', ')} } from '../group.ts';
import type { Int64 } from '../json.ts';
import ${lists.length === 1 ? 'type { List }' : `{ ${lists.join(', ')} }`} from '../list.ts';
import type { CallOptions } from '../transport.ts';
import type { ${named.sort().join(', ')} } from './types.ts';

`;
}

function declareGroups(groups: readonly Group[]): string {
  // A class in a file of the group's name adds to the generated one.
  const classes = groups.map((group) => ({
    ...group,
    type: group.extended ? capital(group.name) : classOf(group),
  }));
  const own = classes.filter(({ extended }) => extended).sort((a, b) => (a.name < b.name ? -1 : 1));
  const imports = own.map(({ name, type }) => `import { ${type} } from '../${name}.ts';`);
  const rest = classes.filter(({ extended }) => !extended).map(({ type }) => type);
  const fields = classes.map(({ name, type }) => `readonly ${name}: ${type};`);
  const made = classes.map(({ name, type }) => `this.${name} = new ${type}(transport);`);
  return `${imports.join('\n')}
import type { Transport } from '../transport.ts';
import { ${rest.sort().join(', ')} } from './operations.ts';

/** The operations of the service, by what they are about. */
export class Groups {
${fields.join('\n')}

constructor(transport: Transport) {
${made.join('\n')}
}
}
`;
}

function format(path: string, text: string): string {
  const { stdout, stderr, success } = Bun.spawnSync(
    [BIOME, 'format', `--stdin-file-path=${path}`],
    {
      stdin: Buffer.from(text),
    },
  );
  if (!success) throw new Error(`biome cannot format ${path}: ${stderr}`);
  return stdout.toString();
}
