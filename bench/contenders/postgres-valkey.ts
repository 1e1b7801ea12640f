import { startValkey } from '../../test/limits/valkey-server.ts';
import { statement } from '../../test/support/postgres-engine.ts';
import { postgresPrograms, startPostgres } from '../../test/support/postgres-server.ts';
import { createDatabase } from '../animals.ts';
import { publish } from '../day.ts';
import { ANIMALS } from '../kinds.ts';
import { cpuMillisecondsOf } from '../process-usage.ts';
import type { RunningServer, Workbench } from '../workbench.ts';
import type { Engine } from './contender.ts';
import { createAuthorization, startOurs } from './ours.ts';

/** Durability as in a default installation, which the tests turn off. */
const AS_INSTALLED = ['fsync=on', 'synchronous_commit=on', 'shared_buffers=128MB'];

/** Our service on shared engines, and the engines. */
export interface SharedOurs {
  readonly server: RunningServer;
  readonly authorization: string;
  readonly database: string;
  /** The address of Valkey, for further instances. */
  readonly limits: string;
  readonly engines: readonly Engine[];
}

/** Returns why it cannot be measured here, or undefined if it can. */
export function reasonWithoutEngines(): string | undefined {
  if (postgresPrograms() === undefined) {
    return 'PostgreSQL is not installed (Debian: apt install postgresql)';
  }
  const engines = ['valkey-server', 'redis-server'];
  if (engines.some((name) => Bun.which(name) !== null)) return undefined;
  return 'neither valkey-server nor redis-server is installed';
}

/**
 * Our service as shipped, on PostgreSQL with the same animals and on Valkey or Redis. This process
 * starts both engines, so they run on its core, that of the load.
 */
export async function startShared(
  workbench: Workbench,
  settings: readonly string[] = [],
): Promise<SharedOurs> {
  const postgres = workbench.use(await startPostgres(...AS_INSTALLED));
  const valkey = workbench.use(await startValkey());
  const database = postgres.addressOf('postgres');
  await createDatabase(database, ANIMALS);
  // Otherwise autovacuum would do it during the first measurements.
  await statement(database, 'VACUUM ANALYZE');
  const authorization = await createAuthorization(workbench, database);
  const server = await startOurs(workbench, database, {
    name: 'shared',
    settings: ['--limits', valkey.address, ...settings],
  });
  await publish(server.origin, authorization);
  return {
    server,
    authorization,
    database,
    limits: valkey.address,
    engines: [
      { name: 'PostgreSQL', cpuMilliseconds: () => cpuMillisecondsOf(postgres.pid()) },
      { name: 'Valkey', cpuMilliseconds: () => cpuMillisecondsOf(valkey.pid()) },
    ],
  };
}
