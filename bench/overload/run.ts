/**
 * `bun bench/overload/run.ts`: what the service does with twice the requests that it can answer,
 * as shipped and without its guard; see docs/decisions/0011-overload.md.
 */
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { createDatabase } from '../animals.ts';
import { createAuthorization, startOurs } from '../contenders/ours.ts';
import { wholeNumber } from '../options.ts';
import { findPrograms } from '../requirements.ts';
import { residentOf } from '../resident-memory.ts';
import { ANIMALS } from '../scenarios.ts';
import { spreadOf, spreadText } from '../statistics.ts';
import { markdownTable } from '../table.ts';
import { openWorkbench, type RunningServer, type Workbench } from '../workbench.ts';
import { type CrowdResult, type CrowdTask, sendCrowd } from './crowd.ts';
import { type Load, loads } from './loads.ts';

/** Settings under which nothing is refused. */
const UNGUARDED = ['--max-queue-ms', '3600000', '--max-in-progress', '1000000'];
/** How many times what can be answered is offered. */
const FACTOR = 2;
/** Each side needs a file for each. */
const CONNECTIONS_MAX = 16_000;
const SETTLE_SECONDS = 2;

interface Options {
  readonly rounds: number;
  readonly seconds: number;
  readonly only: readonly string[] | undefined;
}

/** One way to run the service, and what came of it round by round. */
interface Way {
  readonly name: string;
  readonly server: RunningServer;
  readonly rounds: Round[];
}

interface Round extends CrowdResult {
  /** Answers a second that the same server gave just before, its connections always busy. */
  readonly most: number;
  /** Good answers, of the most. */
  readonly ofMost: number;
  /** The same from the time that the server's processor worked, late answers too. */
  readonly ofMostByCpu: number;
  readonly mebibytes: number;
}

function readOptions(): Options {
  const names = loads.map(({ name }) => name);
  return new Command('bun bench/overload/run.ts')
    .description('offers the service twice what it can answer')
    .option('--rounds <N>', 'interleaved rounds of each load', wholeNumber(20), 3)
    .option('--seconds <N>', 'seconds that are counted of each run', wholeNumber(60), 8)
    .addOption(new Option('--only <NAME...>', `of ${names.join(', ')}`).choices(names))
    .parse()
    .opts<Options>();
}

/** A crowd, and what its successes took of the server's core: other work hardly changes that. */
async function crowd(workbench: Workbench, server: RunningServer, task: Omit<CrowdTask, 'origin'>) {
  const before = server.cpuMilliseconds();
  const result = await sendCrowd(workbench, { ...task, origin: server.origin });
  const cpuMilliseconds = server.cpuMilliseconds() - before;
  server.clearLog();
  return { ...result, perCpuMillisecond: result.successes / cpuMilliseconds };
}

/** The most that can be answered, by whoever refuses nothing, and then twice as much. */
async function overload(
  workbench: Workbench,
  load: Load,
  authorization: string,
  seconds: number,
  unguarded: RunningServer,
  server: RunningServer,
): Promise<Round> {
  const task = { authorization, load: load.name, settleSeconds: SETTLE_SECONDS, seconds };
  const connections = load.busyConnections;
  const closed = await crowd(workbench, unguarded, { ...task, perSecond: 0, connections });
  const most = (closed.good + closed.late) / seconds;
  if (most === 0) throw new Error(`nothing of ${load.name} was answered in ${seconds} s`);
  const result = await crowd(workbench, server, {
    ...{ ...task, perSecond: FACTOR * most },
    connections: Math.min(CONNECTIONS_MAX, Math.ceil(most * load.crowdSeconds)),
  });
  return {
    ...{ ...result, most, ofMost: result.good / seconds / most },
    ofMostByCpu: result.perCpuMillisecond / closed.perCpuMillisecond,
    mebibytes: residentOf(server.pid).now,
  };
}

function tableOf(ways: readonly Way[]): string {
  const header = [
    ...[
      '',
      'M, answers/s',
      'good ÷ M',
      'by CPU time',
      'refused',
      'not sent',
      'late',
      'connections',
    ],
    ...['accepted p50 ms', 'p99', 'refused p50 ms', 'p99', 'MiB'],
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
      { name: 'without the guard', server: unguarded, rounds: [] },
    ];
    for (let round = 0; round < options.rounds; round++) {
      for (const { name, server, rounds } of round % 2 === 0 ? ways : ways.toReversed()) {
        const { seconds } = options;
        const result = await overload(
          ...([workbench, load, authorization, seconds, unguarded, server] as const),
        );
        rounds.push(result);
        process.stderr.write(`${load.name} ${round + 1}, ${name}: ${JSON.stringify(result)}\n`);
      }
    }
    process.stdout.write(`\n${load.name}: ${load.title}\n\n${tableOf(ways)}\n`);
  }
}

await run();
