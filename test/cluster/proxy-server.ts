import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endWithParent } from '../support/end-with-parent.ts';
import { freePort } from '../support/free-port.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';

/** A proxy with the shipped configuration, in front of instances on loopback. */
export interface ProxyServer extends AsyncDisposable {
  /** The root address, without a path. */
  readonly url: string;
  readonly port: number;
  /** Standard output so far. */
  log(): string;
}

/** A proxy program with a shipped configuration. */
export interface ProxyProgram {
  readonly name: string;
  /** The shipped configuration with these ports. */
  configuration(port: number, instances: readonly number[], folder: TemporaryFolder): string;
  /** The command that runs the program with the configuration at this path, or only checks it. */
  command(action: 'run' | 'check', path: string, folder: TemporaryFolder): string[];
}

const EXAMPLES = join(import.meta.dir, '../../examples');

/** The text of a file among the examples. */
export function example(name: string): string {
  return readFileSync(join(EXAMPLES, name), 'utf8');
}

/** Replaces a part of the text; throws if the part is missing. */
export function replaced(text: string, part: RegExp, by: string): string {
  if (!part.test(text)) throw new Error(`the example has nothing like ${part}`);
  return text.replace(part, by);
}

/** The program's complaints about the shipped configuration; empty if it accepts it. */
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
  while (!(await responds(url))) {
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

/** True for any response, even the proxy's own 503. */
async function responds(url: string): Promise<boolean> {
  try {
    await fetch(`${url}/livez`);
    return true;
  } catch {
    return false;
  }
}
