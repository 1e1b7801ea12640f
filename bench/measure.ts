import type { Contender } from './contenders/contender.ts';
import { startChanges } from './day.ts';
import { contentOf, type Kind, requestOf } from './kinds.ts';
import { type LoadResult, sendLoad } from './load.ts';
import type { BenchOptions } from './options.ts';
import { startSampler } from './sampler.ts';
import type { Scenario } from './scenarios.ts';
import { sendRequest } from './wire.ts';
import type { RunningServer, Workbench } from './workbench.ts';

const POLL_MS = 100;
/** Milliseconds per 100 ms; below the resolution of Linux. */
const IDLE_MS = 10;
const TIMEOUT_MS = 30_000;

/**
 * Waits until a server is idle. Otherwise it would still work through the end of its load on the core
 * where the next server is measured.
 */
async function untilIdle({ cpuMilliseconds }: RunningServer): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  let before = cpuMilliseconds();
  while (performance.now() < deadline) {
    await Bun.sleep(POLL_MS);
    const now = cpuMilliseconds();
    if (now - before <= IDLE_MS) return;
    before = now;
  }
  throw new Error(`the server was still busy ${TIMEOUT_MS / 1_000} s after the load`);
}

/** The tools of a run. */
export interface Bench {
  readonly workbench: Workbench;
  readonly wrk: string;
  readonly options: BenchOptions;
}

/** The results of one contender in one round. */
export interface Round extends LoadResult {
  /** The server's processor time per response; other work on its core hardly changes it. */
  readonly cpuMicroseconds: number;
  /** The same for each database engine behind the server, by name. */
  readonly engineMicroseconds: ReadonlyMap<string, number>;
}

/** One contender's rounds in a scenario, in order. */
export interface Measured {
  readonly name: string;
  readonly rounds: readonly Round[];
  /** The seconds before the first round, when much is still being compiled; undefined if they failed. */
  readonly warmUp: Round | undefined;
  /** The number of responses that were sampled during the load, all of them correct. */
  readonly samples: number;
  /** Why rounds are missing: a peer failed. */
  readonly failure: string | undefined;
}

/** A contender in one scenario, and its results so far. */
interface Tally extends Measured {
  readonly contender: Contender;
  readonly scenario: Scenario;
  readonly rounds: Round[];
  warmUp: Round | undefined;
  /** The responses of its server so far, in all scenarios. */
  readonly served: { responses: number };
  /** Expected mean size of status line, headers and body. */
  responseBytes: number;
  /** Responses of all its runs, so that a run can be bounded. */
  acknowledged: number;
  samples: number;
  failure: string | undefined;
}

export const WARM_UP_SECONDS = 2;
/** Allowed difference between the mean size and that of the first responses: ids and counts grow. */
const SIZE_TOLERANCE = 0.03;
/** After this many requests no further round starts, whatever the options say. */
const REQUESTS_MAX = 50_000_000;
/** Responses of each kind whose sizes give the expected mean. */
const SIZED = 100;

/**
 * Measures scenarios: every round sends the load of each to each contender in turn. Returns what was
 * measured by the name of the scenario.
 */
export async function measure(
  bench: Bench,
  contenders: readonly Contender[],
): Promise<ReadonlyMap<string, readonly Measured[]>> {
  const tallies = contenders.flatMap((contender) => {
    const served = { responses: 0 };
    return contender.scenarios.map((scenario) => createTally(contender, scenario, served));
  });
  for (const tally of tallies) {
    await unlessFailed(tally, async () => {
      await beginTally(tally);
      tally.warmUp = await measureOnce(bench, tally, WARM_UP_SECONDS);
    });
  }

  const { rounds, seconds } = bench.options;
  for (let round = 0; round < rounds; round++) {
    if (sum(tallies.map(({ acknowledged }) => acknowledged)) > REQUESTS_MAX) break;
    // Each round starts with a different contender, so that none always follows the same one.
    for (let turn = 0; turn < tallies.length; turn++) {
      const tally = tallies[(round + turn) % tallies.length];
      if (tally === undefined) continue;
      await unlessFailed(tally, async () => {
        const result = await measureOnce(bench, tally, seconds);
        checkSize(tally, result.bytesPerResponse);
        tally.rounds.push(result);
      });
    }
    const figures = tallies.map((tally) => progressText(tally));
    process.stderr.write(`${round + 1}/${rounds}: ${figures.join(', ')}\n`);
  }
  return Map.groupBy(tallies, ({ scenario }) => scenario.name);
}

