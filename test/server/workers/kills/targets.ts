import { join } from 'node:path';
import { createInstance, type Instance } from '../../../cluster/instance.ts';
import type { Random } from '../../../e2e/crash/random.ts';
import type { spawnPetstore } from '../../../support/command-line.ts';
import { eventually } from '../../../support/eventually.ts';
import { freePort } from '../../../support/free-port.ts';
import { untilAllListen } from '../../../support/listeners.ts';
import { sampleOf, scrape } from '../../../support/scrape.ts';

/** A service with two workers, of which something can be killed. */
export interface KillTarget extends AsyncDisposable {
  readonly url: string;
  /** Everything that it has written since its process started. */
  output(): string;
  /** Kills a part of it. Resolves once that is back. */
  kill(random: Random): Promise<void>;
}

/** What is killed. */
export type KillKind = 'worker' | 'process';

type Settings = Readonly<Record<string, string>>;

const KILLABLE_SERVER = join(import.meta.dir, 'killable-server.ts');
const TWO_WORKERS = { PETSTORE_WORKERS: '2' };

/** Starts the service with two workers, and with these settings. */
export function startTarget(kind: KillKind, settings: Settings): Promise<KillTarget> {
  return kind === 'worker' ? startKillableWorkers(settings) : startProcess(settings);
}

/** `petstore serve --workers 2`, ended by SIGKILL. */
async function startProcess(settings: Settings): Promise<KillTarget> {
  const instance = createInstance({ ...settings, ...TWO_WORKERS });
  const untilWhole = () => untilAllListen(instance.port, 2);
  await instance.start();
  await untilWhole();
  return {
    ...lastingPartsOf(instance),
    async kill() {
      await (await instance.kill())[Symbol.asyncDispose]();
      await untilWhole();
    },
  };
}

/** The same server, one of whose threads ends itself, or has an error that nothing catches. */
async function startKillableWorkers(settings: Settings): Promise<KillTarget> {
  const opsPort = freePort();
  let child: ReturnType<typeof spawnKillable> | undefined;
  const own = { ...settings, ...TWO_WORKERS, PETSTORE_OPS_PORT: String(opsPort) };
  const instance = createInstance(own, (all) => {
    child = spawnKillable(all);
    return child;
  });
  let deaths = 0;

  async function isWhole(): Promise<boolean> {
    const scraped = await scrape(`http://127.0.0.1:${opsPort}/metrics`);
    const dead = sampleOf(scraped, 'petstore_worker_deaths_total');
    return dead === deaths && sampleOf(scraped, 'petstore_workers') === 2;
  }

  const untilWhole = () => eventually(isWhole, (whole) => whole);
  await instance.start();
  // It answers before all workers serve.
  await untilWhole();

  return {
    ...lastingPartsOf(instance),
    async kill(random) {
      deaths++;
      child?.send(random.one(['exit', 'fail']));
      await untilWhole();
    },
  };
}

function spawnKillable(settings: Settings): ReturnType<typeof spawnPetstore> {
  return Bun.spawn([process.execPath, KILLABLE_SERVER], {
    env: { PATH: process.env['PATH'] ?? '', ...settings },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    ipc() {},
  });
}

function lastingPartsOf(instance: Instance) {
  return {
    url: instance.url,
    output: instance.output,
    [Symbol.asyncDispose]: () => instance[Symbol.asyncDispose](),
  };
}
