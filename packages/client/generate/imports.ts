/** The names that a module exports. */
export type Exports = readonly [path: string, names: readonly string[]];

/** The parts of the client that generated files build on; `type` marks those without a value. */
const CLIENT: readonly Exports[] = [
  ['../../group.ts', ['type ChangeOptions', 'Group', 'type PostOptions']],
  ['../../json.ts', ['type Int64']],
  ['../../list.ts', ['type List', 'searchOf']],
  ['../../transport.ts', ['type CallOptions']],
];

/** Returns the imports that a text needs from the client and from these modules of types. */
export function importsFor(text: string, modules: readonly Exports[]): string {
  const code = text.replaceAll(/\/\*\*.*?\*\//gs, '');
  const isUsed = (name: string) => new RegExp(`\\b${name.replace(/^type /, '')}\\b`).test(code);
  const types = modules.map(([path, names]) => [path, names.toSorted().map(typeOnly)] as const);
  const lines = [...CLIENT, ...types].flatMap(([path, names]) => {
    const used = names.filter(isUsed);
    return used.length === 0 ? [] : [importOf(path, used)];
  });
  return lines.length === 0 ? '' : `${lines.join('\n')}\n\n`;
}

const typeOnly = (name: string) => `type ${name}`;

function importOf(path: string, names: readonly string[]): string {
  const listed = names.join(', ');
  const allTypes = names.every((name) => name.startsWith('type '));
  return allTypes
    ? `import type { ${listed.replaceAll('type ', '')} } from '${path}';`
    : `import { ${listed} } from '${path}';`;
}
