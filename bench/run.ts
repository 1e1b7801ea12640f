/** `npm run bench`: compares our service with others; see bench/README.md. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { countAnimals, createDatabase } from './animals.ts';
import { chartOf } from './chart.ts';
import { startConstant } from './contenders/constant.ts';
import type { Contender } from './contenders/contender.ts';
import { startNginx } from './contenders/nginx.ts';
import { createAuthorization, startOurs } from './contenders/ours.ts';
import {
  reasonWithoutEngines,
  type SharedOurs,
  startShared,
} from './contenders/postgres-valkey.ts';
import { startSingleCommit } from './contenders/single-commit.ts';
import { startUnlimited } from './contenders/unlimited.ts';
import { CONNECTIONS } from './load.ts';
import { type Bench, measure } from './measure.ts';
import { type BenchOptions, readOptions } from './options.ts';
import { describePeers, startPeers } from './peers/start.ts';
import { type ScenarioResult, sectionOf } from './report.ts';
import { findPrograms, type Programs, versionsText } from './requirements.ts';
import { ANIMALS, requestOf, type Scenario, scenarios } from './scenarios.ts';
import { sendRequest, type WireResponse } from './wire.ts';
import { openWorkbench, type RunningServer, type Workbench } from './workbench.ts';

const ON_ENGINES = 'ours on PostgreSQL and Valkey';
const RESULTS = join(import.meta.dir, 'RESULTS.md');
const CHART = join(import.meta.dir, '../docs/images/bench.svg');

type RunPrograms = Programs<'taskset' | 'wrk' | 'nginx'>;

/** The database files of a run. */
interface Databases {
  readonly ours: string;
  readonly singleCommit: string;
  /** Never changed; peers work on copies of it. */
  readonly pristine: string;
}

/** The setup shared by all scenarios. */
interface Setting {
  readonly bench: Bench;
  readonly programs: RunPrograms;
  readonly authorization: string;
  readonly databases: Databases;
  readonly ours: RunningServer;
  readonly shared: SharedOurs | undefined;
}

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
  const chosen = scenarios.filter(({ name }) => options.only?.includes(name) ?? true);
  const results: ScenarioResult[] = [];
  for (const scenario of chosen) {
    const result = await compare(setting, scenario);
    process.stdout.write(`\n${sectionOf(result)}\n`);
    results.push(result);
  }
  if (options.only === undefined) await writeResults(options, programs, leftOut, results);
}

/** Creates two databases with the same animals. */
async function createDatabases({ folder }: Workbench): Promise<Databases> {
  const [ours = '', singleCommit = '', pristine = ''] = ['ours', 'single', 'pristine'].map((name) =>
    join(folder, `${name}.db`),
  );
  const databases = { ours, singleCommit, pristine };
  await createDatabase(`sqlite:${databases.ours}`, ANIMALS);
  copyFileSync(databases.ours, databases.singleCommit);
  return databases;
}

/** Starts all contenders, measures them, and stops them. */
async function compare(setting: Setting, scenario: Scenario): Promise<ScenarioResult> {
  const { bench, authorization, databases, ours, shared } = setting;
  const request = requestOf(scenario, authorization);
  const response = await sendRequest(ours.origin, request);
  if (response.status !== scenario.status)
    throw new Error(`ours: ${response.status} ${response.body}`);
  const adds = scenario.load.method === 'POST';
  const stored = (address: string) => adds && { countStored: () => countAnimals(address) };
  const contenders: Contender[] = [
    { name: 'ours', server: ours, scenario, authorization, ...stored(`sqlite:${databases.ours}`) },
    ...(await startConstants(setting, scenario, response)),
  ];
  if (adds) {
    const path = databases.singleCommit;
    const server = await startSingleCommit(bench.workbench, response, path);
    const name = 'one transaction a request';
    contenders.push({ name, server, scenario, authorization, ...stored(`sqlite:${path}`) });
  }
  if (shared !== undefined) {
    const { server, authorization, engines, database } = shared;
    const own = { authorization, engines, ...stored(database) };
    contenders.push({ name: ON_ENGINES, server, scenario, ...own });
  }
  for (const { name, server, authorization } of contenders) {
    const { bytes } = await sendRequest(server.origin, requestOf(scenario, authorization));
    if (bytes !== response.bytes)
      throw new Error(`${name} sends ${bytes} bytes, not ${response.bytes}`);
  }
  if (scenario.name === 'list') {
    const server = await startUnlimited(bench.workbench, databases.ours);
    contenders.push({ name: 'ours without counting', server, scenario, authorization });
  }
  const target = { workbench: bench.workbench, database: databases.pristine, authorization };
  contenders.push(...(await startPeers(target, scenario)));
  const measured = await measure(bench, contenders);
  for (const { server } of contenders) {
    if (server !== ours && server !== shared?.server) await server.stop();
  }
  return { scenario, responseBytes: response.bytes, measured };
}

/** The two contenders that return our response as a constant. */
async function startConstants(
  { bench: { workbench }, programs: { nginx }, authorization }: Setting,
  scenario: Scenario,
  response: WireResponse,
): Promise<Contender[]> {
  const expected: unknown = JSON.parse(response.body);
  const isRight = (_path: string, body: unknown) => Bun.deepEquals(body, expected, true);
  const shared = { scenario: { ...scenario, isRight }, authorization };
  return [
    { name: 'nginx, constant', server: await startNginx(workbench, nginx, response), ...shared },
    {
      name: 'bare Bun.serve, constant',
      server: await startConstant(workbench, response),
      ...shared,
    },
  ];
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

Medians of ${rounds} interleaved rounds of ${seconds} s each, with the range in parentheses;
${ANIMALS.toLocaleString('en')} animals; servers on one core, one at a time, and the load with
${CONNECTIONS} connections on another. README.md explains the columns.

${leftOut}${results.map(sectionOf).join('\n')}
${describePeers()}`;
  await Bun.write(RESULTS, text);
  await Bun.write(CHART, chartOf(results));
  process.stdout.write(`Written to ${RESULTS} and ${CHART}\n`);
}

await run();
