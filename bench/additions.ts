/**
 * `bun bench/additions.ts [--against TREE]`: the processor time of an addition without a socket, 32 at a
 * time; of another checked-out tree as well, in turns, each in its own process with its own database.
 */
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { createAuthorization } from './contenders/ours.ts';
import { wholeNumber } from './options.ts';
import { findPrograms } from './requirements.ts';
import { spreadOf, spreadText } from './statistics.ts';
import { openWorkbench, SERVER_CORE, type Workbench } from './workbench.ts';

const PROGRAM = join(import.meta.dir, 'addition-process.ts');
const HERE = join(import.meta.dir, '..');
const GROUPS_A_ROUND = 32;
const WARM_UP_GROUPS = 900;

/** A tree whose additions are measured, and its results in microseconds. */
interface Way {
  readonly name: string;
  readonly rounds: number[];
  /** Adds groups of animals. Returns the processor time of an addition. */
  add(groups: number): Promise<number>;
}

interface Options {
  readonly against: string | undefined;
  readonly rounds: number;
}

/** Starts the additions of a tree on a database that this tree has made. */
async function startWay(
  workbench: Workbench,
  taskset: string,
  name: string,
  tree: string,
): Promise<Way> {
  const database = join(workbench.folder, `${name.replace(/\W+/g, '-')}.db`);
  const { exitCode } = await workbench.run([process.execPath, PROGRAM, tree, database]);
  if (exitCode !== 0) throw new Error(`${tree} made no database`);
  const main = join(tree, 'src/main.ts');
  const authorization = await createAuthorization(workbench, `sqlite:${database}`, main);
  let answer = Promise.withResolvers<number>();
  const child = Bun.spawn(
    [
      ...[taskset, '-c', String(SERVER_CORE), process.execPath, PROGRAM],
      ...[tree, database, authorization],
    ],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      ipc: (microseconds: number) => answer.resolve(microseconds),
      onExit: () => answer.reject(new Error(`the additions of ${tree} ended`)),
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
  const add = (groups: number) => {
    answer = Promise.withResolvers<number>();
    child.send(groups);
    return answer.promise;
  };
  await add(WARM_UP_GROUPS);
  return { name, rounds: [], add };
}

const { against, rounds } = new Command('bun bench/additions.ts')
  .description('the processor time of an addition without a socket')
  .option('--against <TREE>', 'the folder of another checked-out tree, with its packages installed')
  .option('--rounds <N>', '1,024 additions of each tree in turn', wholeNumber(500), 150)
  .parse()
  .opts<Options>();
const { taskset } = findPrograms('taskset');
await using workbench = openWorkbench(taskset);
const ways = [await startWay(workbench, taskset, 'this tree', HERE)];
if (against !== undefined) {
  ways.push(await startWay(workbench, taskset, 'the other tree', resolve(against)));
}
for (let round = 0; round < rounds; round++) {
  // Each is the first of every other round.
  const turns = round % 2 === 0 ? ways : ways.toReversed();
  for (const way of turns) way.rounds.push(await way.add(GROUPS_A_ROUND));
}
for (const way of ways) {
  const spread = spreadText(spreadOf(way.rounds), (value) => value.toFixed(1));
  process.stdout.write(`an addition in ${way.name}: ${spread} µs of processor time\n`);
}
const [here, other] = ways;
if (here !== undefined && other !== undefined) {
  const ratios = here.rounds.map((time, round) => time / (other.rounds[round] ?? Number.NaN));
  const spread = spreadText(spreadOf(ratios), (value) => value.toFixed(2));
  process.stdout.write(`this tree ÷ the other tree: ${spread}, ${rounds} rounds in turn\n`);
}
