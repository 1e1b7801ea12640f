import { OURS } from './contenders/contender.ts';
import type { ScenarioResult } from './report.ts';
import { spreadOf } from './statistics.ts';

const WIDTH = 760;
const NAME_WIDTH = 230;
/** Space for the number after the longest bar. */
const FIGURE_WIDTH = 110;
const ROW = 24;
const BAR = 15;
const HEAD = 44;

/** Only browsers read this; other viewers use the attributes, which suit a light background. */
const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .title { font-weight: 600; }
  .figure { font-size: 12px; }
  .bar { fill: #8c959f; }
  .ours { fill: #1a7f37; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .bar { fill: #6e7681; }
    .ours { fill: #3fb950; }
  }`;

/**
 * Draws the medians of a run as SVG 1.1: one bar per contender in each scenario, proportional to its
 * responses per second; the longest bar takes the whole width. Failed contenders have none. Equal
 * results give equal text.
 */
export function chartOf(results: readonly ScenarioResult[]): string {
  let y = 0;
  const parts: string[] = [];
  for (const { scenario, measured } of results) {
    parts.push(`<text class="title" x="0" y="${y + 26}">${escaped(scenario.title)}</text>`);
    y += HEAD;
    const bars = measured
      .filter(({ rounds }) => rounds.length > 0)
      .map(({ name, rounds }) => ({
        name,
        perSecond: spreadOf(rounds.map((round) => round.perSecond)).median,
      }));
    const longest = Math.max(1, ...bars.map(({ perSecond }) => perSecond));
    for (const { name, perSecond } of bars) {
      parts.push(rowAt(y, name, perSecond, perSecond / longest));
      y += ROW;
    }
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y + 10}" role="img">
<title>Responses per second, one core</title>
<style>${STYLE}
</style>
${parts.join('\n')}
</svg>
`;
}

function rowAt(y: number, name: string, perSecond: number, share: number): string {
  const length = Math.max(1, Math.round(share * (WIDTH - NAME_WIDTH - FIGURE_WIDTH)));
  const baseline = y + BAR - 3;
  const kind = name === OURS ? 'bar ours' : 'bar';
  const figure = Math.round(perSecond).toLocaleString('en');
  return [
    `<text x="${NAME_WIDTH - 10}" y="${baseline}" text-anchor="end">${escaped(name)}</text>`,
    `<rect class="${kind}" x="${NAME_WIDTH}" y="${y}" width="${length}" height="${BAR}" rx="2"/>`,
    `<text class="figure" x="${NAME_WIDTH + length + 8}" y="${baseline}">${figure}</text>`,
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
