import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkHistory } from '../conformance/linearizability/checker.ts';
import type { History } from '../conformance/linearizability/history.ts';
import { createLedger } from '../e2e/crash/ledger.ts';
import { startDatabaseCluster } from './database-cluster.ts';
import { SCENARIOS, type Scenario } from './faults.ts';
import { startLeaderProxy } from './leader-proxy.ts';
import { startLoad } from './load.ts';
import { longestLag, RECOVERY_MS } from './recovery.ts';
import { startService } from './service.ts';
import { addUp, asTable, type Trial } from './table.ts';
import { startWriteProbe } from './write-probe.ts';

/*
 * Runs the scenarios under load, inside the namespace that run.ts makes. Ends with a table and with counts in the
 * format of `bun test`.
 */

/** Load before each fault, and after the repair. */
const CALM_MS = 2_000;

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: {
    patroni: { type: 'string', default: '' },
    checker: { type: 'string', default: '' },
    // Through HAProxy to the leader; otherwise the service finds the leader among the hosts by itself.
    proxy: { type: 'boolean', default: false },
    /** Of synchronous replication; by default that of patroni.yml. */
    mode: { type: 'string' },
    runs: { type: 'string', default: '1' },
  },
});
const chosen = SCENARIOS.filter(
  ({ name }) => positionals.length === 0 || positionals.some((part) => name.startsWith(part)),
);

const cluster = await startDatabaseCluster(values.patroni, values.mode);
const service = await startService(
  cluster,
  values.proxy ? await startLeaderProxy(cluster) : cluster.address,
);

const probe = startWriteProbe(cluster);

const ledger = createLedger();

async function attempt({ name, run }: Scenario): Promise<Trial> {
  await using load = startLoad(service, ledger);
  await load.untilWritten();
  await Bun.sleep(CALM_MS);
  load.takePause();
  await run(cluster, load);
  await load.untilWritten();
  const seconds = load.takePause();
  await cluster.untilWhole();
  await Bun.sleep(CALM_MS);
  const report = await load.end();
  const lags = report.acknowledged.map((times) => longestLag(times, probe.commits));
  const problems = [
    ...report.problems,
    ...(await contradictions(report.history)),
    ...lags.filter((lag) => lag > RECOVERY_MS).map(late),
  ];
  return { ...report, problems, scenario: name, seconds, lagSeconds: Math.max(...lags) / 1_000 };
}

function late(milliseconds: number): string {
  return `an instance took no writes for ${milliseconds.toFixed()} ms while the cluster did`;
}

/** What Porcupine finds wrong with a history. The history stays behind then, for whoever looks into it. */
async function contradictions(history: History): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-failover-'));
  try {
    await checkHistory(values.checker, history, folder);
    rmSync(folder, { recursive: true });
    return [];
  } catch (error) {
    return [`${error}`];
  }
}

const trials: Trial[] = [];
for (let run = 0; run < Number(values.runs); run++) {
  for (const scenario of chosen) {
    const trial = await attempt(scenario);
    trials.push(trial);
    const { written, problems, inDoubt, refused, otherErrors, seconds, history } = trial;
    const figures = [
      `${written} writes acknowledged`,
      `${inDoubt} in doubt`,
      `${refused} refused with 503`,
      `other errors ${Bun.inspect(Object.fromEntries(otherErrors), { compact: true })}`,
      `no write for ${seconds.toFixed(1)} s`,
      `${trial.lagSeconds.toFixed(1)} s behind the cluster`,
      `slowest response ${trial.slowest.toFixed(1)} s`,
      `history of ${history.length} operations`,
    ];
    const verdict = problems.length === 0 && otherErrors.size === 0 ? 'pass' : 'fail';
    console.log(`(${verdict}) ${scenario.name}: ${figures.join(', ')}`);
    const explanation = verdict === 'pass' ? [] : [...trial.unanswered, ...service.describe()];
    for (const line of [...problems.slice(0, 10), ...explanation]) console.log(`  ${line}`);
  }
}
await probe[Symbol.asyncDispose]();
await service[Symbol.asyncDispose]();
const failed = trials.filter(({ problems, otherErrors }) => problems.length + otherErrors.size > 0);
console.log(`\n${asTable(addUp(trials))}`);
console.log(`\n ${trials.length - failed.length} pass\n ${failed.length} fail`);
process.exit(failed.length === 0 && trials.length > 0 ? 0 : 1);
