import { scrape } from '../support/scrape.ts';
import { type AlertInput, scrapedSeries } from './alert-rules.ts';

/** Minutes for which a service is well before it fails, and for which it then fails. */
export const WELL_MIN = 60;
export const FAILING_MIN = 60;

/** Values by series, and which of them only grow. */
export interface Seen {
  readonly values: ReadonlyMap<string, number>;
  readonly growing: ReadonlySet<string>;
}

/** The metrics of these names. */
export async function see(url: string, names: readonly string[]): Promise<Seen> {
  const scraped = await scrape(url);
  const values = new Map<string, number>();
  const growing = new Set<string>();
  for (const name of names) {
    const metric = scraped.get(name);
    if (metric === undefined) throw new Error(`there is no metric ${name}`);
    for (const [series, value] of metric.samples) {
      values.set(series, value);
      if (metric.type !== 'gauge') growing.add(series);
    }
  }
  return { values, growing };
}

/** What was seen of a service while it was well, then a minute of it failing again and again. */
export function followed(well: Seen, failing: Seen): AlertInput[] {
  return [...failing.values].map(([name, value]) => {
    const before = well.values.get(name);
    const start = before === undefined ? `_x${WELL_MIN}` : `${before}+0x${WELL_MIN - 1}`;
    const step = failing.growing.has(name) ? value - (before ?? 0) : 0;
    return { series: scrapedSeries(name), values: `${start} ${value}+${step}x${FAILING_MIN - 1}` };
  });
}

/** The sum of all values. */
export const sumOf = ({ values }: Seen) =>
  [...values.values()].reduce((sum, value) => sum + value, 0);
