/**
 * `bun bench/overload/run.ts`: offers the service twice the requests that it can handle, with
 * and without load shedding; see docs/decisions/0011-overload.md.
 */
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { createDatabase } from '../animals.ts';
import { createAuthorization, startOurs } from '../contenders/ours.ts';
import { ANIMALS } from '../kinds.ts';
import { wholeNumber } from '../options.ts';
import { residentOf } from '../process-usage.ts';
import { findPrograms } from '../requirements.ts';
import { spreadOf, spreadText } from '../statistics.ts';
import { markdownTable } from '../table.ts';
import { openWorkbench, type RunningServer, type Workbench } from '../workbench.ts';
import { type HealthReport, startHealthProbe } from './health-probe.ts';
import { type LoadResult, type LoadTask, runLoad } from './load-process.ts';
import { type Load, loads } from './loads.ts';

/** Settings that refuse nothing. */
const UNGUARDED = ['--max-queue-ms', '3600000', '--max-in-progress', '1000000'];
/** The offered load, as a multiple of the maximum. */
const FACTOR = 2;
/** Both the load and the service need a file descriptor per connection. */
const CONNECTIONS_MAX = 16_000;
const SETTLE_SECONDS = 2;

interface Options {
  readonly rounds: number;
  readonly seconds: number;
  readonly only: readonly string[] | undefined;
}

/** One configuration of the service and its results by round. */
interface Way {
  readonly name: string;
  readonly server: RunningServer;
  readonly rounds: Round[];
}

interface Round extends LoadResult {
  /** Responses per second of the same server just before, with its connections always busy. */
  readonly most: number;
  /** Good responses, as a fraction of the maximum. */
  readonly ofMost: number;
  /** The same by processor time of the server, including late responses. */
  readonly ofMostByCpu: number;
  readonly mebibytes: number;
  readonly health: HealthReport;
}

function readOptions(): Options {
  const names = loads.map(({ name }) => name);
  return new Command('bun bench/overload/run.ts')
    .description('offers the service twice the requests that it can handle')
    .option('--rounds <N>', 'interleaved rounds of each load', wholeNumber(20), 3)
    .option('--seconds <N>', 'seconds that are counted of each run', wholeNumber(60), 8)
    .addOption(new Option('--only <NAME...>', `of ${names.join(', ')}`).choices(names))
    .parse()
    .opts<Options>();
}

/** Runs a load and measures the server's processor time, which other work hardly changes. */
async function measureLoad(
  workbench: Workbench,
  server: RunningServer,
  task: Omit<LoadTask, 'origin'>,
) {
  const before = server.cpuMilliseconds();
  const result = await runLoad(workbench, { ...task, origin: server.origin });
  const cpuMilliseconds = server.cpuMilliseconds() - before;
  server.clearLog();
  return { ...result, perCpuMillisecond: result.successes / cpuMilliseconds };
}

/** Measures the maximum, with too few connections for a refusal, then offers twice as much. */
async function overload(
  workbench: Workbench,
  load: Load,
  authorization: string,
  seconds: number,
  server: RunningServer,
): Promise<Round> {
  const task = { authorization, load: load.name, settleSeconds: SETTLE_SECONDS, seconds };
  const connections = load.busyConnections;
  const closed = await measureLoad(workbench, server, { ...task, perSecond: 0, connections });
  const most = (closed.good + closed.late) / seconds;
  if (most === 0) throw new Error(`no request of ${load.name} got a response in ${seconds} s`);
  await using health = startHealthProbe(server.origin);
  const result = await measureLoad(workbench, server, {
    ...task,
    perSecond: FACTOR * most,
    connections: Math.min(CONNECTIONS_MAX, Math.ceil(most * load.connectionSeconds)),
  });
  return {
    ...result,
    most,
    ofMost: result.good / seconds / most,
    ofMostByCpu: result.perCpuMillisecond / closed.perCpuMillisecond,
    mebibytes: residentOf(server.pid).now,
    health: health.report(),
  };
}

function tableOf(ways: readonly Way[]): string {
  const header = [
    ...[
      '',
      'M, responses/s',
      'good ÷ M',
      'by CPU time',
      'refused',
      'not sent',
      'late',
      'connections',
    ],
    ...['accepted p50 ms', 'p99', 'refused p50 ms', 'p99', 'MiB'],
    ...['probes later than 1 s', 'failed probes', 'slowest ms'],
  ];
  const whole = (n: number) => Math.round(n).toLocaleString('en');
  const hundredths = (n: number) => n.toFixed(2);
  const percent = (n: number) => `${Math.round(n * 100)} %`;
  const rows = ways.map(({ name, rounds }) => {
    const cell = (value: (round: Round) => number, format = whole) =>
      spreadText(spreadOf(rounds.map(value)), format);
    return [
      name,
      cell(({ most }) => most),
      ...[
        cell(({ ofMost }) => ofMost, hundredths),
        cell(({ ofMostByCpu }) => ofMostByCpu, hundredths),
      ],
      ...(['refused', 'unsent', 'late'] as const).map((name_) =>
        cell((round) => round[name_] / round.offered, percent),
      ),
      cell(({ connections }) => connections),
      ...[cell(({ accepted }) => accepted.p50), cell(({ accepted }) => accepted.p99)],
      ...[cell(({ refusals }) => refusals.p50), cell(({ refusals }) => refusals.p99)],
      cell(({ mebibytes }) => mebibytes),
      cell(({ health }) => health.late / health.asked, percent),
      cell(({ health }) => health.failed / health.asked, percent),
      cell(({ health }) => health.slowestMs),
    ];
  });
  return markdownTable(header, rows);
}

async function run(): Promise<void> {
  const options = readOptions();
  const { taskset } = findPrograms('taskset');
  await using workbench = openWorkbench(taskset);
  const database = `sqlite:${join(workbench.folder, 'animals.db')}`;
  await createDatabase(database, ANIMALS);
  const authorization = await createAuthorization(workbench, database);
  const guarded = await startOurs(workbench, database);
  const unguarded = await startOurs(workbench, database, {
    name: 'unguarded',
    settings: UNGUARDED,
  });
  for (const load of loads.filter(({ name }) => options.only?.includes(name) ?? true)) {
    const ways: Way[] = [
      { name: 'as shipped', server: guarded, rounds: [] },
      { name: 'without shedding', server: unguarded, rounds: [] },
    ];
    for (let round = 0; round < options.rounds; round++) {
      for (const { name, server, rounds } of round % 2 === 0 ? ways : ways.toReversed()) {
        const { seconds } = options;
        const result = await overload(workbench, load, authorization, seconds, server);
        rounds.push(result);
        process.stderr.write(`${load.name} ${round + 1}, ${name}: ${JSON.stringify(result)}\n`);
      }
    }
    process.stdout.write(`\n${load.name}: ${load.title}\n\n${tableOf(ways)}\n`);
  }
}

await run();
