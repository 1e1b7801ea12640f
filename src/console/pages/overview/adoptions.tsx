import { Chart } from '../../components/chart.tsx';
import { count, formatShortDay, mondayOf } from '../../format.ts';
import type { WeekStats } from '../../service.ts';

/** The adoptions of the last weeks. */
export function Adoptions({ weeks }: { readonly weeks: readonly WeekStats[] }) {
  const total = weeks.reduce((sum, { completed }) => sum + completed, 0);
  return (
    <section class="overview-part wide" aria-label="Adoptions by week">
      <Chart
        title="Adoptions by week"
        labelName="Week from"
        labels={weeks.map(({ week }) => formatShortDay(mondayOf(week)))}
        series={[{ name: 'Completed', values: weeks.map(({ completed }) => completed) }]}
      />
      <p class="overview-note">{count(total, 'adoption')} completed in a year</p>
    </section>
  );
}
