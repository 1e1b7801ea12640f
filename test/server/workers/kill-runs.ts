/**
 * `bun test/server/workers/kill-runs.ts [RUNS] [worker|process]`: kills a worker, or the whole process, of a
 * service with two workers under load. Ends with exit code 1 if something acknowledged is lost or
 * doubled, a repeat gets another response, a limit is exceeded, or the service does not answer in time.
 */
import { createLedger } from '../../e2e/crash/ledger.ts';
import { createRandom } from '../../e2e/crash/random.ts';
import { type KillRun, runKill } from './kills/kill-run.ts';
import type { GrantedCounts } from './kills/limit-probe.ts';
import { startKilledStore } from './kills/store.ts';
import { asTable, faultsOf, type KillRuns } from './kills/table.ts';
import type { KillKind } from './kills/targets.ts';

/** Each run checks the whole database, so it must stay small. */
const RUNS_PER_DATABASE = 10;

const runs = Number(process.argv[2] ?? 100);
const only = process.argv[3];

async function killAll(kind: KillKind): Promise<KillRuns> {
  const done: KillRun[] = [];
  const granted: GrantedCounts[] = [];
  while (done.length < runs) {
    await using store = await startKilledStore(kind);
    const ledger = createLedger();
    for (let n = 0; n < RUNS_PER_DATABASE && done.length < runs; n++) {
      const run = await runKill(store, ledger, createRandom(done.length + 1));
      done.push(run);
      process.stderr.write(`${kind} ${done.length}: ${JSON.stringify(run)}\n`);
    }
    granted.push(await store.probe.end());
    for (const response of store.failed) process.stderr.write(`${kind}: ${response}\n`);
  }
  return { kind, runs: done, granted };
}

const all: KillRuns[] = [];
for (const kind of ['worker', 'process'] as const) {
  if (only === undefined || only === kind) all.push(await killAll(kind));
}
process.stdout.write(`${asTable(all)}\n`);
const faults = all.flatMap(faultsOf);
for (const fault of faults) process.stdout.write(`${fault}\n`);
process.exit(faults.length === 0 ? 0 : 1);
