import { createInstance } from '../cluster/instance.ts';
import type { Instances } from '../conformance/linearizability/instances.ts';
import { createUnlimitedKey, unlimitedSettings } from '../conformance/service.ts';
import { statement } from '../support/postgres-engine.ts';
import type { DatabaseCluster } from './database-cluster.ts';

/** Enough to show what an instance met in the last minute. */
const LOG_LINES = 20;

/** Two instances of the service on the database cluster. */
export interface Service extends AsyncDisposable {
  readonly instances: Pick<Instances, 'all' | 'key'>;
  /** Runs a statement on the leader. */
  sql(text: string): Promise<Record<string, unknown>[]>;
  /** Each instance's state and the end of its log. */
  describe(): string[];
}

/** Starts the instances, with `database` as the address of theirs, and creates a key for them. */
export async function startService(
  { addressOf, leader }: DatabaseCluster,
  database: string,
): Promise<Service> {
  await using parts = new AsyncDisposableStack();
  const settings = unlimitedSettings(database);
  const instances = [1, 2].map(() => parts.use(createInstance(settings)));
  await Promise.all(instances.map(({ start }) => start()));
  const key = await createUnlimitedKey(settings);
  const owned = parts.move();
  const never = () => Promise.reject(new Error('these tests do not crash the service'));
  return {
    instances: { key, all: instances.map(({ url }) => ({ url, crash: never })) },
    async sql(text) {
      const host = await leader();
      if (host === undefined) throw new Error('there is no leader');
      return await statement(addressOf(host), text);
    },
    describe: () =>
      instances.map(({ url, isRunning, output }) =>
        [`${url} ${isRunning() ? 'runs' : 'has ended'}`, ...lastLines(output())].join('\n'),
      ),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function lastLines(log: string): string[] {
  return log.trimEnd().split('\n').slice(-LOG_LINES);
}
