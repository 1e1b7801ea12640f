import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import packages from '../package.json';
import type { ConformanceSuite, SuiteContext } from '../suite.ts';
import { mustRun } from '../tools.ts';
import { DOCUMENT, folderFor, variables } from './folder.ts';
import { JAR_VERSION, openapiGenerator } from './jar.ts';
import { expectRow } from './table.ts';

const HERE = import.meta.dir;
const TSC = join(HERE, '../../../node_modules/.bin/tsc');

const OPTIONS = {
  strict: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'preserve',
  types: [],
};

/**
 * The check of a generator for TypeScript: compiles what it makes together with the program of this
 * name, and runs that.
 */
function typescript(
  generator: string,
  name: string,
  version: string,
  generate: (folder: string, context: SuiteContext) => Promise<unknown>,
): ConformanceSuite['check'] {
  return async (context) => {
    const program = `${name}.ts`;
    const folder = await folderFor(name, context);
    await generate(folder, context);
    for (const file of [program, 'facts.ts'])
      cpSync(join(HERE, 'programs', file), join(folder, file));
    const config = { compilerOptions: OPTIONS, include: ['*.ts', 'generated'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    await mustRun([TSC, '-p', folder], folder);
    const output = await mustRun([process.execPath, program], folder, variables(context, folder));
    return await expectRow(generator, version, output);
  };
}

export const openapiTypescript = typescript(
  'openapi-typescript',
  'openapi-typescript',
  packages.dependencies['openapi-typescript'],
  (folder, { tools }) =>
    mustRun([...tools.npm('openapi-typescript'), DOCUMENT, '--output=generated.ts'], folder),
);

export const heyApi = typescript(
  '@hey-api/openapi-ts',
  'hey-api',
  packages.dependencies['@hey-api/openapi-ts'],
  (folder, { tools }) =>
    mustRun([...tools.npm('openapi-ts'), '-i', DOCUMENT, '-o', 'generated'], folder),
);

export const orval = typescript(
  'orval',
  'orval',
  packages.dependencies.orval,
  async (folder, { tools }) => {
    cpSync(join(HERE, 'orval'), folder, { recursive: true });
    await mustRun(tools.npm('orval'), folder);
  },
);

export const typescriptFetch = typescript(
  'openapi-generator (typescript-fetch)',
  'typescript-fetch',
  JAR_VERSION,
  (folder, { tools }) => openapiGenerator(tools, folder, ['typescript-fetch'], 'generated'),
);

/** A reader as assistants have it: it makes a tool of each operation of the small document. */
export async function modelTools(context: SuiteContext): Promise<string> {
  const folder = await folderFor('model-tools', context);
  const program = join(folder, 'model-tools.ts');
  cpSync(join(HERE, 'programs/model-tools.ts'), program);
  // Its own types need those of Node.
  const config = { compilerOptions: { ...OPTIONS, skipLibCheck: true } };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...config, files: [program] }));
  await mustRun([TSC, '-p', folder], folder);
  return (await mustRun([process.execPath, program], folder, variables(context, folder))).trim();
}
