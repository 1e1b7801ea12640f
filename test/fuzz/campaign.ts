import { createRandom } from '../e2e/crash/random.ts';
import { type Companion, startCompanion } from './companion.ts';
import { corpus } from './corpus.ts';
import { type Crowd, gatherCrowd } from './crowd.ts';
import { deliver } from './deliver.ts';
import { randomInput, slowInput } from './generators.ts';
import { type Expected, type Input, type Step, writeSteps } from './input.ts';
import { SMUGGLED } from './smuggling.ts';
import { type Subject, startSubject } from './subject.ts';
import { verdictOf } from './verdict.ts';

/** The duration and concurrency of a search. */
export interface CampaignOptions {
  readonly seed: number;
  /** Random inputs are sent until this returns true; the corpus is always sent whole. */
  isOver(sentByChance: number): boolean;
  /** Connections that send at the same time. */
  readonly connections: number;
  /** Further connections that are slow, or stop forever. */
  readonly slowConnections: number;
  /** Number of silent connections. */
  readonly idleConnections: number;
  /** Called with each violation as soon as it is known. */
  onViolation?(violation: Violation): void;
}

/** An input with a wrong response, stored so that it can be sent again. */
export interface Violation {
  readonly seed: number;
  readonly kind: string;
  readonly problem: string;
  readonly steps: readonly object[];
  readonly expected: Expected;
}

/** The findings of a campaign. */
export interface Findings {
  readonly seed: number;
  readonly inputs: number;
  /** The number of times each outcome occurred, by kind. */
  readonly counts: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly violations: readonly Violation[];
  /** Problems that cannot be traced to one input. */
  readonly problems: readonly string[];
  readonly companion: Companion;
  readonly crowd: Crowd;
  /** Bytes of memory of the server, sampled once a second. */
  readonly memory: readonly number[];
}

const SAMPLE_MS = 1_000;
/** The number of violations reported at the end. */
const VIOLATIONS_MAX = 1_000;
/** The server's own timeout is 12 s at the latest. */
const IDLE_MAX_MS = 30_000;

/** Sends the corpus and random inputs to its own server, and returns the findings. */
export async function search(options: CampaignOptions): Promise<Findings> {
  const { seed } = options;
  await using subject = await startSubject(createRandom(seed));
  const companion = startCompanion(subject.port, subject.companionKey);
  const crowd = await gatherCrowd(subject.port, options.idleConnections);
  const memory: number[] = [];
  const sampler = setInterval(() => memory.push(subject.residentBytes()), SAMPLE_MS);
  const tally = createTally(subject, options);
  const known = corpus(subject.key, `${SMUGGLED} from the corpus`).values();
  let made = 0;
  let over = false;

  /** An input depends only on the seed and its number. */
  function inputOf(n: number, make: typeof randomInput): Input {
    const random = createRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(n + 1, 0x85ebca6b));
    return make(random, { key: subject.key, smuggledName: `${SMUGGLED} ${n}` });
  }

  async function work(): Promise<void> {
    for (const input of known) await tally.send(input);
    while (!options.isOver(made) && !subject.hasEnded()) {
      await tally.send(inputOf(made++, randomInput));
    }
  }

  async function workSlowly(lane: number): Promise<void> {
    for (let n = 0; !over && !subject.hasEnded(); n++) {
      await tally.send(inputOf(-1 - lane - n * options.slowConnections, slowInput));
    }
  }

  const slow = Array.from({ length: options.slowConnections }, (_, lane) => workSlowly(lane));
  await Promise.all(Array.from({ length: options.connections }, work));
  over = true;
  await Promise.all(slow);
  clearInterval(sampler);
  await companion.stop();
  const { longestMs, refused } = crowd;
  crowd.stop();

  const problems = [...companion.problems];
  if (longestMs > IDLE_MAX_MS) problems.push(`an idle connection lived for ${longestMs} ms`);
  if (refused > 0) problems.push(`${refused} idle connections could not be opened`);
  if (subject.hasEnded()) problems.push('the server ended by itself');
  problems.push(...tally.lastProblems(), ...(await subject.stop()));
  return { ...tally.found(), seed, problems, companion, crowd, memory };
}

/** Replays one violation on its own server; returns the current problem, if any. */
export async function replay(stored: Violation & { steps: readonly Step[] }) {
  const { seed, kind, steps, expected } = stored;
  await using subject = await startSubject(createRandom(seed));
  const input: Input = { kind, steps, expected };
  const received = await deliver(subject.port, input);
  const { outcome, problem } = verdictOf(input, received);
  const smuggled = subject.smuggledAnimals();
  return { outcome, problem, smuggled, ended: subject.hasEnded(), faults: subject.faults() };
}

function createTally(subject: Subject, { seed, onViolation }: CampaignOptions) {
  const counts = new Map<string, Map<string, number>>();
  const violations: Violation[] = [];
  let inputs = 0;

  function violate(input: Input, problem: string): void {
    const { kind, expected } = input;
    const violation = { seed, kind, problem, steps: writeSteps(input.steps), expected };
    // Some examples of one fault are enough.
    if (violations.length < VIOLATIONS_MAX) violations.push(violation);
    onViolation?.(violation);
  }

  async function send(input: Input): Promise<void> {
    const received = await deliver(subject.port, input);
    const verdict = verdictOf(input, received);
    const ofKind = counts.get(input.kind) ?? new Map<string, number>();
    counts.set(input.kind, ofKind.set(verdict.outcome, (ofKind.get(verdict.outcome) ?? 0) + 1));
    inputs++;
    if (verdict.problem !== undefined) violate(input, verdict.problem);
    if (subject.hasEnded()) violate(input, 'the server exited during this input');
    if (input.kind.startsWith('smuggling')) {
      for (const name of subject.smuggledAnimals()) violate(input, `it made the animal "${name}"`);
    }
    for (const line of subject.faults()) violate(input, `the log has a fault: ${line}`);
  }

  return {
    send,
    found: () => ({ inputs, counts, violations }),
    lastProblems: () => subject.smuggledAnimals().map((name) => `the animal "${name}" came to be`),
  };
}
