import { HONO, NGINX, ON_ENGINES, OURS, RUST } from './contenders/contender.ts';
import type { Measured } from './measure.ts';
import { pairs, type ScenarioResult, two } from './report.ts';
import { type Spread, spreadOf, spreadText } from './statistics.ts';
import { markdownTable } from './table.ts';

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
  time("a busy shop's day", ['day', OURS], ['day', RUST], 1, 0.7),
  time('a list, cached', ['list', OURS], ['list', RUST], 0.95, 0.7),
  time('an animal, cached', ['get', OURS], ['get', RUST], 1.4, 0.9),
  time('an animal, not cached', ['spread', OURS], ['spread', RUST], 2.2, 1.3),
  time('mixed, 5 % additions', ['mixed-5', OURS], ['mixed-5', RUST], 1.5, 1),
  time('an addition', ['create', OURS], ['create', RUST], 2.2, 1.6),
  time("a busy shop's day", ['day', OURS], ['day', HONO], 0.9, 0.5),
  time('a list, cached', ['list', OURS], ['list', HONO], 0.9, 0.5),
  time('an animal, cached', ['get', OURS], ['get', HONO], 0.9, 0.5),
  time('an animal, not cached', ['spread', OURS], ['spread', HONO], 0.9, 0.5),
  time('mixed, 5 % additions', ['mixed-5', OURS], ['mixed-5', HONO], 0.6, 0.5),
  time('an addition', ['create', OURS], ['create', HONO], 0.9, 0.5),
  rate('a list, cached', ['list', OURS], ['list', NGINX], 0.4, 0.6),
  rate('a public page, one change a second', ['page', OURS], ['page', NGINX], 0.4, 0.55),
  rate('a list, cached, on PostgreSQL and Valkey', ['list', ON_ENGINES], ['list', OURS], 0.5, 0.7),
];

function rate(name: string, of: Place, to: Place, wanted: number, goal: number): Aim {
  return { name: `${name}: responses/s ÷ ${to[1]}`, by: 'perSecond', of, to, wanted, goal };
}

function time(name: string, of: Place, to: Place, most: number, goal: number): Aim {
  return {
    name: `${name}: CPU time ÷ ${to[1]}`,
    by: 'cpuMicroseconds',
    of,
    to,
    wanted: most,
    goal,
  };
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
  return measured.find((it) => it.name === contender);
}
