import { describe, expect, test } from 'bun:test';
import { aimsSection } from '../../bench/aims.ts';
import type { Measured, Round } from '../../bench/measure.ts';
import { sectionOf } from '../../bench/report.ts';
import { comparisons, type Scenario } from '../../bench/scenarios.ts';

/** Rounds with these rates and processor times per response. */
function measured(name: string, ...rounds: readonly (readonly [number, number])[]): Measured {
  return {
    name,
    rounds: rounds.map(
      ([perSecond, cpuMicroseconds]): Round => ({
        requests: 1,
        added: { least: 0, most: 0 },
        bytesPerResponse: 1_402,
        perSecond,
        cpuMicroseconds,
        busy: 0.5,
        p50Milliseconds: 1,
        p99Milliseconds: 2,
        engineMicroseconds: new Map(),
      }),
    ),
    warmUp: undefined,
    samples: 7,
    failure: rounds.length === 0 ? 'it broke' : undefined,
  };
}

function scenarioOf(name: string): Scenario {
  const found = comparisons.flatMap(({ scenarios }) => scenarios).find((it) => it.name === name);
  if (found === undefined) throw new Error(`there is no scenario ${name}`);
  return found;
}

const five = scenarioOf('mixed-5');

/** Rows of a Markdown table as cells. */
function rowsOf(section: string): readonly string[][] {
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}

describe('the section of a scenario', () => {
  const section = sectionOf({
    scenario: five,
    measured: [
      measured('ours', [500, 20], [1_500, 25]),
      measured('a peer', [100, 80], [300, 100]),
      measured('a broken peer'),
    ],
  });

  test('has the rate, the processor time and both ratios to ours', () => {
    const [, , ours = [], peer = []] = rowsOf(section);
    expect(ours.slice(0, 5)).toEqual(['ours', '', '', '1,000 (750–1,250)', '22.5']);
    expect(peer.slice(0, 5)).toEqual([
      'a peer',
      '5.00 (5.00–5.00)',
      '4.00 (4.00–4.00)',
      '200 (150–250)',
      '90.0',
    ]);
  });

  test('says the mean size, and which peer was left out', () => {
    expect(section).toStartWith(`## ${five.title}\n\n1,402 bytes per response`);
    expect(section).toContain('a broken peer was left out: it broke');
  });
});

test('the table of what we want compares rounds of the same number', () => {
  const section = aimsSection([
    {
      scenario: five,
      measured: [
        measured('ours', [800, 12], [1_500, 18]),
        measured('Hono on Bun', [400, 40], [400, 50]),
      ],
    },
  ]);
  const row = (start: string) =>
    rowsOf(section)
      .find(([name]) => name?.startsWith(start))
      ?.slice(1);
  expect(row('mixed, 5 % additions: CPU time ÷ Hono on Bun')).toEqual([
    '0.33 (0.32–0.35)',
    '≤ 0.60',
    '≤ 0.50',
    'goal',
  ]);
  expect(row('a list, cached: responses/s ÷ nginx')).toEqual([
    'not measured',
    '≥ 0.40',
    '≥ 0.60',
    '',
  ]);
});
