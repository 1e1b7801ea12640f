/**
 * `bun bench/workers.ts [--rounds N] [--seconds N]`: our service with one and with two workers, both on
 * two cores that the load uses too. Rates there are those of the machine; what a response costs in
 * processor time tells what a machine with more cores can do.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createDatabase } from './animals.ts';
import { createAuthorization, startOurs, timeFirstResponse } from './contenders/ours.ts';
import { withOwnCursors } from './cursors.ts';
import { ANIMALS } from './kinds.ts';
import { sendLoad } from './load.ts';
import { findPrograms } from './requirements.ts';
import { comparisons, type Scenario } from './scenarios.ts';
import { type Spread, spreadOf, spreadText } from './statistics.ts';
import { openWorkbench, type RunningServer, SHARED_CORES } from './workbench.ts';

const WORKERS = [1, 2] as const;
const NAMES = ['list', 'mixed-0', 'mixed-5', 'spread', 'create'];
/** Each run starts behind the last one, so that no cache holds its responses. */
const PASSED_OVER = 30_011;
const MICROSECONDS = 1_000;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    only: { type: 'string', multiple: true, default: NAMES },
  },
});
const scenarios = comparisons
  .flatMap((comparison) => comparison.scenarios)
  .filter(({ name }) => values.only.includes(name));

const { taskset, wrk } = findPrograms('taskset', 'wrk');
await using workbench = openWorkbench(taskset);
workbench.moveTo(SHARED_CORES);

/** Proportional resident memory in MiB: memory that is shared with others counts in part. */
function memoryOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1]) / 1_024;
}

interface Contender {
  readonly workers: number;
  readonly server: RunningServer;
  readonly authorization: string;
  readonly scenarios: readonly Scenario[];
  /** By scenario: microseconds of processor time per response, and responses per second. */
  readonly costs: Map<string, number[]>;
  readonly rates: Map<string, number[]>;
  /** MiB right after each run. */
  readonly memory: number[];
}

const contenders: Contender[] = [];
for (const workers of WORKERS) {
  const database = `sqlite:${join(workbench.folder, `workers-${workers}.db`)}`;
  await createDatabase(database, ANIMALS);
  const authorization = await createAuthorization(workbench, database);
  const settings = ['--workers', String(workers), '--ops-port', 'off'];
  const options = { name: `ours-${workers}`, settings };
  const times: number[] = [];
  for (let round = 0; round < 9; round++) {
    times.push(await timeFirstResponse(workbench, database, authorization, options));
  }
  print(`${workers} workers: first 200 after ${text(times, 0)} ms`);
  const server = await startOurs(workbench, database, options);
  contenders.push({
    workers,
    server,
    authorization,
    memory: [],
    costs: new Map(),
    rates: new Map(),
    scenarios: await withOwnCursors(scenarios, server.origin, authorization),
  });
}
reportMemory('at the start', ({ server }) => memoryOf(server.pid));

let turn = 0;
for (let round = 0; round < Number(values.rounds); round++) {
  for (const { name } of scenarios) {
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
      await measure(contender, name);
    }
  }
}
for (const { name } of scenarios) {
  const [one, two] = contenders.map(({ costs, rates }) => ({
    cost: spreadOf(costs.get(name) ?? []),
    rate: spreadOf(rates.get(name) ?? []),
  }));
  if (one === undefined || two === undefined) continue;
  const cost = ({ cost }: { cost: Spread }) => spreadText(cost, (value) => value.toFixed(1));
  const rate = ({ rate }: { rate: Spread }) => spreadText(rate, (value) => value.toFixed(0));
  const ratio = (2 * one.cost.median) / two.cost.median;
  print(`${name}: one ${cost(one)} us, ${rate(one)}/s; two ${cost(two)} us, ${rate(two)}/s`);
  print(`  two cores with two workers / one core with one, from the cost: ${ratio.toFixed(2)}`);
}
// When the runtime removes garbage is chance, so one sample would say little.
reportMemory('right after a run, median', ({ memory }) => spreadOf(memory).median);
reportMemory('right after a run, most', ({ memory }) => Math.max(...memory));

async function measure(contender: Contender, name: string): Promise<void> {
  const { server, authorization, costs, rates } = contender;
  const scenario = contender.scenarios.find((each) => each.name === name);
  if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
  server.clearLog();
  const before = server.cpuMilliseconds();
  turn += PASSED_OVER;
  const load = { ...scenario, start: turn };
  const seconds = Number(values.seconds);
  const result = await sendLoad(workbench, wrk, server.origin, load, authorization, seconds);
  const perResponse = (ms: number) => (ms * MICROSECONDS) / result.requests;
  note(costs, name, perResponse(server.cpuMilliseconds() - before));
  note(rates, name, result.perSecond);
  contender.memory.push(memoryOf(server.pid));
}

function note(figures: Map<string, number[]>, name: string, figure: number): void {
  figures.set(name, [...(figures.get(name) ?? []), figure]);
}

function reportMemory(when: string, of: (contender: Contender) => number): void {
  const [one = 0, two = 0] = contenders.map(of);
  const [ones, twos] = [one.toFixed(0), two.toFixed(0)];
  print(`memory ${when}: one ${ones} MiB, two ${twos} MiB, ${(two - one).toFixed(0)} MiB more`);
}

function text(numbers: readonly number[], digits: number): string {
  return spreadText(spreadOf(numbers), (value) => value.toFixed(digits));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
