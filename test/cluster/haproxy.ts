import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../deadline.ts';
import { endingWithUs } from '../ending-with-us.ts';
import { freePort } from '../free-port.ts';
import { createTemporaryFolder } from '../temporary.ts';

/** HAProxy with the configuration that we ship, in front of instances on the loopback. */
export interface HaproxyServer extends AsyncDisposable {
  /** Its root address, without a path. */
  readonly url: string;
  readonly port: number;
  /** What it wrote so far: a line for each request, and each change of an instance's state. */
  log(): string;
  /** Waits until it has taken an instance out, or in again, `after` so much of its log. */
  until(instance: number, state: 'DOWN' | 'UP', after: number): Promise<void>;
}

export const HAPROXY = Bun.which('haproxy', { PATH: `${process.env['PATH']}:/usr/sbin` });

/** Why tests that need HAProxy are left out here; undefined where none is. In CI none ever is. */
export const NO_HAPROXY =
  HAPROXY === null && process.env['CI'] !== 'true'
    ? 'haproxy is not installed (apt-get install haproxy)'
    : undefined;

const SHIPPED = join(import.meta.dir, '../../examples/haproxy.cfg');
const BIND = /^( *bind) :80$/m;
const SERVERS = /(?:^ *server petstore-\d+ petstore-\d+:8080\n)+/m;

/** The configuration that we ship, with these ports in place of its own. */
export function shippedConfiguration(port: number, instances: readonly number[]): string {
  const shipped = readFileSync(SHIPPED, 'utf8');
  if (!BIND.test(shipped) || !SERVERS.test(shipped)) throw new Error(`${SHIPPED} has other lines`);
  const servers = instances.map((at, i) => `    server petstore-${i + 1} 127.0.0.1:${at}\n`);
  return shipped.replace(BIND, `$1 127.0.0.1:${port}`).replace(SERVERS, servers.join(''));
}

/** Starts HAProxy in front of the instances on these ports. */
export async function startHaproxy(instances: readonly number[]): Promise<HaproxyServer> {
  if (HAPROXY === null) throw new Error('install haproxy');
  const folder = createTemporaryFolder();
  const port = freePort();
  const path = folder.file('haproxy.cfg');
  writeFileSync(path, shippedConfiguration(port, instances));
  const process = Bun.spawn(endingWithUs([HAPROXY, '-db', '-f', path]), {
    stdout: Bun.file(folder.file('log')),
    stderr: Bun.file(folder.file('errors')),
  });
  const log = () => readFileSync(folder.file('log'), 'utf8');
  const url = `http://127.0.0.1:${port}`;
  while (!(await answers(url))) {
    if (process.exitCode !== null) throw new Error(readFileSync(folder.file('errors'), 'utf8'));
    await Bun.sleep(20);
  }

  return {
    url,
    port,
    log,
    async until(instance, state, after) {
      const line = `Server instances/petstore-${instance + 1} is ${state}`;
      await eventually(() => log().indexOf(line, after) >= 0, Boolean);
    },
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