/** Runs work for a peer. After its first failure a peer does nothing more and has no rounds. */
async function unlessFailed(tally: Tally, work: () => Promise<unknown>): Promise<void> {
  if (tally.failure !== undefined) return;
  try {
    await work();
  } catch (error) {
    if (tally.contender.isPeer !== true || !(error instanceof Error)) throw error;
    tally.failure = error.message;
    tally.rounds.length = 0;
  }
}

function createTally(contender: Contender, scenario: Scenario, served: Tally['served']): Tally {
  return {
    name: contender.name,
    contender,
    scenario,
    rounds: [],
    warmUp: undefined,
    served,
    responseBytes: 0,
    acknowledged: 0,
    samples: 0,
    failure: undefined,
  };
}

/** Checks the first responses of each kind, and takes the expected mean size from them. */
async function beginTally(tally: Tally): Promise<void> {
  const { contender, scenario } = tally;
  for (const [index, kind] of scenario.kinds.entries()) {
    const share = scenario.order.filter((step) => step === index).length / scenario.order.length;
    if (share > 0) tally.responseBytes += share * (await meanSizeOf(contender, kind));
  }
  // Some peers respond before they store.
  await untilIdle(contender.server);
}

/** Requests paths of a kind, spread over all of them. Throws if a response is wrong. */
async function meanSizeOf({ name, server, authorization }: Contender, kind: Kind): Promise<number> {
  const { length } = kind.load.paths;
  const turns = Math.min(length, SIZED);
  let bytes = 0;
  for (let turn = 0; turn < turns; turn++) {
    // One more each time, so that forms of requests that alternate all have their part.
    const index = Math.floor((turn * length) / turns) + turn;
    const request = requestOf(kind, authorization, index);
    const response = await sendRequest(server.origin, request);
    const isRight = response.status === kind.status;
    if (!isRight || !kind.isRight(request.path, contentOf(response.body))) {
      throw new Error(`${name}: ${request.path}: ${response.status} ${response.body}`);
    }
    bytes += response.bytes;
  }
  return bytes / turns;
}

async function measureOnce(
  { workbench, wrk }: Bench,
  tally: Tally,
  seconds: number,
): Promise<Round> {
  const { scenario } = tally;
  const { server, authorization, countStored, engines = [] } = tally.contender;
  const storedBefore = await countStored?.();
  const watched = [server, ...engines].map(startWatch);
  const sampler = startSampler(server.origin, scenario, authorization);
  const endChanges = scenario.changes === true && startChanges(server.origin, authorization);
  // Starts behind the last run on this server, whose responses may still be in a cache.
  const requests = { ...scenario, start: tally.served.responses };
  const load = sendLoad(workbench, wrk, server.origin, requests, authorization, seconds);
  await Promise.allSettled([load]);
  if (endChanges !== false) await endChanges();
  // A wrong response says more than the counts of the load, so it is reported first.
  const samples = await sampler.stop();
  const result = await load;
  const responses = result.requests + samples.read;
  const [cpuMicroseconds = 0, ...ofEngines] = watched.map((read) => (read() * 1_000) / responses);
  await untilIdle(server);
  server.clearLog();
  if (countStored !== undefined && storedBefore !== undefined) {
    checkAdditions(tally, result.added, (await countStored()) - storedBefore - samples.added);
  }
  tally.samples += samples.read;
  tally.acknowledged += responses;
  tally.served.responses += responses;
  const engineMicroseconds = new Map(engines.map(({ name }, n) => [name, ofEngines[n] ?? 0]));
  return { ...result, cpuMicroseconds, engineMicroseconds };
}

/** Returns a function that returns the milliseconds of processor time since now. */
function startWatch(busy: { cpuMilliseconds(): number }): () => number {
  const before = busy.cpuMilliseconds();
  return () => busy.cpuMilliseconds() - before;
}

function checkSize({ contender, responseBytes }: Tally, measured: number): void {
  if (Math.abs(measured / responseBytes - 1) <= SIZE_TOLERANCE) return;
  throw new Error(
    `${contender.name} gave ${measured} bytes per response instead of about ${responseBytes}`,
  );
}

/** Every acknowledged addition must be stored. Those in progress at the end of the load may be. */
function checkAdditions(
  { contender: { name }, scenario }: Tally,
  { least, most }: LoadResult['added'],
  stored: number,
): void {
  if (stored >= least && stored <= most) return;
  throw new Error(`${name} stored ${stored} of ${least} to ${most} additions of ${scenario.name}`);
}

function progressText({ contender, scenario, rounds }: Tally): string {
  const label =
    contender.scenarios.length > 1 ? `${contender.name} ${scenario.name}` : contender.name;
  return `${label} ${Math.round(rounds.at(-1)?.perSecond ?? 0).toLocaleString('en')}/s`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
