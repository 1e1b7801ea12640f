import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresDatabase, statement } from '../../support/postgres-engine.ts';
import { startPostgres } from '../../support/postgres-server.ts';
import { createTemporaryFolder } from '../../support/temporary.ts';
import type { ConformanceSuite } from '../suite.ts';
import type { Tools } from '../tools.ts';
import { buildChecker, checkHistory } from './checker.ts';
import type { History } from './history.ts';
import { type Instances, startInstances } from './instances.ts';
import { type Fault, record } from './recorder.ts';

/** Recording time of each scenario, in seconds; a busy machine gets more if that proves little. */
const SECONDS = Number(process.env['PETSTORE_LINEARIZABILITY_SECONDS'] ?? '8');
const BUSY_SECONDS = 4 * SECONDS;
/** With fewer operations, the run would prove little. */
const OPERATIONS_MIN = 50 * SECONDS;
/** Without each of these outcomes, the clients did not compete. */
const MUST_HAPPEN = [
  'change 200',
  'change 412',
  'order 201',
  'order 409',
  'move 200',
  'remove 204',
];

const NO_GO =
  Bun.which('go') === null ? 'Go is not installed (apt-get install golang-go)' : undefined;

/** Records a scenario and checks its history. */
async function recordAndCheck(
  tools: Tools,
  instances: Instances,
  faults: readonly Fault[],
): Promise<string> {
  const program = await buildChecker(tools.work);
  const attempt = async (seconds: number) => {
    const history = await record(instances, seconds * 1_000, faults);
    // A failed run leaves this folder behind, for whoever looks into it.
    const folder = mkdtempSync(join(tmpdir(), 'petstore-linearizability-'));
    const output = await checkHistory(program, history, folder);
    rmSync(folder, { recursive: true });
    const text = `${output}; ${unknownOutcomes(history)} with an unknown outcome`;
    return { text, lack: lackOf(history) };
  };
  let { text, lack } = await attempt(SECONDS);
  if (lack !== undefined) ({ text, lack } = await attempt(BUSY_SECONDS));
  if (lack !== undefined) throw new Error(lack);
  return text;
}

function unknownOutcomes({ counts }: History): number {
  return [...counts]
    .filter(([key]) => key.endsWith(' unknown'))
    .reduce((sum, [, times]) => sum + times, 0);
}

/** Returns what shows that the clients hardly competed; undefined if they did. */
function lackOf({ counts, length }: History): string | undefined {
  const missing = MUST_HAPPEN.filter((key) => !counts.has(key));
  if (missing.length === 0 && length >= OPERATIONS_MIN) return undefined;
  return `${length} operations, without ${missing.join(', ')}: ${Bun.inspect(counts)}`;
}

const onPostgres: ConformanceSuite = {
  name: 'Porcupine, three instances on one PostgreSQL',
  missing: NO_GO,
  async check({ tools }) {
    await using server = await startPostgres();
    const { address } = await createPostgresDatabase(server);
    await using instances = await startInstances(address, 3);
    const endSessions = async () => {
      await statement(
        server.addressOf('postgres'),
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'petstore'`,
      );
    };
    const crashes = instances.all.map(({ crash }) => crash);
    return await recordAndCheck(tools, instances, [endSessions, ...crashes, endSessions]);
  },
};

function onSqlite(name: string, count: number): ConformanceSuite {
  return {
    name,
    missing: NO_GO,
    async check({ tools }) {
      using folder = createTemporaryFolder();
      const database = `sqlite:${folder.file('shop.db')}`;
      await using instances = await startInstances(database, count);
      return await recordAndCheck(
        tools,
        instances,
        instances.all.map(({ crash }) => crash),
      );
    },
  };
}

/**
 * Clients work on the same few animals at the same time while instances are killed. Porcupine then
 * checks that each animal behaved as if its operations ran one after the other.
 */
export const linearizability: readonly ConformanceSuite[] = [
  onPostgres,
  onSqlite('Porcupine, two instances on one SQLite file', 2),
  onSqlite('Porcupine, one instance on SQLite', 1),
];
