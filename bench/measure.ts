import type { Contender } from './contenders/contender.ts';
import { untilIdle } from './idle.ts';
import { CONNECTIONS, type LoadResult, sendLoad } from './load.ts';
import type { BenchOptions } from './options.ts';
import { startSampler } from './sampler.ts';
import { requestOf } from './scenarios.ts';
import { sendRequest } from './wire.ts';
import type { Workbench } from './workbench.ts';

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

/** One contender's rounds in order. */
export interface Measured {
  readonly name: string;
  readonly rounds: readonly Round[];
  /** The number of responses that were sampled during the load, all of them correct. */
  readonly samples: number;
  /** Why rounds are missing: a peer failed. */
  readonly failure: string | undefined;
}

/** A contender and its results so far. */
interface Tally {
  readonly contender: Contender;
  readonly rounds: Round[];
  /** Size of status line, headers and body of its first response. */
  responseBytes: number;
  animalsBefore: number;
  runs: number;
  acknowledged: number;
  samples: number;
  failure: string | undefined;
}

const WARM_UP_SECONDS = 2;
/** Allowed difference between the mean size and the first response: ids and counts grow. */
const SIZE_TOLERANCE = 0.03;
/** After this many requests no further round starts, whatever the options say. */
const REQUESTS_MAX = 50_000_000;

/** Measures a scenario: every round sends the load to each contender in turn. */
export async function measure(
  bench: Bench,
  contenders: readonly Contender[],
): Promise<readonly Measured[]> {
  const tallies = contenders.map(createTally);
  for (const tally of tallies) {
    await unlessFailed(tally, async () => {
      await beginTally(tally);
      await measureOnce(bench, tally, WARM_UP_SECONDS);
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
    const [name] = contenders.map(({ scenario }) => scenario.name);
    process.stderr.write(`${name} ${round + 1}/${rounds}: ${figures.join(', ')}\n`);
  }
  for (const tally of tallies) await unlessFailed(tally, () => checkAdditions(tally));
  return tallies.map(({ contender: { name }, rounds, samples, failure }) => {
    return { name, rounds, samples, failure };
  });
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

function createTally(contender: Contender): Tally {
  return {
    ...{ contender, rounds: [], responseBytes: 0, animalsBefore: 0 },
    ...{ runs: 0, acknowledged: 0, samples: 0, failure: undefined },
  };
}

/** Sends one request for the size of a response, and counts the animals before the load. */
async function beginTally(tally: Tally): Promise<void> {
  const { name, server, scenario, authorization, countStored } = tally.contender;
  const response = await sendRequest(server.origin, requestOf(scenario, authorization));
  if (response.status !== scenario.status) {
    throw new Error(`${name} responded with ${response.status} ${response.body}`);
  }
  tally.responseBytes = response.bytes;
  // Some peers respond before they store.
  await untilIdle(server);
  tally.animalsBefore = (await countStored?.()) ?? 0;
}

async function measureOnce(
  { workbench, wrk }: Bench,
  tally: Tally,
  seconds: number,
): Promise<Round> {
  const { server, scenario, authorization, engines = [] } = tally.contender;
  const watched = [server, ...engines].map(startWatch);
  const sampler = startSampler(server.origin, scenario, authorization);
  const load = sendLoad(workbench, wrk, server.origin, scenario.load, authorization, seconds);
  await Promise.allSettled([load]);
  // A wrong response says more than the counts of the load, so it is reported first.
  const samples = await sampler.stop();
  const result = await load;
  const responses = result.requests + samples;
  const [cpuMicroseconds = 0, ...ofEngines] = watched.map((read) => (read() * 1_000) / responses);
  await untilIdle(server);
  server.clearLog();
  tally.runs++;
  tally.samples += samples;
  tally.acknowledged += responses;
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

/** Every acknowledged addition must be stored. Those cut off at the end of a run may be. */
async function checkAdditions({
  contender,
  animalsBefore,
  acknowledged,
  runs,
}: Tally): Promise<void> {
  if (contender.countStored === undefined) return;
  const added = (await contender.countStored()) - animalsBefore;
  if (added >= acknowledged && added <= acknowledged + runs * CONNECTIONS) return;
  throw new Error(`${contender.name} acknowledged ${acknowledged} additions and stored ${added}`);
}

function progressText({ contender, rounds }: Tally): string {
  return `${contender.name} ${Math.round(rounds.at(-1)?.perSecond ?? 0).toLocaleString('en')}/s`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
