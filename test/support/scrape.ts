/** A metric of a scrape. */
export interface ScrapedMetric {
  readonly type: string;
  readonly help: string;
  /** Values by series, spelled as in the text: `name{label="value"}`. */
  readonly samples: Map<string, number>;
}

/** The metrics of a scrape, by name. */
export type Scrape = ReadonlyMap<string, ScrapedMetric>;

const HELP = /^# HELP ([a-z][a-z0-9_]*) (.+)$/;
const TYPE = /^# TYPE ([a-z][a-z0-9_]*) (counter|gauge|histogram)$/;
const SAMPLE =
  /^([a-z][a-z0-9_]*)(\{(?:[a-z][a-z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)+\})? ([-+]?(?:[0-9.]+(?:e[-+]?[0-9]+)?|Inf)|NaN)$/;

/** Parses the Prometheus text format, version 0.0.4. Throws if it is invalid. */
export function parseScrape(text: string): Scrape {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const metrics = new Map<string, ScrapedMetric>();
  let help: readonly [name: string, text: string] | undefined;
  let current: readonly [name: string, metric: ScrapedMetric] | undefined;
  for (const line of text.slice(0, -1).split('\n')) {
    const helped = HELP.exec(line);
    const typed = TYPE.exec(line);
    if (helped !== null) {
      help = [helped[1] ?? '', helped[2] ?? ''];
    } else if (typed !== null) {
      const [, name = '', type = ''] = typed;
      if (help?.[0] !== name) throw new Error(`${name} has no help`);
      if (metrics.has(name)) throw new Error(`${name} comes twice`);
      current = [name, { type, help: help[1], samples: new Map() }];
      metrics.set(...current);
    } else {
      addSample(line, current);
    }
  }
  for (const [name, metric] of metrics) checkMetric(name, metric);
  return metrics;
}

function addSample(
  line: string,
  current: readonly [name: string, metric: ScrapedMetric] | undefined,
): void {
  const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
  if (name === '' || current === undefined) throw new Error(`this is no sample: ${line}`);
  const [family, { type, samples }] = current;
  const suffix = name.slice(family.length);
  const isOfFamily = name.startsWith(family) && (suffix === '' || type === 'histogram');
  if (!isOfFamily) throw new Error(`${line} stands under ${family}`);
  if (type === 'histogram' && !['_bucket', '_sum', '_count'].includes(suffix)) {
    throw new Error(`a histogram has no ${name}`);
  }
  if (samples.has(name + labels)) throw new Error(`${name}${labels} comes twice`);
  samples.set(name + labels, Number(value.replace('Inf', 'Infinity')));
}

function checkMetric(name: string, { type, samples }: ScrapedMetric): void {
  if ((type === 'counter') !== name.endsWith('_total')) throw new Error(`${name} is a ${type}`);
  for (const [series, value] of samples) {
    if (type !== 'gauge' && !(value >= 0)) throw new Error(`${series} is ${value}`);
  }
  if (type === 'histogram') checkBuckets(name, samples);
}

/** Buckets grow with their bound, and the last equals the count. */
function checkBuckets(name: string, samples: ReadonlyMap<string, number>): void {
  const counted = [...samples].filter(([series]) => series.startsWith(`${name}_count`));
  for (const [series, count] of counted) {
    const labels = series.slice(`${name}_count`.length).slice(1, -1);
    const prefix = `${name}_bucket{${labels}${labels === '' ? '' : ','}le="`;
    const buckets = [...samples].filter(([bucket]) => bucket.startsWith(prefix));
    const bounds = buckets.map(([bucket]) =>
      Number(bucket.slice(prefix.length, -2).replace('+Inf', 'Infinity')),
    );
    const values = buckets.map(([, value]) => value);
    const grows = (numbers: readonly number[]) =>
      numbers.every((number, i) => i === 0 || number >= (numbers[i - 1] ?? 0));
    const isWhole = bounds.at(-1) === Number.POSITIVE_INFINITY && values.at(-1) === count;
    if (!grows(bounds) || !grows(values) || !isWhole) throw new Error(`${series} does not add up`);
  }
}

/** The current metrics of a server. */
export async function scrape(url: string): Promise<Scrape> {
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`${url} returned ${response.status}`);
  return parseScrape(await response.text());
}

/** The value of a series, or 0 if it is absent. */
export function sampleOf(scraped: Scrape, series: string): number {
  const name = /^[a-z_]+/.exec(series)?.[0] ?? '';
  const metric = scraped.get(name) ?? scraped.get(name.replace(/_(?:bucket|sum|count)$/, ''));
  if (metric === undefined) throw new Error(`there is no metric ${name}`);
  return metric.samples.get(series) ?? 0;
}

/** All series of a metric, with their values. */
export function seriesOf(scraped: Scrape, name: string): Record<string, number> {
  return Object.fromEntries(scraped.get(name)?.samples ?? []);
}
