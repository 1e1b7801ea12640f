/** `npm run bench`: our service against others in one run; see bench/README.md. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase } from './animals.ts';
import { startConstant } from './contenders/constant.ts';
import type { Contender } from './contenders/contender.ts';
import { startNginx } from './contenders/nginx.ts';
import { createAuthorization, startOurs } from './contenders/ours.ts';
import { reasonWithoutEngines, type SharedOurs, startShared } from './contenders/shared.ts';
import { startSingleCommit } from './contenders/single-commit.ts';
import { startUnlimited } from './contenders/unlimited.ts';
import { CONNECTIONS } from './load.ts';
import { type Bench, measure } from './measure.ts';
import { type BenchOptions, readOptions } from './options.ts';
import { type ScenarioResult, sectionOf } from './report.ts';
import { findPrograms, MissingRequirement, type Programs, versionsText } from './requirements.ts';
import { ANIMALS, requestOf, type Scenario, scenarios } from './scenarios.ts';
import { askRaw, type WireAnswer } from './wire.ts';
import { openWorkbench, type RunningServer, type Workbench } from './workbench.ts';

const ON_ENGINES = 'ours on PostgreSQL and Valkey';
const RESULTS = join(import.meta.dir, 'RESULTS.md');

/** The database files of a run. */
interface Databases {
  readonly ours: string;
  readonly singleCommit: string;
}

async function run(): Promise<void> {
  const options = readOptions();
  const programs = findPrograms();
  const workbench = openWorkbench(programs.taskset);
  try {
    const databases = await createDatabases(workbench);
    const address = `sqlite:${databases.ours}`;
    const authorization = await createAuthorization(workbench, address);
    const bench = { workbench, wrk: programs.wrk, authorization, options };
    const ours = await startOurs(workbench, address);
    const reason = reasonWithoutEngines();
    const leftOut = reason === undefined ? '' : `Left out: ${ON_ENGINES}: ${reason}.\n\n`;
    process.stdout.write(leftOut);
    await using shared = reason === undefined ? await startShared(workbench) : undefined;
    const chosen = scenarios.filter(({ name }) => options.only?.includes(name) ?? true);
    const results: ScenarioResult[] = [];
    for (const scenario of chosen) {
      const result = await compare(bench, programs, scenario, ours, databases, shared);
      process.stdout.write(`\n${sectionOf(result)}\n`);
      results.push(result);
    }
    if (options.only === undefined) await writeResults(options, programs, leftOut, results);
  } finally {
    await workbench.close();
  }
}

/** Both hold the same animals. */
async function createDatabases({ folder }: Workbench): Promise<Databases> {
  const databases = { ours: join(folder, 'ours.db'), singleCommit: join(folder, 'single.db') };
  await createDatabase(`sqlite:${databases.ours}`, ANIMALS);
  copyFileSync(databases.ours, databases.singleCommit);
  return databases;
}

/** Starts those that our service is compared with, measures all of them, and stops them. */
async function compare(
  bench: Bench,
  programs: Programs,
  scenario: Scenario,
  ours: RunningServer,
  databases: Databases,
  shared: SharedOurs | undefined,
): Promise<ScenarioResult> {
  const request = requestOf(scenario, bench.authorization);
  const answer = await askRaw(ours.origin, request);
  if (answer.status !== scenario.status) throw new Error(`ours: ${answer.status} ${answer.body}`);
  const adds = scenario.load.method === 'POST';
  const { isRight } = scenario;
  const contenders: Contender[] = [
    { name: 'ours', server: ours, isRight, ...(adds && { database: `sqlite:${databases.ours}` }) },
    ...(await startConstants(bench, programs, answer)),
  ];
  if (adds) {
    const server = await startSingleCommit(bench.workbench, answer, databases.singleCommit);
    const database = `sqlite:${databases.singleCommit}`;
    contenders.push({ name: 'one transaction a request', server, isRight, database });
  }
  if (shared !== undefined) {
    const { server, authorization, engines, database } = shared;
    const own = { authorization, engines, ...(adds && { database }) };
    contenders.push({ name: ON_ENGINES, server, isRight, ...own });
  }
  for (const { name, server, authorization = bench.authorization } of contenders) {
    const { bytes } = await askRaw(server.origin, requestOf(scenario, authorization));
    if (bytes !== answer.bytes)
      throw new Error(`${name} answers ${bytes} bytes, not ${answer.bytes}`);
  }
  if (scenario.name === 'list') {
    const server = await startUnlimited(bench.workbench, databases.ours);
    contenders.push({ name: 'ours without counting', server, isRight });
  }
  const measured = await measure(bench, scenario, contenders, answer.bytes);
  for (const { server } of contenders) {
    if (server !== ours && server !== shared?.server) await server.stop();
  }
  return { scenario, answerBytes: answer.bytes, measured };
}

/** The two that return our answer without working for it. */
async function startConstants(
  { workbench }: Bench,
  { nginx }: Programs,
  answer: WireAnswer,
): Promise<Contender[]> {
  const expected: unknown = JSON.parse(answer.body);
  const isRight = (_path: string, body: unknown) => Bun.deepEquals(body, expected, true);
  return [
    { name: 'nginx, constant', server: await startNginx(workbench, nginx, answer), isRight },
    { name: 'bare Bun.serve, constant', server: await startConstant(workbench, answer), isRight },
  ];
}

async function writeResults(
  { rounds, seconds }: BenchOptions,
  programs: Programs,
  leftOut: string,
  results: readonly ScenarioResult[],
): Promise<void> {
  const text = `# Results

Measured on ${new Date().toISOString().slice(0, 10)} with ${versionsText(programs)}, by

    npm run bench -- --rounds ${rounds} --seconds ${seconds}

Medians of ${rounds} interleaved rounds of ${seconds} s each, least and greatest in brackets;
${ANIMALS.toLocaleString('en')} animals; servers on one core, one at a time, and the load with
${CONNECTIONS} connections on another. What the columns mean: README.md.

${leftOut}${results.map(sectionOf).join('\n')}`;
  await Bun.write(RESULTS, text);
  process.stdout.write(`Written to ${RESULTS}\n`);
}

try {
  await run();
} catch (error) {
  if (!(error instanceof MissingRequirement)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
