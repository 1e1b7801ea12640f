import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Rendering, renderDocument } from '../../../src/api/openapi/renderings.ts';
import { EXAMPLE_SERVERS } from '../../../src/api/openapi/servers.ts';
import type { ConformanceSuite } from '../suite.ts';
import { mustRun, type Tools } from '../tools.ts';

/** The documents that are linted, by the names of their files. */
const DOCUMENTS: readonly (readonly [file: string, rendering: Rendering])[] = [
  ['openapi.json', 'json'],
  ['openapi.yaml', 'yaml'],
  ['openapi-3.0.json', 'json-3.0'],
];

/** A linter, as the arguments with which it reads a file in the folder that it runs in. */
type Linter = (tools: Tools) => readonly string[];

const LINTERS: Readonly<Record<string, Linter>> = {
  'Redocly recommended-strict': ({ npm }) => [
    ...npm('redocly'),
    'lint',
    '--extends=recommended-strict',
  ],
  'Spectral with OWASP': ({ npm, work }) => {
    // Spectral looks for the packages that a ruleset names from where the ruleset is.
    cpSync(join(import.meta.dir, 'spectral.yaml'), join(work, 'spectral.yaml'));
    return [...npm('spectral'), 'lint', '--ruleset=spectral.yaml', '--fail-severity=hint'];
  },
};

async function lint(tools: Tools, linter: Linter, file: string, text: string): Promise<string> {
  writeFileSync(join(tools.work, file), text);
  const output = await mustRun([...linter(tools), file], tools.work);
  if (/warning/i.test(output)) throw new Error(output);
  return 'no errors, no warnings';
}

export const linters: readonly ConformanceSuite[] = Object.entries(LINTERS).flatMap(
  ([name, linter]) =>
    DOCUMENTS.map(([file, rendering]) => ({
      name: `${name}: ${file}`,
      check: ({ tools }) => lint(tools, linter, file, renderDocument(rendering, EXAMPLE_SERVERS)),
    })),
);
