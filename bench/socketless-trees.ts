/**
 * `bun bench/socketless-trees.ts [--load NAME] [--against TREE]`: the processor time of a response without a
 * socket, 32 requests at a time; of another checked-out tree as well, in turns, each in its own process
 * with its own database.
 */
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { wholeNumber } from './options.ts';
import { findPrograms } from './requirements.ts';
import { comparisons } from './scenarios.ts';
import { spreadOf, spreadText } from './statistics.ts';
import { HERE, prepareTree, SOCKETLESS } from './trees.ts';
import { openWorkbench, SERVER_CORE, type Workbench } from './workbench.ts';

const GROUPS_A_ROUND = 32;
const WARM_UP_GROUPS = 900;

/** A tree that is measured, and its results in microseconds. */
interface Way {
  readonly name: string;
  readonly rounds: number[];
  /** Sends groups of requests. Returns the processor time of a response. */
  send(groups: number): Promise<number>;
}

interface Options {
  readonly load: string;
  readonly against: string | undefined;
  readonly rounds: number;
}

/** Starts a tree on a database that it has made. */
async function startWay(
  workbench: Workbench,
  taskset: string,
  name: string,
  tree: string,
  load: string,
): Promise<Way> {
  const { database, authorization } = await prepareTree(workbench, name, tree);
  let answer = Promise.withResolvers<number>();
  const child = Bun.spawn(
    [
      ...[taskset, '-c', String(SERVER_CORE), process.execPath, SOCKETLESS],
      ...[tree, database, load, authorization],
    ],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      ipc: (microseconds: number) => answer.resolve(microseconds),
      onExit: () => answer.reject(new Error(`the process of ${tree} ended`)),
    },
  );
  workbench.use({
    async [Symbol.asyncDispose]() {
      answer.promise.catch(() => {});
      child.kill('SIGKILL');
      await child.exited;
    },
  });
  await answer.promise;
  const send = (groups: number) => {
    answer = Promise.withResolvers<number>();
    child.send(groups);
    return answer.promise;
  };
  await send(WARM_UP_GROUPS);
  return { name, rounds: [], send };
}

const names = comparisons.flatMap(({ scenarios }) => scenarios.map(({ name }) => name));
const { load, against, rounds } = new Command('bun bench/socketless-trees.ts')
  .description('the processor time of a response without a socket')
  .addOption(new Option('--load <NAME>', 'the requests').choices(names).default('create'))
  .option('--against <TREE>', 'the folder of another checked-out tree, with its packages installed')
  .option('--rounds <N>', '1,024 requests to each tree in turn', wholeNumber(500), 150)
  .parse()
  .opts<Options>();
const { taskset } = findPrograms('taskset');
await using workbench = openWorkbench(taskset);
const ways = [await startWay(workbench, taskset, 'this tree', HERE, load)];
if (against !== undefined) {
  ways.push(await startWay(workbench, taskset, 'the other tree', resolve(against), load));
}
for (let round = 0; round < rounds; round++) {
  // Each is the first of every other round.
  const turns = round % 2 === 0 ? ways : ways.toReversed();
  for (const way of turns) way.rounds.push(await way.send(GROUPS_A_ROUND));
}
for (const way of ways) {
  const spread = spreadText(spreadOf(way.rounds), (value) => value.toFixed(1));
  process.stdout.write(`${load}, ${way.name}: ${spread} µs of processor time\n`);
}
const [here, other] = ways;
if (here !== undefined && other !== undefined) {
  const ratios = here.rounds.map((time, round) => time / (other.rounds[round] ?? Number.NaN));
  const spread = spreadText(spreadOf(ratios), (value) => value.toFixed(2));
  process.stdout.write(`this tree ÷ the other tree: ${spread}, ${rounds} rounds in turn\n`);
}
