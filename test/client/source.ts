import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TemporaryFolder } from '../support/temporary.ts';

const ROOT = join(import.meta.dir, '../..');

/**
 * Makes `petstore-client` importable in a folder, from its source: Bun and the compiler read the
 * configuration that this writes, with all strict checks.
 */
export function useClientSource(folder: Pick<TemporaryFolder, 'file'>): void {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'esnext',
    module: 'preserve',
    moduleDetection: 'force',
    allowImportingTsExtensions: true,
    paths: { 'petstore-client': [join(ROOT, 'packages/client/src/index.ts')] },
    typeRoots: [join(ROOT, 'node_modules/@types')],
    types: ['bun'],
  };
  const config = { compilerOptions, include: ['*.ts'] };
  writeFileSync(folder.file('tsconfig.json'), JSON.stringify(config));
}
