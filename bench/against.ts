/**
 * `bun bench/against.ts TREE`: this tree and another checked-out one behind sockets, in turns, each on
 * a database that it has made.
 */

import { Database } from 'bun:sqlite';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import type { Contender } from './contenders/contender.ts';
import { createAuthorization, startOurs } from './contenders/ours.ts';
import { withOwnCursors } from './cursors.ts';
import { publish } from './day.ts';
import { ANIMALS } from './kinds.ts';
import { measure } from './measure.ts';
import { wholeNumber } from './options.ts';
import { sectionOf } from './report.ts';
import { findPrograms } from './requirements.ts';
import { adds, comparisons } from './scenarios.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

/** The tree of this file. */
const HERE = join(import.meta.dir, '..');

/** A checked-out tree with a database that it has made, since its schema may differ from ours. */
interface Tree {
  readonly main: string;
  readonly database: string;
  readonly authorization: string;
}

/** Lets a tree make its database, and a key for it. */
async function prepareTree(workbench: Workbench, name: string, tree: string): Promise<Tree> {
  const database = join(workbench.folder, `${name.replace(/\W+/g, '-')}.db`);
  // In a process of its own, with the modules of that tree.
  const create = `import { createDatabase } from ${JSON.stringify(join(tree, 'bench/animals.ts'))};
    await createDatabase(${JSON.stringify(`sqlite:${database}`)}, ${ANIMALS});`;
  const { exitCode } = await workbench.run([process.execPath, '--eval', create]);
  if (exitCode !== 0) throw new Error(`${tree} made no database`);
  const main = join(tree, 'src/main.ts');
  const authorization = await createAuthorization(workbench, `sqlite:${database}`, main);
  return { main, database, authorization };
}

interface Options {
  readonly rounds: number;
  readonly seconds: number;
  readonly only: readonly string[];
}

const all = comparisons.flatMap(({ scenarios }) => scenarios);
const names = all.map(({ name }) => name);
const command = new Command('bun bench/against.ts')
  .description('processor time of a response in this tree and in another one')
  .argument('<TREE>', 'the folder of the other tree, with its packages installed')
  .option('--rounds <N>', 'interleaved rounds', wholeNumber(50), 9)
  .option('--seconds <N>', 'seconds of load on each in a round', wholeNumber(60), 1)
  .addOption(new Option('--only <NAME...>', 'loads').choices(names).default(['get', 'spread']))
  .parse();
const { rounds, seconds, only } = command.opts<Options>();
const scenarios = all.filter(({ name }) => only.includes(name));
const programs = findPrograms('taskset', 'wrk');
await using workbench = openWorkbench(programs.taskset);
const options = { rounds, seconds, only: undefined, peers: undefined };
const contenders = [
  await startTree('this tree', HERE),
  await startTree('the other tree', resolve(command.args[0] ?? '')),
];
const measured = await measure({ workbench, wrk: programs.wrk, options }, contenders);
for (const scenario of scenarios) {
  const result = { scenario, measured: measured.get(scenario.name) ?? [] };
  process.stdout.write(`\n${sectionOf(result)}`);
}

/** Counts without the code of this tree, which may know another schema. */
function countIn(path: string): number {
  using database = new Database(path, { readonly: true });
  const row = database.query<{ n: number }, []>('SELECT count(*) AS n FROM pets').get();
  return row?.n ?? 0;
}

async function startTree(name: string, tree: string): Promise<Contender> {
  const { main, database, authorization } = await prepareTree(workbench, name, tree);
  const address = `sqlite:${database}`;
  const server = await startOurs(workbench, address, { name, main });
  if (scenarios.some(({ changes }) => changes)) await publish(server.origin, authorization);
  const loads = await withOwnCursors(scenarios, server.origin, authorization);
  const countStored = async () => countIn(database);
  return {
    name,
    server,
    scenarios: loads,
    authorization,
    ...(loads.some(adds) && { countStored }),
  };
}
