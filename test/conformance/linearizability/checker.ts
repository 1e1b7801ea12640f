import { join } from 'node:path';
import { mustRun, runTool } from '../tools.ts';
import type { History } from './history.ts';

/** Tests our model of an animal, builds Porcupine with it in a folder and returns the program's path. */
export async function buildChecker(work: string): Promise<string> {
  const folder = join(import.meta.dir, 'checker');
  const program = join(work, 'linearizability');
  const settings = { GOFLAGS: '-mod=readonly', GOTOOLCHAIN: 'local', CGO_ENABLED: '0' };
  await mustRun(['go', 'test', '-vet=off', '.'], folder, settings);
  await mustRun(['go', 'build', '-o', program, '.'], folder, settings);
  return program;
}

/** Writes a history to a folder and checks it. Throws if no order of its operations explains it. */
export async function checkHistory(
  program: string,
  history: History,
  folder: string,
): Promise<string> {
  const path = join(folder, 'history.ndjson');
  history.write(path);
  const { exitCode, output } = await runTool([program, path, folder], folder);
  if (exitCode !== 0) throw new Error(`${output}The history is ${path}.`);
  return output.trim();
}
