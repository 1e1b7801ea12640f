/** `npm run bench`: compares our service with others; see bench/README.md. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { aimsSection } from './aims.ts';
import { createDatabase } from './animals.ts';
import { chartOf } from './chart.ts';
import { compare, type Databases, type RunPrograms } from './compare.ts';
import { ON_ENGINES } from './contenders/contender.ts';
import { createAuthorization, startOurs } from './contenders/ours.ts';
import { reasonWithoutEngines, startShared } from './contenders/postgres-valkey.ts';
import { ANIMALS } from './kinds.ts';
import { CONNECTIONS } from './load.ts';
import { type BenchOptions, readOptions } from './options.ts';
import { describePeers } from './peers/peers.ts';
import { type ScenarioResult, sectionOf } from './report.ts';
import { findPrograms, versionsText } from './requirements.ts';
import { adds, type Comparison, comparisons } from './scenarios.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

const RESULTS = join(import.meta.dir, 'RESULTS.md');
const CHART = join(import.meta.dir, '../docs/images/bench.svg');

async function run(): Promise<void> {
  const options = readOptions();
  const programs = findPrograms('taskset', 'wrk', 'nginx');
  await using workbench = openWorkbench(programs.taskset);
  const databases = await createDatabases(workbench);
  const address = `sqlite:${databases.ours}`;
  const authorization = await createAuthorization(workbench, address);
  copyFileSync(databases.ours, databases.pristine);
  const bench = { workbench, wrk: programs.wrk, options };
  const ours = await startOurs(workbench, address);
  const reason = reasonWithoutEngines();
  const leftOut = reason === undefined ? '' : `Left out: ${ON_ENGINES}: ${reason}.\n\n`;
  process.stdout.write(leftOut);
  const shared = reason === undefined ? await startShared(workbench) : undefined;
  const setting = { bench, programs, authorization, databases, ours, shared };
  const chosen = comparisons.filter(({ name }) => options.only?.includes(name) ?? true);
  const results = new Map<Comparison, readonly ScenarioResult[]>();
  for (const comparison of readsFirst(chosen)) {
    const measured = await compare(setting, comparison);
    process.stdout.write(`\n${measured.map(sectionOf).join('\n')}\n`);
    results.set(comparison, measured);
  }
  const inOrder = comparisons.flatMap((comparison) => results.get(comparison) ?? []);
  process.stdout.write(`\n${aimsSection(inOrder)}`);
  if (options.only !== undefined || options.peers !== undefined) return;
  await writeResults(options, programs, leftOut, inOrder);
}

/** Those that change the database come last. */
function readsFirst(chosen: readonly Comparison[]): readonly Comparison[] {
  return chosen.toSorted((a, b) => Number(a.scenarios.some(adds)) - Number(b.scenarios.some(adds)));
}

/** Creates a database with the animals. */
async function createDatabases({ folder }: Workbench): Promise<Databases> {
  const databases = { ours: join(folder, 'ours.db'), pristine: join(folder, 'pristine.db') };
  await createDatabase(`sqlite:${databases.ours}`, ANIMALS);
  return databases;
}

async function writeResults(
  { rounds, seconds }: BenchOptions,
  programs: RunPrograms,
  leftOut: string,
  results: readonly ScenarioResult[],
): Promise<void> {
  const text = `# Results

Measured on ${new Date().toISOString().slice(0, 10)} with ${versionsText(programs)}, by

    npm run bench -- --rounds ${rounds} --seconds ${seconds}

Medians of ${rounds} interleaved rounds of ${seconds} s each, with the quartiles in parentheses;
${ANIMALS.toLocaleString('en')} animals; servers on one core, one at a time, and the load with
${CONNECTIONS} connections on another. README.md explains the columns.

${leftOut}${aimsSection(results)}
${results.map(sectionOf).join('\n')}
${describePeers()}`;
  await Bun.write(RESULTS, text);
  const pictured = comparisons.flatMap(({ pictured }) => pictured);
  await Bun.write(CHART, chartOf(results.filter(({ scenario }) => pictured.includes(scenario))));
  process.stdout.write(`Written to ${RESULTS} and ${CHART}\n`);
}

await run();
