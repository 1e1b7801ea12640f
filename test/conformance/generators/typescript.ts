import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import packages from '../package.json';
import type { ConformanceSuite, SuiteContext } from '../suite.ts';
import { mustRun } from '../tools.ts';
import { folderFor, variables } from './folder.ts';
import { expectPrinted, generate } from './guide-command.ts';
import { JAR_VERSION } from './jar.ts';
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
 * name, and runs that. `config` is a folder with what its command needs.
 */
function typescript(
  generator: string,
  name: string,
  version: string,
  config?: string,
): ConformanceSuite['check'] {
  return async (context) => {
    const program = `${name}.ts`;
    const folder = await folderFor(name, context);
    if (config !== undefined) cpSync(join(HERE, config), folder, { recursive: true });
    await generate(generator, context.tools, folder);
    for (const file of [program, 'facts.ts'])
      cpSync(join(HERE, 'programs', file), join(folder, file));
    const options = { compilerOptions: OPTIONS, include: ['*.ts', 'petstore'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options));
    await mustRun([TSC, '-p', folder], folder);
    const output = await mustRun([process.execPath, program], folder, variables(context, folder));
    return await expectRow(generator, version, output);
  };
}

const { dependencies } = packages;
export const openapiTypescript = typescript(
  'openapi-typescript',
  'openapi-typescript',
  dependencies['openapi-typescript'],
);
export const heyApi = typescript(
  '@hey-api/openapi-ts',
  'hey-api',
  dependencies['@hey-api/openapi-ts'],
);
const checkOrval = typescript('orval', 'orval', dependencies.orval, 'orval');
export const orval: ConformanceSuite['check'] = async (context) => {
  await expectPrinted(join(HERE, 'orval/orval.config.mjs'));
  return await checkOrval(context);
};
export const typescriptFetch = typescript(
  'openapi-generator (typescript-fetch)',
  'typescript-fetch',
  JAR_VERSION,
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
