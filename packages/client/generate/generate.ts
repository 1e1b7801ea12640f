import { join } from 'node:path';
import type { DocumentModel } from '../../../src/api/openapi/document-model.ts';
import type { ClientGroup } from '../../../src/api/openapi/samples/client-method.ts';
import { importsFor } from './imports.ts';
import { capital, classOf, declareClass, groupsOf } from './operations.ts';
import { typeFilesOf } from './type-files.ts';
import { nameUnionTypes } from './union-types.ts';

/** Holds the generated files, and nothing else. */
export const FOLDER = join(import.meta.dir, '../src/generated');
const BIOME = join(import.meta.dir, '../../../node_modules/.bin/biome');
const NOTE = '// Made from openapi.json by `npm run openapi`.\n';

/** Returns the generated files of the client, formatted, by their paths. */
export function generate(published: DocumentModel): ReadonlyMap<string, string> {
  const document = nameUnionTypes(published);
  const files = new Map<string, string>();
  const add = (name: string, text: string) => {
    const path = join(FOLDER, name);
    files.set(path, format(path, NOTE + text));
  };
  const types = typeFilesOf(document);
  for (const { name, text } of types) {
    const others = types.filter((other) => other.name !== name);
    const modules = others.map((other) => [`./${other.name}.ts`, other.names] as const);
    add(`types/${name}.ts`, importsFor(text, modules) + text);
  }
  add('types.ts', types.map(({ name }) => `export type * from './types/${name}.ts';\n`).join(''));

  const all = types.flatMap(({ names }) => names);
  for (const [group, placed] of groupsOf(document)) {
    const text = declareClass(group, placed, document.components.schemas);
    add(`operations/${group.name}.ts`, importsFor(text, [['../types.ts', all]]) + text);
  }
  add('groups.ts', declareGroups(groupsOf(document).map(([group]) => group)));
  return files;
}

/** Groups with a class in `src/`, in a file of the group's name, which adds to the generated one. */
const EXTENDED = ['pets', 'events'];

function declareGroups(groups: readonly ClientGroup[]): string {
  const classes = groups.map((group) => {
    const extended = EXTENDED.includes(group.name);
    return { ...group, extended, type: extended ? capital(group.name) : classOf(group) };
  });
  const sorted = classes.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const imports = (extended: boolean, folder: string) =>
    sorted
      .filter((group) => group.extended === extended)
      .map(({ name, type }) => `import { ${type} } from '${folder}/${name}.ts';`)
      .join('\n');
  const fields = classes.map(({ name, type }) => `readonly ${name}: ${type};`);
  const made = classes.map(({ name, type }) => `this.${name} = new ${type}(transport);`);
  return `${imports(true, '..')}
import type { Transport } from '../transport.ts';
${imports(false, './operations')}

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
