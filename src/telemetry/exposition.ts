import { SECOND_MS } from '../domain/clock.ts';

/** Labels of a sample by their names. */
export type Labels = Readonly<Record<string, string | number>>;
type Sample = readonly [labels: Labels, value: number | Histogram];

/** A Prometheus metric. Names and units follow its conventions. */
export interface Metric {
  readonly name: string;
  /** One sentence for operators. */
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** The current values with their labels. */
  samples(): Iterable<Sample>;
}

/** What a metric reads: its samples, or the value of its only one; undefined while that is unknown. */
type Reading = Iterable<Sample> | Histogram | number | boolean | null | undefined;

/** Returns what creates metrics of a type from what is read of them. */
function metricOf(type: Metric['type']) {
  return (name: string, help: string, read: () => Reading): Metric => ({
    ...{ name, help, type },
    samples() {
      const reading = read();
      if (reading === undefined || reading === null) return [];
      if (typeof reading !== 'object') return [[{}, Number(reading)]];
      return 'bounds' in reading ? [[{}, reading]] : reading;
    },
  });
}

/** Creates a counter: a value that only grows. */
export const counter = metricOf('counter');
/** Creates a gauge: a value that goes up and down. */
export const gauge = metricOf('gauge');
/** Creates the metric of a histogram. */
export const histogram = metricOf('histogram');

/** The samples of counts by the values of a label; none while they are unknown. */
export function by<T extends string>(
  label: string,
  values: readonly T[],
  counts: Readonly<Record<T, number>> | undefined,
): readonly Sample[] {
  return counts === undefined ? [] : values.map((value) => [{ [label]: value }, counts[value]]);
}

/** Returns milliseconds in seconds, the unit of metrics. */
export function seconds(milliseconds: number | null | undefined): number | undefined {
  return typeof milliseconds === 'number' ? milliseconds / SECOND_MS : undefined;
}

/** The media type of the text. */
export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Writes metrics in the text format of Prometheus, version 0.0.4. */
export function writeExposition(metrics: readonly Metric[]): string {
  return metrics.map((metric) => `${headOf(metric)}${linesOf(metric).join('')}`).join('');
}

function headOf({ name, help, type }: Metric): string {
  return `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`;
}

function linesOf({ name, samples }: Metric): string[] {
  return [...samples()].flatMap(([labels, value]) =>
    typeof value === 'number' ? line(name, labels, value) : histogramLines(name, labels, value),
  );
}

/** Buckets of the format are cumulative. */
function histogramLines(name: string, labels: Labels, { bounds, counts, sum }: Histogram) {
  let count = 0;
  const lines = Array.from(counts, (inBucket, i) => {
    count += inBucket;
    return line(`${name}_bucket`, { ...labels, le: bounds[i] ?? '+Inf' }, count);
  });
  return [...lines, line(`${name}_sum`, labels, sum()), line(`${name}_count`, labels, count)];
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${numberText(value)}\n`;
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function escapeLabel(text: string | number): string {
  return escapeHelp(String(text)).replaceAll('"', '\\"');
}

function numberText(value: number): string {
  if (Number.isFinite(value) || Number.isNaN(value)) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
}

/** Counts values by bucket, in memory that is allocated once. */
export interface Histogram {
  /** The inclusive upper bounds of the buckets, ascending. */
  readonly bounds: readonly number[];
  /** The number of values in each bucket, and last those above all bounds. */
  readonly counts: Float64Array;
  sum(): number;
  observe(value: number): void;
}

/** Creates an empty histogram. */
export function createHistogram(bounds: readonly number[]): Histogram {
  const counts = new Float64Array(bounds.length + 1);
  let sum = 0;
  return {
    bounds,
    counts,
    sum: () => sum,
    observe(value) {
      let bucket = 0;
      // Linear search: nearly every request falls into the first buckets.
      while (value > (bounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
      counts[bucket] = (counts[bucket] ?? 0) + 1;
      sum += value;
    },
  };
}
