/** `npm run bench`: compares our service with others; see bench/README.md. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { aimsSection } from './aims.ts';
import { createDatabase } from './animals.ts';
import { compare, type Databases } from './compare.ts';
import { ON_ENGINES } from './contenders/contender.ts';
import { createAuthorization, startOurs } from './contenders/ours.ts';
import { reasonWithoutEngines, startShared } from './contenders/postgres-valkey.ts';
import { publish } from './day.ts';
import { ANIMALS } from './kinds.ts';
import { readOptions } from './options.ts';
import { type ScenarioResult, sectionOf } from './report.ts';
import { findPrograms, versionsText } from './requirements.ts';
import { adds, type Comparison, comparisons } from './scenarios.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

async function run(): Promise<void> {
  const options = readOptions();
  const programs = findPrograms('taskset', 'wrk', 'nginx');
  await using workbench = openWorkbench(programs.taskset);
  const databases = await createDatabases(workbench);
  const address = `sqlite:${databases.ours}`;
  const authorization = await createAuthorization(workbench, address);
  await publishIn(workbench, address, authorization);
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
  const { rounds, seconds } = options;
  process.stdout.write(`
Measured on ${new Date().toISOString().slice(0, 10)} with ${versionsText(programs)}: medians of ${rounds}
rounds of ${seconds} s each, with the quartiles in parentheses.

${aimsSection(inOrder)}`);
}

/** Those that change the database come last. */
function readsFirst(chosen: readonly Comparison[]): readonly Comparison[] {
  return chosen.toSorted((a, b) => Number(a.scenarios.some(adds)) - Number(b.scenarios.some(adds)));
}

/** Publishes animals, in a service that is stopped again. */
async function publishIn(workbench: Workbench, address: string, authorization: string) {
  const server = await startOurs(workbench, address);
  await publish(server.origin, authorization);
  await server.stop();
}

/** Creates a database with the animals. */
async function createDatabases({ folder }: Workbench): Promise<Databases> {
  const databases = { ours: join(folder, 'ours.db'), pristine: join(folder, 'pristine.db') };
  await createDatabase(`sqlite:${databases.ours}`, ANIMALS);
  return databases;
}

await run();
