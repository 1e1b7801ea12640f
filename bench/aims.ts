import {
  BARE,
  HONO,
  NGINX,
  ON_ENGINES,
  OURS,
  SINGLE_COMMIT,
  TWO_WORKERS,
} from './contenders/names.ts';
import type { Measured } from './measure.ts';
import { pairs, type ScenarioResult, two } from './report.ts';
import { type Spread, spreadOf, spreadText } from './statistics.ts';
import { markdownTable } from './table.ts';

/** The peer that does our whole work in the least processor time. */
const BEST_PEER = 'the best peer';

/** A contender in a scenario. */
type Place = readonly [scenario: string, contender: string];

/** What we want a ratio of two places to be. */
interface Aim {
  readonly name: string;
  /** A rate should be at least this, a processor time at most. */
  readonly by: 'perSecond' | 'cpuMicroseconds';
  readonly of: Place;
  readonly to: Place;
  readonly wanted: number;
  readonly goal: number;
}

/** The loads that most clients send come first. */
const AIMS: readonly Aim[] = [
  time('mixed, 5 % additions', ['mixed-5', OURS], ['mixed-5', BEST_PEER], 0.42, 0.33),
  rate('mixed, 5 % additions', ['mixed-5', OURS], ['mixed-0', OURS], 0.75, 0.9, 'without any'),
  time('an animal, not cached', ['spread', OURS], ['spread', HONO], 0.6, 0.45),
  rate('an animal, not cached', ['spread', OURS], ['get', OURS], 0.7, 0.85, 'cached'),
  rate('an animal, cached', ['get', OURS], ['get', NGINX], 0.5, 0.6),
  rate('an animal, cached', ['get', OURS], ['get', BARE], 0.65, 0.8),
  rate('a list, cached', ['list', OURS], ['list', NGINX], 0.5, 0.6),
  rate('a list, cached', ['list', OURS], ['list', BARE], 0.65, 0.8),
  rate('a list, cached, on PostgreSQL and Valkey', ['list', ON_ENGINES], ['list', OURS], 0.5, 0.7),
  rate('an addition', ['create', OURS], ['create', NGINX], 0.2, 0.25),
  rate('an addition', ['create', OURS], ['create', SINGLE_COMMIT], 6, 8),
  // Two workers on two cores then answer 1.8 and 1.9 times as much as one on one core.
  withTwoWorkers('mixed, 5 % additions', 'two-cores-mixed-5'),
  withTwoWorkers('a list, cached', 'two-cores-list'),
];

function rate(
  name: string,
  of: Place,
  to: Place,
  wanted: number,
  goal: number,
  label = to[1],
): Aim {
  return { name: `${name}: responses/s ÷ ${label}`, by: 'perSecond', of, to, wanted, goal };
}

function time(name: string, of: Place, to: Place, most: number, goal: number): Aim {
  return {
    ...{ name: `${name}: CPU time ÷ ${to[1]}`, by: 'cpuMicroseconds', of, to, goal },
    wanted: most,
  };
}

function withTwoWorkers(name: string, scenario: string): Aim {
  return time(`${name}, two workers`, [scenario, TWO_WORKERS], [scenario, OURS], 1.11, 1.05);
}

/** Renders what was wanted beside what was seen, as a Markdown section. */
export function aimsSection(results: readonly ScenarioResult[]): string {
  const rows = AIMS.map((aim) => {
    const { name, by, wanted, goal } = aim;
    const seen = seenOf(aim, results);
    const bound = by === 'perSecond' ? '≥' : '≤';
    return [
      name,
      seen === undefined ? 'not measured' : spreadText(seen, two),
      `${bound} ${two(wanted)}`,
      `${bound} ${two(goal)}`,
      seen === undefined ? '' : verdict(aim, seen.median),
    ];
  });
  return `## What we want, and what was seen

${markdownTable(['', 'seen', 'wanted', 'goal', ''], rows)}
`;
}

function verdict({ by, wanted, goal }: Aim, seen: number): string {
  const reaches = (bound: number) => (by === 'perSecond' ? seen >= bound : seen <= bound);
  if (reaches(goal)) return 'goal';
  return reaches(wanted) ? 'met' : 'short';
}

/** Returns the ratios of the rounds; undefined if a part was not measured. */
function seenOf({ by, of, to }: Aim, results: readonly ScenarioResult[]): Spread | undefined {
  const under = find(to, results);
  const over = find(of, results);
  if (under === undefined || over === undefined) return undefined;
  const ratios = pairs(under, over).map(([round, base]) => round[by] / base[by]);
  return ratios.length === 0 ? undefined : spreadOf(ratios);
}

function find([name, contender]: Place, results: readonly ScenarioResult[]): Measured | undefined {
  const measured = results.find(({ scenario }) => scenario.name === name)?.measured ?? [];
  if (contender !== BEST_PEER) return measured.find((it) => it.name === contender);
  const peers = measured.filter((it) => it.name !== OURS && it.name !== ON_ENGINES);
  return peers
    .filter(({ rounds }) => rounds.length > 0)
    .toSorted((a, b) => medianTime(a) - medianTime(b))[0];
}

function medianTime({ rounds }: Measured): number {
  return spreadOf(rounds.map(({ cpuMicroseconds }) => cpuMicroseconds)).median;
}
