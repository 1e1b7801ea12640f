import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXAMPLE_SERVERS } from '../../../src/api/openapi/pages.ts';
import { type Rendering, renderDocument } from '../../../src/api/openapi/renderings.ts';
import type { ConformanceSuite } from '../suite.ts';
import { mustRun, type Tools } from '../tools.ts';

/** The document for generators, and the rules that it is for. */
const GENERATORS = 'openapi-3.0.json';
const FOR_GENERATORS = 'spectral-generators.yaml';

/** The documents that every linter reads, by file name. */
const DOCUMENTS: readonly (readonly [file: string, rendering: Rendering])[] = [
  ['openapi.json', 'json'],
  [GENERATORS, 'json-3.0'],
];
/** The same document in YAML, and the small one, which leaves out what OWASP's rules ask for: of the quick linter alone. */
const OTHERS: typeof DOCUMENTS = [
  ['openapi.yaml', 'yaml'],
  ['openapi-small.json', 'json-small'],
];

/** A linter as its command, to which the name of a file in its working folder is appended. */
type Linter = (tools: Tools, file: string) => readonly string[];

const LINTERS: Readonly<Record<string, Linter>> = {
  'Redocly recommended-strict': ({ npm }) => [
    ...npm('redocly'),
    'lint',
    '--extends=recommended-strict',
  ],
  'Spectral with OWASP': ({ npm, work }, file) => {
    // Spectral resolves the packages of a ruleset from the folder of the ruleset.
    for (const name of ['spectral.yaml', FOR_GENERATORS])
      cpSync(join(import.meta.dir, name), join(work, name));
    const ruleset = file === GENERATORS ? FOR_GENERATORS : 'spectral.yaml';
    return [...npm('spectral'), 'lint', `--ruleset=${ruleset}`, '--fail-severity=hint'];
  },
};

async function lint(tools: Tools, linter: Linter, file: string, text: string): Promise<string> {
  writeFileSync(join(tools.work, file), text);
  const output = await mustRun([...linter(tools, file), file], tools.work);
  if (/warning/i.test(output)) throw new Error(output);
  return 'no errors, no warnings';
}

export const linters: readonly ConformanceSuite[] = Object.entries(LINTERS).flatMap(
  ([name, linter]) =>
    [...DOCUMENTS, ...(name.startsWith('Redocly') ? OTHERS : [])].map(([file, rendering]) => ({
      name: `${name}: ${file}`,
      check: ({ tools }) =>
        lint(tools, linter, file, renderDocument(rendering, EXAMPLE_SERVERS, true)),
    })),
);
