import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { DocumentModel } from '../../../src/api/openapi/document-model.ts';
import type { ClientGroup } from '../../../src/api/openapi/samples/client-sample.ts';
import { nameLists, nameUnionTypes } from './named-lists.ts';
import { capital, classOf, declareClass, groupsOf } from './operations.ts';
import { typeFilesOf } from './type-files.ts';

/** Holds the generated files, and nothing else. */
export const FOLDER = join(import.meta.dir, '../src/generated');
const ROOT = join(import.meta.dir, '../../..');
const BIOME = join(ROOT, 'node_modules/.bin/biome');
const NOTE = '// Made from openapi.json by `npm run openapi`.\n';

/** Returns the generated files of the client, formatted, by their paths. */
export function generate(published: DocumentModel): ReadonlyMap<string, string> {
  const document = nameLists(nameUnionTypes(published));
  const files = new Map<string, string>();
  const add = (name: string, text: string) => {
    files.set(join(FOLDER, name), NOTE + text);
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
  return format(files);
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

/** Formats texts by the paths of their files. */
function format(files: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-client-'));
  try {
    // The same name in another folder, so one process of Biome formats all.
    const places = [...files.keys()].map(
      (path) => [path, join(folder, relative(FOLDER, path))] as const,
    );
    for (const [path, place] of places) {
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(place, files.get(path) ?? '');
    }
    const command = [
      BIOME,
      'format',
      '--write',
      `--config-path=${ROOT}`,
      '--vcs-enabled=false',
      folder,
    ];
    const { stderr, success } = Bun.spawnSync(command);
    if (!success) throw new Error(`biome cannot format the client: ${stderr}`);
    return new Map(places.map(([path, place]) => [path, readFileSync(place, 'utf8')]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The names that a module exports. */
type Exports = readonly [path: string, names: readonly string[]];

/** The parts of the client that generated files build on; `type` marks those without a value. */
const CLIENT: readonly Exports[] = [
  ['../../group.ts', ['type ChangeOptions', 'Group', 'type PostOptions']],
  ['../../json.ts', ['type Int64']],
  ['../../list.ts', ['type List', 'searchOf']],
  ['../../transport.ts', ['type CallOptions']],
];

/** Returns the imports that a text needs from the client and from these modules of types. */
function importsFor(text: string, modules: readonly Exports[]): string {
  const code = text.replaceAll(/\/\*\*.*?\*\//gs, '');
  const isUsed = (name: string) => new RegExp(`\\b${name.replace(/^type /, '')}\\b`).test(code);
  const types = modules.map(
    ([path, names]) => [path, names.toSorted(byLetters).map(typeOnly)] as const,
  );
  const lines = [...CLIENT, ...types].flatMap(([path, names]) => {
    const used = names.filter(isUsed);
    return used.length === 0 ? [] : [importOf(path, used)];
  });
  return lines.length === 0 ? '' : `${lines.join('\n')}\n\n`;
}

/** As Biome sorts imports: case counts for nothing. */
const byLetters = (a: string, b: string) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1);

const typeOnly = (name: string) => `type ${name}`;

function importOf(path: string, names: readonly string[]): string {
  const listed = names.join(', ');
  const allTypes = names.every((name) => name.startsWith('type '));
  return allTypes
    ? `import type { ${listed.replaceAll('type ', '')} } from '${path}';`
    : `import { ${listed} } from '${path}';`;
}

// `npm run openapi` writes the part of the client that is made from openapi.json.
if (import.meta.main) {
  const path = process.argv[2] ?? join(ROOT, 'openapi.json');
  const files = generate(await Bun.file(path).json());
  rmSync(FOLDER, { recursive: true, force: true });
  for (const [file, text] of files) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
