import { SQL } from 'bun';
import type { DatabaseCluster } from './database-cluster.ts';

/** Commits on every host all the time, to see when the cluster itself takes writes. */
export interface WriteProbe extends AsyncDisposable {
  /** The times of acknowledged commits by `performance.now()`, in order. */
  readonly commits: readonly number[];
}

/** Writes a record and waits for the standbys like any commit. A standby refuses it. */
const COMMIT = `SELECT pg_logical_emit_message(true, 'probe', '')`;
const PAUSE_MS = 100;
/** A host without a response for this long gets a new connection. */
const SILENCE_MS = 2_000;

/** Starts to probe each host, independently of the service. */
export function startWriteProbe({ postgres, addressOf }: DatabaseCluster): WriteProbe {
  const commits: number[] = [];
  let over = false;

  async function probe(address: string): Promise<void> {
    let client: SQL | undefined;
    while (!over) {
      client ??= new SQL(address, { max: 1, connectionTimeout: SILENCE_MS / 1_000 });
      await Bun.sleep(PAUSE_MS);
      try {
        await Promise.race([client.unsafe(COMMIT), silence()]);
        commits.push(performance.now());
      } catch (error) {
        // A standby keeps its connection, and takes writes on it once it is promoted.
        if (error instanceof SQL.PostgresError) continue;
        close(client);
        client = undefined;
      }
    }
    if (client !== undefined) close(client);
  }

  const probes = postgres.map((host) => probe(addressOf(host)));
  return {
    commits,
    async [Symbol.asyncDispose]() {
      over = true;
      await Promise.all(probes);
    },
  };
}

async function silence(): Promise<never> {
  await Bun.sleep(SILENCE_MS);
  throw new Error('no response');
}

/** The commit may still wait for its standby: it is not cancelled, since it would then count as made. */
function close(client: SQL): void {
  client.close({ timeout: 0 }).catch(() => undefined);
}
