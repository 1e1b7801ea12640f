import { describe, expect, test } from 'bun:test';
import { chartOf } from '../../bench/chart.ts';
import type { Measured } from '../../bench/measure.ts';
import { comparisons } from '../../bench/scenarios.ts';

function measured(name: string, ...perSecond: number[]): Measured {
  const rest = {
    requests: 1,
    added: { least: 0, most: 0 },
    bytesPerResponse: 1,
    p50Milliseconds: 1,
    p99Milliseconds: 1,
  };
  const rounds = perSecond.map((rate) => ({
    ...{ ...rest, perSecond: rate, busy: 0.5, cpuMicroseconds: 1 },
    engineMicroseconds: new Map<string, number>(),
  }));
  return { name, rounds, samples: 1, failure: perSecond.length === 0 ? 'it broke' : undefined };
}

const scenarios = comparisons.flatMap(({ pictured }) => pictured);
const results = scenarios.map((scenario) => ({
  scenario,
  measured: [
    measured('ours', 900, 1_000, 5_000),
    measured('the <limit> & more', 2_000),
    measured('a broken peer'),
  ],
}));

/** Returns the tags of a text in order. Throws if one is not closed, or closed twice. */
function balanced(xml: string): string[] {
  const open: string[] = [];
  const seen: string[] = [];
  for (const [, close, name = '', alone] of xml.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/g)) {
    if (close === '/') expect(open.pop()).toBe(name);
    else {
      seen.push(name);
      if (alone !== '/') open.push(name);
    }
  }
  expect(open).toEqual([]);
  return seen;
}

describe('the chart of a run', () => {
  const svg = chartOf(results);

  test('is well-formed, with markup in texts escaped', () => {
    expect(balanced(svg)[0]).toBe('svg');
    expect(svg).toContain('the &lt;limit&gt; &amp; more');
    expect(svg.replaceAll(/&(?:amp|lt|gt);/g, '')).not.toContain('&');
  });

  test('names every scenario and measured contender, with the median', () => {
    for (const { title } of scenarios) expect(svg).toContain(`>${title}</text>`);
    expect(svg.split('>ours</text>')).toHaveLength(scenarios.length + 1);
    expect(svg.split('>1,000</text>')).toHaveLength(scenarios.length + 1);
    expect(svg).not.toContain('a broken peer');
  });

  test('has bars in proportion to the medians', () => {
    const widths = [...svg.matchAll(/<rect [^>]*width="(\d+)"/g)].map(([, width]) => Number(width));
    expect(widths).toHaveLength(2 * scenarios.length);
    expect((widths[0] ?? 0) / (widths[1] ?? 0)).toBe(0.5);
  });

  test('is the same for the same results, and can be empty', () => {
    expect(chartOf(results)).toBe(svg);
    expect(balanced(chartOf([]))[0]).toBe('svg');
  });
});
