import { type Measured, type Round, WARM_UP_SECONDS } from './measure.ts';
import type { Scenario } from './scenarios.ts';
import { type Spread, spreadOf, spreadText } from './statistics.ts';
import { markdownTable } from './table.ts';

/** A scenario with the results of each contender; ours is first. */
export interface ScenarioResult {
  readonly scenario: Scenario;
  readonly measured: readonly Measured[];
}

/** Above this share of its core, the load may be the bottleneck. */
const BUSY_MAX = 0.9;

/** The longest quoted error of a failed peer, in characters. */
const FAILURE_MAX = 200;

const HEADER = [
  ...['', 'ours ÷ it', 'by CPU time', 'responses/s', 'CPU µs'],
  ...[`first ${WARM_UP_SECONDS} s`, 'p50 ms', 'p99 ms', 'load busy', 'sampled'],
];

/** Renders one scenario as a Markdown section. */
export function sectionOf({ scenario, measured }: ScenarioResult): string {
  const [ours] = measured;
  const complete = measured.filter(({ rounds }) => rounds.length > 0);
  const rows = complete.map((it) => rowOf(it, ours));
  const parts = [
    `## ${scenario.title}`,
    `${decimals(0)(meanSizeOf(ours))} bytes per response, headers included.`,
    markdownTable(HEADER, rows),
  ];
  parts.push(...complete.flatMap((it) => enginesText(it, ours)));
  for (const { name, failure } of measured) {
    if (failure !== undefined) parts.push(`${name} was left out: ${failure.slice(0, FAILURE_MAX)}`);
  }
  const limited = complete.filter((it) => over(it, ({ busy }) => busy).median > BUSY_MAX);
  if (limited.length > 0) {
    const names = limited.map(({ name }) => name).join('; ');
    parts.push(`The load used its whole core, so these may be faster than shown: ${names}.`);
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
    it.warmUp === undefined ? '' : decimals(1)(it.warmUp.cpuMicroseconds),
    two(over(it, ({ p50Milliseconds }) => p50Milliseconds).median),
    two(over(it, ({ p99Milliseconds }) => p99Milliseconds).median),
    `${decimals(0)(100 * over(it, ({ busy }) => busy).median)} %`,
    decimals(0)(it.samples),
  ];
}

/** Describes the cost of a server's database engines, which limits the number of instances. */
function enginesText(it: Measured, ours: Measured | undefined): string[] {
  const engines = [...(it.rounds[0]?.engineMicroseconds.keys() ?? [])];
  if (engines.length === 0) return [];
  const share = spreadOf(pairs(ours, it).map(([round, own]) => round.perSecond / own.perSecond));
  const costs = engines.map((name) => {
    const spread = over(it, (round) => round.engineMicroseconds.get(name) ?? 0);
    return `${name} ${spreadText(spread, decimals(1))} µs`;
  });
  return [
    `${it.name}: ${spreadText(share, two)} of our responses per second. Each response also takes ` +
      `this processor time on the core of the load: ${costs.join(', ')}.`,
  ];
}

function meanSizeOf(ours: Measured | undefined): number {
  return ours === undefined ? 0 : over(ours, ({ bytesPerResponse }) => bytesPerResponse).median;
}

function over({ rounds }: Measured, read: (round: Round) => number): Spread {
  return spreadOf(rounds.map(read));
}

/** Pairs rounds of the same number, so that disturbances affect both. */
export function pairs(ours: Measured | undefined, other: Measured): [Round, Round][] {
  return other.rounds.flatMap((round, index): [Round, Round][] => {
    const own = ours?.rounds[index];
    return own === undefined ? [] : [[round, own]];
  });
}

/** Formats a ratio. */
export const two = decimals(2);

function decimals(digits: number): (value: number) => string {
  return (value) =>
    value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
