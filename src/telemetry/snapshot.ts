import type { Labels, Metric, ValueMetric } from './exposition.ts';

/** A metric with its samples at one moment, as plain data. */
export type Snapshot = ValueSnapshot | HistogramSnapshot;

interface ValueSnapshot extends Omit<ValueMetric, 'samples'> {
  readonly samples: readonly (readonly [labels: Labels, value: number])[];
}

interface HistogramValues {
  readonly bounds: readonly number[];
  readonly counts: Float64Array;
  readonly sum: number;
}

interface HistogramSnapshot {
  readonly type: 'histogram';
  readonly name: string;
  readonly help: string;
  readonly samples: readonly (readonly [labels: Labels, values: HistogramValues])[];
}

/** Copies the samples of metrics. */
export function snapshotOf(metrics: readonly Metric[]): readonly Snapshot[] {
  return metrics.map((metric) => {
    if (metric.type !== 'histogram') return { ...metric, samples: [...metric.samples()] };
    const samples = Array.from(metric.samples(), ([labels, { bounds, counts, sum }]) => {
      return [labels, { bounds, counts: counts.slice(), sum: sum() }] as const;
    });
    return { ...metric, samples };
  });
}

/** Keeps the counters and histograms, which continue from here when their source has ended. */
export function countersOf(snapshots: readonly Snapshot[]): readonly Snapshot[] {
  return snapshots.filter(({ type }) => type !== 'gauge');
}

/** Adds up the metrics of several threads: samples with the same labels become one. */
export function sumSnapshots(threads: readonly (readonly Snapshot[])[]): readonly Metric[] {
  const byName = Map.groupBy(threads.flat(), ({ name }) => name);
  return [...byName.values()].flatMap((snapshots) => summed(snapshots) ?? []);
}

function summed(snapshots: readonly Snapshot[]): Metric | undefined {
  const [first] = snapshots;
  if (first === undefined) return undefined;
  if (first.type === 'histogram') {
    const all = snapshots.flatMap((each) => (each.type === 'histogram' ? each.samples : []));
    const samples = combine(all, addHistograms);
    const { type, name, help } = first;
    return {
      type,
      name,
      help,
      samples: () =>
        samples.map(([labels, { sum, ...values }]) => {
          return [labels, { ...values, sum: () => sum, observe() {} }] as const;
        }),
    };
  }
  const all = snapshots.flatMap((each) => (each.type === 'histogram' ? [] : each.samples));
  const samples = combine(all, first.least ? Math.min : (one, other) => one + other);
  return { ...first, samples: () => samples };
}

function combine<T>(
  samples: readonly (readonly [Labels, T])[],
  add: (one: T, other: T) => T,
): (readonly [Labels, T])[] {
  const byLabels = new Map<string, readonly [Labels, T]>();
  for (const [labels, value] of samples) {
    const key = JSON.stringify(labels);
    const known = byLabels.get(key);
    byLabels.set(key, [labels, known === undefined ? value : add(known[1], value)]);
  }
  return [...byLabels.values()];
}

function addHistograms(one: HistogramValues, other: HistogramValues): HistogramValues {
  const counts = one.counts.map((count, bucket) => count + (other.counts[bucket] ?? 0));
  return { bounds: one.bounds, counts, sum: one.sum + other.sum };
}
