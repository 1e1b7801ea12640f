import { describe, expect, test } from 'bun:test';
import { aimsSection } from '../../bench/aims.ts';
import type { Measured, Round } from '../../bench/measure.ts';
import { comparisons } from '../../bench/scenarios.ts';

/** Rounds with these rates and processor times per response. */
function measured(name: string, ...rounds: readonly (readonly [number, number])[]): Measured {
  const rest = { requests: 1, added: { least: 0, most: 0 }, bytesPerResponse: 1_402 };
  return {
    name,
    rounds: rounds.map(
      ([perSecond, cpuMicroseconds]): Round => ({
        ...{ ...rest, perSecond, cpuMicroseconds, busy: 0.5, p50Milliseconds: 1 },
        ...{ p99Milliseconds: 2, engineMicroseconds: new Map() },
      }),
    ),
    ...{ samples: 7, failure: rounds.length === 0 ? 'it broke' : undefined },
  };
}

function resultOf(name: string, ...contenders: readonly Measured[]) {
  const scenario = comparisons.flatMap(({ scenarios }) => scenarios).find((it) => it.name === name);
  if (scenario === undefined) throw new Error(`no ${name}`);
  return { scenario, measured: contenders };
}

describe('the table of what we want', () => {
  const section = aimsSection([
    resultOf('mixed-0', measured('ours', [1_000, 10], [2_000, 10])),
    resultOf(
      'mixed-5',
      measured('ours', [800, 12], [1_500, 18]),
      measured('ours on PostgreSQL and Valkey', [1, 1], [1, 1]),
      measured('Go net/http', [300, 60], [300, 60]),
      measured('Hono on Bun', [400, 40], [400, 50]),
      measured('a broken peer'),
    ),
    resultOf('get', measured('ours', [1_000, 10], [1_000, 10])),
    resultOf(
      'spread',
      measured('ours', [600, 14], [640, 15]),
      measured('Hono on Bun', [500, 20], [500, 20]),
    ),
  ]);
  const row = (start: string) =>
    section
      .split('\n')
      .find((line) => line.startsWith(`| ${start}`))
      ?.split('|')
      .slice(2, -1)
      .map((cell) => cell.trim());

  test('compares rounds of the same number, and names what is met or short', () => {
    expect(row('mixed, 5 % additions: responses/s')).toEqual([
      ...['0.78 (0.75–0.80)', '≥ 0.75', '≥ 0.90', 'met'],
    ]);
    expect(row('an animal, not cached: responses/s')).toEqual([
      ...['0.62 (0.60–0.64)', '≥ 0.70', '≥ 0.85', 'short'],
    ]);
    expect(row('an animal, not cached: CPU time ÷ Hono on Bun')).toEqual([
      ...['0.73 (0.70–0.75)', '≤ 0.60', '≤ 0.45', 'short'],
    ]);
  });

  test('takes the peer with the least processor time, never ourselves or one that failed', () => {
    expect(row('mixed, 5 % additions: CPU time ÷ the best peer')).toEqual([
      ...['0.33 (0.30–0.36)', '≤ 0.42', '≤ 0.33', 'goal'],
    ]);
  });

  test('says what was not measured', () => {
    expect(row('an addition: responses/s ÷ nginx')).toEqual([
      'not measured',
      '≥ 0.20',
      '≥ 0.25',
      '',
    ]);
  });
});
