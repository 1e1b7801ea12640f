import { startValkey } from '../limits/valkey-server.ts';
import { engines, sqliteDatabaseAt } from '../support/engines.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { runUsage, type UsageRun } from './usage-run.ts';

/*
 * Sends many requests over two instances and prints what was received and counted:
 *
 *     bun test/usage/usage-runs.ts [REQUESTS]
 *
 * Exits with 1 if they differ.
 */

const requests = Number(process.argv[2] ?? 100_000);

async function report(name: string, run: UsageRun): Promise<boolean> {
  const outcomes = await runUsage(run);
  const isEqual = outcomes.every(({ received, counted }) =>
    Object.values(counted).every((counts) => Bun.deepEquals(counts, received)),
  );
  console.log(`${name}: ${isEqual ? 'equal' : 'DIFFERENT'}`);
  console.table(
    outcomes.map(({ received, counted }) => ({ ...received, ...prefixed('counted', counted.day) })),
  );
  return isEqual;
}

const prefixed = (prefix: string, counts: object) =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [`${prefix} ${name}`, count]));

using folder = createTemporaryFolder();
const results: boolean[] = [];
const file = sqliteDatabaseAt(folder.file('petstore.db'));
results.push(
  await report('two processes on one SQLite file', { database: file, limits: 'memory:', requests }),
);
const postgres = engines.find(({ name }) => name === 'postgres');
if (postgres !== undefined) {
  await using valkey = await startValkey();
  await using database = await postgres.createDatabase();
  const limits = valkey.address;
  results.push(
    await report('two instances on PostgreSQL and Valkey', { database, limits, requests }),
  );
}
process.exit(results.every(Boolean) ? 0 : 1);
