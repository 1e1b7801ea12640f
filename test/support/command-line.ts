import { join } from 'node:path';

const MAIN = join(import.meta.dir, '../../src/main.ts');

/** The result of a command. */
export interface Finished {
  readonly exitCode: number;
  readonly stdout: string;
  /** Without the line about a database that it created. */
  readonly stderr: string;
  /** The database that it reported creating, or undefined. */
  readonly newDatabase?: string | undefined;
}

const NEW_DATABASE = /^petstore: new, empty database at (.+)\n/m;

/**
 * Starts a command in its own process, with only the environment that a test gives it; `under`
 * is a program that runs it, such as strace, and `cwd` is the folder it starts in.
 */
export function spawnPetstore(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  under: readonly string[] = [],
  cwd?: string,
) {
  return Bun.spawn([...under, process.execPath, MAIN, ...args], {
    ...(cwd === undefined ? {} : { cwd }),
    env: {
      PATH: process.env['PATH'] ?? '',
      PETSTORE_OPS_PORT: 'off',
      PETSTORE_WORKERS: process.env['PETSTORE_TEST_WORKERS'] ?? '',
      // A machine busy with other tests must not cause refusals.
      PETSTORE_MAX_QUEUE_MS: '60000',
      ...settings,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
}

/** Runs a command to its end, in a folder if one is named. */
export async function runPetstore(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  cwd?: string,
): Promise<Finished> {
  const child = spawnPetstore(args, settings, [], cwd);
  const [exitCode, stdout, stderr] = await Promise.all([
    child.exited,
    child.stdout.text(),
    child.stderr.text(),
  ]);
  const newDatabase = NEW_DATABASE.exec(stderr)?.[1];
  return { exitCode, stdout, stderr: stderr.replace(NEW_DATABASE, ''), newDatabase };
}
