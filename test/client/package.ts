import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';

const ROOT = join(import.meta.dir, '../..');

/** What npm installs, as the service hands it out. */
const TARBALL = join(ROOT, 'src/site/client/petstore-client.tgz');

/** The package as it is handed out, installed in a folder of its own. */
export interface InstalledClient extends TemporaryFolder {
  readonly tarball: string;
  /** Where it is installed. */
  readonly package: string;
}

/** Unpacks the client into the `node_modules` of a new folder. */
export async function installClient(): Promise<InstalledClient> {
  const folder = createTemporaryFolder();
  const installed = folder.file('node_modules/petstore-client');
  mkdirSync(installed, { recursive: true });
  await run(['tar', '-xzf', TARBALL, '-C', installed, '--strip-components=1'], ROOT);
  return { ...folder, tarball: TARBALL, package: installed };
}

/** Makes a package of this checkout importable in a folder. */
export function linkPackage(folder: TemporaryFolder, name: string): void {
  const target = folder.file(join('node_modules', name));
  mkdirSync(join(target, '..'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules', name), target);
}

/** Runs a program to its end, with more variables, and returns its output. Throws if it fails. */
export async function run(
  command: readonly string[],
  cwd: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const path = `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH']}`;
  const env = { ...process.env, ...variables, PATH: path, NO_COLOR: '1' };
  const child = Bun.spawn([...command], { cwd, env, stdout: 'pipe', stderr: 'pipe' });
  const [exitCode, stdout, stderr] = await Promise.all([
    child.exited,
    child.stdout.text(),
    child.stderr.text(),
  ]);
  if (exitCode === 0) return stdout;
  throw new Error(`${command.join(' ')} ended with ${exitCode}: ${stdout}${stderr}`);
}
