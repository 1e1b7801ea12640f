import { version } from '../../packages/client/package.json';
import { python } from '../docs/python.ts';
import type { TemporaryFolder } from '../support/temporary.ts';
import { run } from './package.ts';

/** Installs the Python client from where a service hands it out, as its guide says. */
export async function installPythonClient(url: string, folder: TemporaryFolder): Promise<void> {
  const wheel = `${url}/client/petstore_client-${version}-py3-none-any.whl`;
  const pip = [python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  // Its one dependency is there; nothing else may be asked for.
  await run([...pip, '--no-deps', '--no-index', '--target', 'packages', wheel], folder.path);
}

/** Runs a program in a folder where the client is installed, and returns what it prints. */
export async function runPython(
  source: string,
  folder: TemporaryFolder,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  await Bun.write(folder.file('program.py'), source);
  return await run([python, 'program.py'], folder.path, { ...env, PYTHONPATH: 'packages' });
}
