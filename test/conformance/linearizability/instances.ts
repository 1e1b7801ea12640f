import { spawnPetstore } from '../../support/command-line.ts';
import { type Serving, serving } from '../../support/serving.ts';
import { createUnlimitedKey, unlimitedSettings } from '../service.ts';

/** A serving process that a test can crash. */
export interface Instance {
  /** The root address; undefined while the process is down. */
  readonly url: string | undefined;
  /** Ends the process with SIGKILL, and starts it again on the same database. */
  crash(): Promise<void>;
}

/** Processes that share one database. */
export interface Instances extends AsyncDisposable {
  readonly key: string;
  readonly all: readonly Instance[];
}

/** Starts processes on one database, with a key that reaches no limit. `more` settings apply to each. */
export async function startInstances(
  database: string,
  count: number,
  more: Readonly<Record<string, string>> = {},
): Promise<Instances> {
  const settings = { ...unlimitedSettings(database), ...more };
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
  let current: Serving | undefined = await start();

  async function stop(signal: NodeJS.Signals): Promise<void> {
    const stopped = current;
    current = undefined;
    stopped?.child.kill(signal);
    await stopped?.child.exited;
  }

  return {
    get url() {
      return current === undefined ? undefined : `http://127.0.0.1:${current.port}`;
    },
    stop,
    async crash() {
      await stop('SIGKILL');
      current = await start();
    },
  };
}
