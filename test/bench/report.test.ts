import { describe, expect, test } from 'bun:test';
import type { Measured, Round } from '../../bench/measure.ts';
import { type ScenarioResult, sectionOf } from '../../bench/report.ts';
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

const [mixed] = comparisons;
const [none, , five] = mixed?.scenarios ?? [];

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
  if (mixed === undefined || none === undefined || five === undefined) throw new Error('no mixed');
  const base = {
    column: '÷ without additions',
    measured: [
      measured('ours', [1_000, 10], [2_000, 20]),
      measured('a peer', [400, 40], [400, 80]),
    ],
  };
  const result: ScenarioResult = {
    ...{ scenario: five, base },
    measured: [
      measured('ours', [500, 20], [1_500, 25]),
      measured('a peer', [100, 80], [300, 100]),
      measured('a peer without a base', [100, 80], [300, 100]),
      measured('a broken peer'),
    ],
  };

  test('compares each contender with its own rounds without additions', () => {
    const [header = [], , ours = [], peer = [], without = [], ...more] = rowsOf(sectionOf(result));
    expect(more).toEqual([]);
    expect(header.slice(-2)).toEqual(['÷ without additions', 'by CPU time']);
    expect(ours.slice(-2)).toEqual(['0.63 (0.50–0.75)', '0.65 (0.50–0.80)']);
    expect(peer.slice(-2)).toEqual(['0.50 (0.25–0.75)', '0.65 (0.50–0.80)']);
    expect(without.slice(-2)).toEqual(['', '']);
  });

  test('has the rate, the processor time and both ratios to ours', () => {
    const [, , ours = [], peer = []] = rowsOf(sectionOf(result));
    expect(ours.slice(0, 5)).toEqual(['ours', '', '', '1,000 (500–1,500)', '22.5']);
    expect(peer.slice(0, 5)).toEqual([
      ...['a peer', '5.00 (5.00–5.00)', '4.00 (4.00–4.00)', '200 (100–300)', '90.0'],
    ]);
  });

  test('says the mean size, and which peer was left out', () => {
    const section = sectionOf(result);
    expect(section).toStartWith(`## ${five.title}\n\n1,402 bytes per response`);
    expect(section).toContain('a broken peer was left out: it broke');
  });

  test('has no column of a comparison in the first scenario', () => {
    const [header = []] = rowsOf(sectionOf({ scenario: none, measured: base.measured }));
    expect(header.at(-1)).toBe('sampled');
  });
});
