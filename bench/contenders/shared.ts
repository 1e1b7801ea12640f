import { NO_VALKEY, startValkey } from '../../test/limits/valkey-server.ts';
import { postgresPrograms, startPostgres } from '../../test/support/postgres-server.ts';
import { createDatabase } from '../animals.ts';
import { cpuMillisecondsOf } from '../processor-time.ts';
import { ANIMALS } from '../scenarios.ts';
import type { RunningServer, Workbench } from '../workbench.ts';
import type { Engine } from './contender.ts';
import { createAuthorization, startOurs } from './ours.ts';

/** As a server is installed, besides what the tests leave out: all that it answers is on disk. */
const AS_INSTALLED = ['fsync=on', 'synchronous_commit=on', 'shared_buffers=128MB'];

/** Our service on engines that many instances share, and what it stands on. */
export interface SharedOurs {
  readonly server: RunningServer;
  readonly authorization: string;
  readonly database: string;
  readonly engines: readonly Engine[];
}

/** Why it cannot be measured here; undefined where it can. */
export function reasonWithoutEngines(): string | undefined {
  if (postgresPrograms() === undefined) {
    return 'PostgreSQL is not installed (Debian: apt install postgresql)';
  }
  return NO_VALKEY;
}

/**
 * Our service as shipped on a PostgreSQL with the same animals, and on a Valkey or Redis. Both are
 * started by this process and so run on its core, that of the load.
 */
export async function startShared(workbench: Workbench): Promise<SharedOurs> {
  const postgres = workbench.use(await startPostgres(...AS_INSTALLED));
  const valkey = workbench.use(await startValkey());
  const database = postgres.addressOf('postgres');
  await createDatabase(database, ANIMALS);
  const authorization = await createAuthorization(workbench, database);
  const server = await startOurs(workbench, database, {
    name: 'shared',
    settings: ['--limits', valkey.address],
  });
  return {
    ...{ server, authorization, database },
    engines: [
      { name: 'PostgreSQL', cpuMilliseconds: () => cpuMillisecondsOf(postgres.pid()) },
      { name: 'Valkey', cpuMilliseconds: () => cpuMillisecondsOf(valkey.pid()) },
    ],
  };
}
