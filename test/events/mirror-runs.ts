/**
 * `bun test/events/mirror-runs.ts [RUNS]`: runs the mirror of the guide beside eight writers, on two
 * processes with SQLite and on three with PostgreSQL. Ends with exit code 1 at the first difference.
 */
import { bothEngines } from '../transfer/pairs.ts';
import { runMirror } from './mirror-run.ts';
import { startServedStore } from './served-store.ts';

const runs = Number(process.argv[2] ?? 100);

for (const engine of bothEngines) {
  await using store = await startServedStore(engine.name, await engine.createDatabase());
  const readKey = await store.keyOf('read');
  let written = 0;
  let kills = 0;
  for (let seed = 1; seed <= runs; seed++) {
    const run = await runMirror(store.servers, readKey, seed);
    written += run.written;
    kills += run.kills;
  }
  process.stdout.write(
    `${engine.name}: ${runs} runs equal, ${store.servers.length} processes, ${written} writes, ${kills} kills\n`,
  );
}
process.exit(0);
