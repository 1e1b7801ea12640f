import { join } from 'node:path';
import { Writable } from 'node:stream';
import { run } from '../../src/cli/run.ts';

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

function environmentOf(settings: Readonly<Record<string, string>>): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    PETSTORE_OPS_PORT: 'off',
    // A machine busy with other tests must not cause refusals.
    ...settings,
  };
}

/**
 * Starts a command in its own process, with only the environment that a test gives it; `under`
 * is a program that runs it, such as strace, `cwd` is the folder it starts in, and `main` is the entry
 * point of another release.
 */
export function spawnPetstore(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  under: readonly string[] = [],
  cwd?: string,
  main = MAIN,
) {
  return Bun.spawn([...under, process.execPath, main, ...args], {
    ...(cwd === undefined ? {} : { cwd }),
    env: environmentOf(settings),
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
  return finished(exitCode, stdout, stderr);
}

function finished(exitCode: number, stdout: string, stderr: string): Finished {
  const newDatabase = NEW_DATABASE.exec(stderr)?.[1];
  return { exitCode, stdout, stderr: stderr.replace(NEW_DATABASE, ''), newDatabase };
}

/**
 * Runs a command to its end in this process, in a tenth of the time that one of its own takes. It sees
 * the environment and the folder that it would have there, so commands run one after the other. Once it
 * serves, `serve` ends this process.
 */
export function runHere(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  cwd = process.cwd(),
): Promise<Finished> {
  const ran = last.then(() => runAlone(args, settings, cwd));
  last = ran.catch(() => undefined);
  return ran;
}

let last: Promise<unknown> = Promise.resolve();

async function runAlone(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  cwd: string,
): Promise<Finished> {
  const outside = { ...process.env };
  const folder = process.cwd();
  const { stdout, stderr } = process;
  const output = keepWritten();
  const errors = keepWritten();
  become(environmentOf(settings));
  process.chdir(cwd);
  Object.assign(process, { stdout: output.stream, stderr: errors.stream });
  try {
    const exitCode = await run(args);
    return finished(exitCode, output.text(), errors.text());
  } finally {
    Object.assign(process, { stdout, stderr });
    process.chdir(folder);
    become(outside);
  }
}

/** Replaces the environment of this process. */
function become(variables: Readonly<Partial<Record<string, string>>>): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, variables);
}

function keepWritten() {
  const written: Buffer[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written.push(Buffer.from(chunk));
      done();
    },
  });
  return { stream, text: () => Buffer.concat(written).toString() };
}
