import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endWithParent } from '../support/end-with-parent.ts';
import { freePort } from '../support/free-port.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';

/** A proxy with the configuration that we ship, in front of instances on the loopback. */
export interface ProxyServer extends AsyncDisposable {
  /** Its root address, without a path. */
  readonly url: string;
  readonly port: number;
  /** What it wrote so far on standard output. */
  log(): string;
}

/** A program that we ship a configuration of. */
export interface ProxyProgram {
  readonly name: string;
  /** Why tests that need it are left out here; undefined where none is. In CI none ever is. */
  readonly missing: string | undefined;
  /** The configuration that we ship, with these ports in place of its own. */
  configuration(port: number, instances: readonly number[], folder: TemporaryFolder): string;
  /** The command that runs it on a configuration of this path, or only looks at that. */
  command(action: 'run' | 'check', path: string, folder: TemporaryFolder): string[];
}

const EXAMPLES = join(import.meta.dir, '../../examples');

/** The text of a file among the examples. */
export function example(name: string): string {
  return readFileSync(join(EXAMPLES, name), 'utf8');
}

/** Puts something else in the place of a part that must be there. */
export function replaced(text: string, part: RegExp, by: string): string {
  if (!part.test(text)) throw new Error(`the example has nothing like ${part}`);
  return text.replace(part, by);
}

/** Where a program is, also where the path of a user leaves it out; and what to say without it. */
export function findProgram(name: string, debianPackage: string) {
  const path = Bun.which(name, { PATH: `${process.env['PATH']}:/usr/sbin` });
  const isMissing = path === null && process.env['CI'] !== 'true';
  const missing = `${name} is not installed (apt-get install ${debianPackage})`;
  return { path: path ?? name, missing: isMissing ? missing : undefined };
}

/** What a program complains of in our configuration; an empty text where it takes it. */
export function complaintsOf(program: ProxyProgram): string {
  using folder = createTemporaryFolder();
  const path = folder.file('configuration');
  writeFileSync(path, program.configuration(8080, [8081, 8082], folder));
  const { exitCode, stderr } = Bun.spawnSync(program.command('check', path, folder));
  return exitCode === 0 ? '' : stderr.toString();
}

/** Starts a program in front of the instances on these ports. */
export async function startProxy(
  program: ProxyProgram,
  instances: readonly number[],
): Promise<ProxyServer> {
  const folder = createTemporaryFolder();
  const port = freePort();
  const path = folder.file('configuration');
  writeFileSync(path, program.configuration(port, instances, folder));
  const process = Bun.spawn(endWithParent(program.command('run', path, folder)), {
    stdout: Bun.file(folder.file('log')),
    stderr: Bun.file(folder.file('errors')),
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await answers(url))) {
    if (process.exitCode !== null) throw new Error(readFileSync(folder.file('errors'), 'utf8'));
    await Bun.sleep(20);
  }

  return {
    url,
    port,
    log: () => readFileSync(folder.file('log'), 'utf8'),
    async [Symbol.asyncDispose]() {
      process.kill('SIGKILL');
      await process.exited;
      folder[Symbol.dispose]();
    },
  };
}

/** Whether it answers at all: a 503 of its own will do. */
async function answers(url: string): Promise<boolean> {
  try {
    await fetch(`${url}/livez`);
    return true;
  } catch {
    return false;
  }
}
