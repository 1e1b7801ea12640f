import { join } from 'node:path';

const MAIN = join(import.meta.dir, '../src/main.ts');

/** What a command did. */
export interface Finished {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * A command of its own process, with nothing of our environment but what a test gives it; `under`
 * is a program that runs it, such as strace.
 */
export function spawnPetstore(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  under: readonly string[] = [],
) {
  return Bun.spawn([...under, process.execPath, MAIN, ...args], {
    env: { PATH: process.env['PATH'] ?? '', PETSTORE_OPS_PORT: 'off', ...settings },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
}

/** Runs a command to its end. */
export async function runPetstore(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const child = spawnPetstore(args, settings);
  const [exitCode, stdout, stderr] = await Promise.all([
    child.exited,
    child.stdout.text(),
    child.stderr.text(),
  ]);
  return { exitCode, stdout, stderr };
}
