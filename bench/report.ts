import type { Measured, Round } from './measure.ts';
import type { Scenario } from './scenarios.ts';
import { type Spread, spreadOf, spreadText } from './statistics.ts';
import { markdownTable } from './table.ts';

/** A scenario and what each contender made of it; ours is the first. */
export interface ScenarioResult {
  readonly scenario: Scenario;
  readonly answerBytes: number;
  readonly measured: readonly Measured[];
}

/** From here on the load may be what is measured. */
const BUSY_MAX = 0.9;

/** Characters of what a peer said when it failed. */
const FAILURE_MAX = 200;

const HEADER = [
  ...['', 'ours ÷ it', 'by CPU time', 'answers/s', 'CPU µs', 'p50 ms', 'p99 ms'],
  ...['load busy', 'answers read'],
];

/** One scenario as a Markdown section. */
export function sectionOf({ scenario, answerBytes, measured }: ScenarioResult): string {
  const [ours] = measured;
  const complete = measured.filter(({ rounds }) => rounds.length > 0);
  const rows = complete.map((it) => rowOf(it, ours));
  const parts = [
    `## ${scenario.title}`,
    `${decimals(0)(answerBytes)} bytes an answer, headers included.`,
    markdownTable(HEADER, rows),
  ];
  parts.push(...complete.flatMap((it) => enginesText(it, ours)));
  for (const { name, failure } of measured) {
    if (failure !== undefined) parts.push(`${name} is left out: ${failure.slice(0, FAILURE_MAX)}`);
  }
  const limited = complete.filter((it) => over(it, ({ busy }) => busy).median > BUSY_MAX);
  if (limited.length > 0) {
    const names = limited.map(({ name }) => name).join('; ');
    parts.push(`The load had no time left, so these may be faster than shown: ${names}.`);
  }
  return `${parts.join('\n\n')}\n`;
}

function rowOf(it: Measured, ours: Measured | undefined): string[] {
  const ratio = (read: (round: Round, own: Round) => number) =>
    it === ours ? '' : spreadText(spreadOf(pairs(ours, it).map((pair) => read(...pair))), two);
  return [
    it.name,
    ratio((round, own) => own.perSecond / round.perSecond),
    ratio((round, own) => round.cpuMicroseconds / own.cpuMicroseconds),
    spreadText(
      over(it, ({ perSecond }) => perSecond),
      decimals(0),
    ),
    decimals(1)(over(it, ({ cpuMicroseconds }) => cpuMicroseconds).median),
    two(over(it, ({ p50Milliseconds }) => p50Milliseconds).median),
    two(over(it, ({ p99Milliseconds }) => p99Milliseconds).median),
    `${decimals(0)(100 * over(it, ({ busy }) => busy).median)} %`,
    decimals(0)(it.samples),
  ];
}

/** What stands behind a server that has engines: for how many instances they are enough. */
function enginesText(it: Measured, ours: Measured | undefined): string[] {
  const engines = [...(it.rounds[0]?.engineMicroseconds.keys() ?? [])];
  if (engines.length === 0) return [];
  const share = spreadOf(pairs(ours, it).map(([round, own]) => round.perSecond / own.perSecond));
  const costs = engines.map((name) => {
    const spread = over(it, (round) => round.engineMicroseconds.get(name) ?? 0);
    return `${name} ${spreadText(spread, decimals(1))} µs`;
  });
  return [
    `${it.name}: ${spreadText(share, two)} of the answers a second of ours. Besides its own, ` +
      `an answer takes this processor time, on the core of the load: ${costs.join(', ')}.`,
  ];
}

function over({ rounds }: Measured, read: (round: Round) => number): Spread {
  return spreadOf(rounds.map(read));
}

/** Rounds of both at the same time: what disturbs a round disturbs both. */
function pairs(ours: Measured | undefined, other: Measured): [Round, Round][] {
  return other.rounds.flatMap((round, index): [Round, Round][] => {
    const own = ours?.rounds[index];
    return own === undefined ? [] : [[round, own]];
  });
}

const two = decimals(2);

function decimals(digits: number): (value: number) => string {
  return (value) =>
    value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
