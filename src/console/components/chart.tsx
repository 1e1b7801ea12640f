import { useId } from 'preact/hooks';
import { formatNumber } from '../format.ts';
import { t } from '../language.ts';
import { Table } from './table.tsx';

/** Values that belong together, one for each label. */
export interface Series {
  readonly name: string;
  readonly values: readonly number[];
}

interface ChartProps {
  /** What the chart shows: its heading. */
  readonly title: string;
  /** What the labels are, as the head of their column: `Week from`. */
  readonly labelName: string;
  /** The labels of the bars, in the reader's locale. */
  readonly labels: readonly string[];
  /** One series, or two on top of each other. */
  readonly series: readonly [Series] | readonly [Series, Series];
}

/** The height of the drawing in its own units; it is stretched to its place. */
const HEIGHT = 100;
const BAR_WIDTH = 8;
const BAR_STEP = 10;

type Bar = { readonly label: string; readonly place: number };

/** Bars over time, and the same numbers as a table. */
export function Chart({ title, labelName, labels, series }: ChartProps) {
  const titleId = useId();
  const totals = labels.map((_, place) =>
    series.reduce((sum, { values }) => sum + (values[place] ?? 0), 0),
  );
  const top = roundTop(Math.max(...totals, 1));
  return (
    <figure class="chart" aria-labelledby={titleId}>
      <figcaption id={titleId}>{title}</figcaption>
      {series.length > 1 && (
        <ul class="chart-legend">
          {series.map(({ name }, index) => (
            <li key={name} data-series={index}>
              {name}
            </li>
          ))}
        </ul>
      )}
      <div class="chart-plot" aria-hidden="true">
        <ul class="chart-scale">
          <li>{formatNumber(top)}</li>
          <li>{formatNumber(top / 2)}</li>
          <li>0</li>
        </ul>
        <Bars labels={labels} series={series} top={top} />
        <ul class="chart-labels">
          {axisLabels(labels).map((label) => (
            <li key={label}>{label}</li>
          ))}
        </ul>
      </div>
      <details>
        <summary>{t`Show as table`}</summary>
        <Table
          caption={title}
          items={labels.map((label, place): Bar => ({ label, place }))}
          keyOf={({ label }) => label}
          columns={[
            { name: labelName, cell: ({ label }) => label },
            ...series.map(({ name, values }) => ({
              name,
              cell: ({ place }: Bar) => formatNumber(values[place] ?? 0),
              isNumber: true,
            })),
          ]}
        />
      </details>
    </figure>
  );
}

function Bars({ labels, series, top }: Omit<ChartProps, 'title' | 'labelName'> & { top: number }) {
  return (
    <svg
      class="chart-bars"
      viewBox={`0 0 ${labels.length * BAR_STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {labels.map((label, place) => {
        let below = 0;
        return (
          <g key={label}>
            <title>{`${label}: ${series.map((one) => formatNumber(one.values[place] ?? 0)).join(' + ')}`}</title>
            {series.map(({ name, values }, index) => {
              const height = ((values[place] ?? 0) / top) * HEIGHT;
              below += height;
              return (
                <rect
                  key={name}
                  data-series={index}
                  x={place * BAR_STEP + (BAR_STEP - BAR_WIDTH) / 2}
                  y={HEIGHT - below}
                  width={BAR_WIDTH}
                  height={height}
                />
              );
            })}
          </g>
        );
      })}
    </svg>
  );
}

/** Returns a round, even number that is not less. */
function roundTop(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value));
  const step = [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8].find((factor) => factor * unit >= value);
  return 2 * Math.ceil(((step ?? 10) * unit) / 2);
}

/** The first, the middle and the last label: more have no room on a phone. */
function axisLabels(labels: readonly string[]): readonly string[] {
  const places = [0, Math.floor((labels.length - 1) / 2), labels.length - 1];
  return [...new Set(places)].flatMap((place) => labels[place] ?? []);
}
