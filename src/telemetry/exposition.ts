/** Labels of a sample by their names. */
export type Labels = Readonly<Record<string, string | number>>;

/** A Prometheus metric. Names and units follow its conventions. */
export type Metric = ValueMetric | HistogramMetric;

interface MetricFacts {
  readonly name: string;
  /** One sentence for operators. */
  readonly help: string;
}

export interface ValueMetric extends MetricFacts {
  readonly type: 'counter' | 'gauge';
  /** The current values with their labels. */
  samples(): Iterable<readonly [labels: Labels, value: number]>;
}

export interface HistogramMetric extends MetricFacts {
  readonly type: 'histogram';
  samples(): Iterable<readonly [labels: Labels, histogram: Histogram]>;
}

/** Creates a counter: a value that only grows. */
export function counter(name: string, help: string, samples: ValueMetric['samples']): ValueMetric {
  return { name, help, type: 'counter', samples };
}

/** Creates a gauge: a value that goes up and down. */
export function gauge(name: string, help: string, samples: ValueMetric['samples']): ValueMetric {
  return { name, help, type: 'gauge', samples };
}

/** Creates the metric of a histogram. */
export function histogram(
  name: string,
  help: string,
  samples: HistogramMetric['samples'],
): HistogramMetric {
  return { name, help, type: 'histogram', samples };
}

/** The sample of a metric without labels; none while its value is unknown. */
export function single<T>(value: T | undefined): readonly (readonly [labels: Labels, value: T])[] {
  return value === undefined ? [] : [[{}, value]];
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

function linesOf(metric: Metric): string[] {
  if (metric.type !== 'histogram') {
    return Array.from(metric.samples(), ([labels, value]) => line(metric.name, labels, value));
  }
  return [...metric.samples()].flatMap(([labels, histogram]) =>
    histogramLines(metric.name, labels, histogram),
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
