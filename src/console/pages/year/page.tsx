import { Button } from '../../components/button.tsx';
import { Chart } from '../../components/chart.tsx';
import { ExportMenu, saveFile } from '../../components/export-menu.tsx';
import { QueryField } from '../../components/field.tsx';
import { PageHeader } from '../../components/list-page.tsx';
import { WhenLoaded } from '../../components/states.tsx';
import { type Column, Table, type TableProps } from '../../components/table.tsx';
import { formatNumber } from '../../format.ts';
import { t } from '../../language.ts';
import { useLoaded } from '../../loading.ts';
import { query } from '../../router.ts';
import { type StayReport, store } from '../../service.ts';
import { statusName, statusWord } from '../../words.ts';

const MONTHS = Array.from({ length: 12 }, (_, month) => month);
const YEARS_SHOWN = 12;

const sum = (counts: object) =>
  Object.values(counts as Readonly<Record<string, number>>).reduce(
    (total, count) => total + count,
    0,
  );
const days = (value: number | null) => (value === null ? '–' : formatNumber(Math.round(value)));
const share = (rate: number | null) => (rate === null ? '–' : `${Math.round(rate * 100)} %`);

/** The first and the last day of a month. */
function monthOf(year: number, month: number) {
  const text = (at: number) => new Date(at).toISOString().slice(0, 10);
  return { from: text(Date.UTC(year, month, 1)), to: text(Date.UTC(year, month + 1, 0)) };
}

/** Who came and who left in a year: what boards and municipalities ask for. */
export default function YearPage() {
  const now = new Date().getFullYear();
  const year = Number(query.value.get('year')) || now;
  const range = { from: `${year}-01-01`, to: `${year}-12-31` };
  const report = useLoaded((signal) => store.reports.get(range, { signal }), [year], ['stay']);
  const months = useLoaded(
    (signal) =>
      Promise.all(
        MONTHS.map(
          async (month) => (await store.reports.get(monthOf(year, month), { signal })).total,
        ),
      ),
    [year],
    ['stay'],
  );
  const years = Array.from({ length: YEARS_SHOWN }, (_, n) => `${now - n}`);
  return (
    <>
      <PageHeader title={t`Year`}>
        <ExportMenu name="the year" save={(form) => saveFile('/reports/stays', range, form)} />
        <Button onClick={() => print()}>{t`Print`}</Button>
      </PageHeader>
      <search class="toolbar">
        <QueryField
          type="select"
          name="year"
          label={t`Year`}
          options={years.map((value) => [value === `${now}` ? '' : value, value])}
        />
      </search>
      <WhenLoaded from={report}>{(value) => <Report of={value} year={year} />}</WhenLoaded>
      <section class="card wide" aria-label={t`Animals by month`}>
        <WhenLoaded from={months}>
          {(totals) => (
            <Chart
              title={t`Animals by month`}
              labelName={t`Month`}
              labels={MONTHS.map((month) => nameOf(year, month))}
              series={[
                { name: t`Came`, values: totals.map(({ intakes }) => sum(intakes)) },
                { name: t`Left`, values: totals.map(({ outcomes }) => sum(outcomes)) },
              ]}
            />
          )}
        </WhenLoaded>
      </section>
    </>
  );
}

const nameOf = (year: number, month: number) =>
  new Date(Date.UTC(year, month, 1)).toLocaleDateString(undefined, {
    month: 'short',
    timeZone: 'UTC',
  });

type Group = StayReport['total'] & { readonly name: string };

function Report({ of: { rows, total }, year }: { readonly of: StayReport; readonly year: number }) {
  const all = { ...total, name: t`All` };
  const nameOf = ({ species, age }: (typeof rows)[number]) =>
    `${statusName(species)}, ${statusWord(age)}`;
  const groups: readonly Group[] = [...rows.map((row) => ({ ...row, name: nameOf(row) })), all];
  return (
    <>
      <Groups
        caption={t`Animals of ${year}`}
        items={groups}
        columns={[
          numbers(t`At the start`, ({ start }) => formatNumber(start)),
          numbers(t`Came`, ({ intakes }) => formatNumber(sum(intakes))),
          numbers(t`Left`, ({ outcomes }) => formatNumber(sum(outcomes))),
          numbers(t`At the end`, ({ end }) => formatNumber(end)),
          numbers(t`Live release`, ({ liveReleaseRate }) => share(liveReleaseRate)),
          numbers(t`Median days`, ({ medianDays }) => days(medianDays)),
        ]}
      />
      {WAYS.map(({ by, caption }) => {
        const ways = Object.entries(all[by]).filter(([, count]) => count > 0);
        const columns = ways.map(([way]) =>
          numbers(statusName(way), (group) => formatNumber(Number(Reflect.get(group[by], way)))),
        );
        if (ways.length === 0) return null;
        return (
          <section key={by}>
            <h2>{caption}</h2>
            <Groups caption={caption} items={groups} columns={columns} />
          </section>
        );
      })}
    </>
  );
}

/** Numbers by way, of which those are shown that occur. */
const WAYS = [
  { by: 'intakes', caption: t`How they came` },
  { by: 'outcomes', caption: t`How they left` },
] as const;

const numbers = (name: string, cell: Column<Group>['cell']) => ({ name, cell, isNumber: true });

/** A table that may be wider than the page. By the keyboard, too. */
function Groups({ columns, ...table }: TableProps<Group>) {
  const animals = { name: t`Animals`, cell: ({ name }: Group) => name };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll what has the focus
    <section class="year-table" aria-label={table.caption} tabIndex={0}>
      <Table keyOf={({ name }) => name} columns={[animals, ...columns]} {...table} />
    </section>
  );
}
