import { spawnPetstore } from '../../support/command-line.ts';
import { type Serving, serving } from '../../support/serving.ts';
import { createUnlimitedKey, unlimitedSettings } from '../service.ts';

/** A process that serves, and what may happen to it. */
export interface Instance {
  /** Its root address; undefined while it does not serve. */
  readonly url: string | undefined;
  /** Ends it with SIGKILL, and starts it again on the same database. */
  crash(): Promise<void>;
}

/** Some processes on one database. */
export interface Instances extends AsyncDisposable {
  readonly key: string;
  readonly all: readonly Instance[];
}

/** Starts processes on one database, with a key that meets no limit. */
export async function startInstances(database: string, count: number): Promise<Instances> {
  const settings = unlimitedSettings(database);
  const key = await createUnlimitedKey(settings);
  const start = () => serving(spawnPetstore(['serve', '--port', '0'], settings), key);
  const started = await Promise.all(Array.from({ length: count }, () => startOne(start)));
  return {
    key,
    all: started,
    async [Symbol.asyncDispose]() {
      await Promise.all(started.map((instance) => instance.stop('SIGTERM')));
    },
  };
}

async function startOne(start: () => Promise<Serving>) {
  let now: Serving | undefined = await start();

  async function stop(signal: NodeJS.Signals): Promise<void> {
    const before = now;
    now = undefined;
    before?.child.kill(signal);
    await before?.child.exited;
  }

  return {
    get url() {
      return now === undefined ? undefined : `http://127.0.0.1:${now.port}`;
    },
    stop,
    async crash() {
      await stop('SIGKILL');
      now = await start();
    },
  };
}
