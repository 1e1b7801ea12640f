import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newestVersion } from '../../src/storage/migrations.ts';
import { migrations } from '../../src/storage/sqlite/migrations.ts';
import { type Finished, spawnPetstore } from '../support/command-line.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

const ROOT = join(import.meta.dir, '../..');
const ENGINES = ['sqlite', 'postgres'] as const;
const STEP = 'CREATE TABLE next_release (id integer);\n';

/** The version of the schema of this release. */
export const THIS_VERSION = newestVersion(migrations);

/** The next release: the sources of this one, with one more step of the schema. */
export interface NextRelease extends Disposable {
  /** Its entry point. */
  readonly main: string;
}

/** Makes the next release in a temporary folder. `shared` says whether its step can be shared. */
export function createNextRelease(shared: boolean): NextRelease {
  const folder = createTemporaryFolder();
  for (const name of ['src', 'package.json', 'docs', 'packages', 'examples']) {
    cpSync(join(ROOT, name), folder.file(name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), folder.file('node_modules'));
  for (const engine of ENGINES) addStep(folder.file(`src/storage/${engine}`), shared);
  return { main: folder.file('src/main.ts'), [Symbol.dispose]: folder[Symbol.dispose] };
}

/** Runs a command of a release to its end. */
export async function runRelease(
  { main }: NextRelease,
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  cwd?: string,
): Promise<Finished> {
  const child = spawnPetstore(args, settings, [], cwd, main);
  const [exitCode, stdout, stderr] = await Promise.all([
    child.exited,
    child.stdout.text(),
    child.stderr.text(),
  ]);
  return { exitCode, stdout, stderr };
}

function addStep(engine: string, shared: boolean): void {
  writeFileSync(join(engine, 'migrations/9999-next.sql'), STEP);
  const file = join(engine, 'migrations.ts');
  const list = readFileSync(file, 'utf8');
  const version = Math.max(...[...list.matchAll(/version: (\d+)/g)].map(([, n]) => Number(n))) + 1;
  const step = `{ version: ${version}, name: 'next', sql: next${shared ? ', shared: true' : ''} }`;
  const imported = `import next from './migrations/9999-next.sql' with { type: 'text' };\n`;
  writeFileSync(file, imported + list.replace(/,?\s*\];\s*$/, `,\n  ${step},\n];\n`));
}
