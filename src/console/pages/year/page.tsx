import type { ComponentChildren } from 'preact';
import { Button } from '../../components/button.tsx';
import { Chart } from '../../components/chart.tsx';
import { ExportMenu, saveFile } from '../../components/export-menu.tsx';
import { QueryField } from '../../components/field.tsx';
import { PageHeader } from '../../components/list-page.tsx';
import { WhenLoaded } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { formatNumber } from '../../format.ts';
import { t } from '../../language.ts';
import { useLoaded } from '../../loading.ts';
import { query } from '../../router.ts';
import { type StayReport, store } from '../../service.ts';
import { statusName, statusWord } from '../../words.ts';

const MONTHS = Array.from({ length: 12 }, (_, month) => month);
/** Years to choose from. */
const YEARS_SHOWN = 12;

type Numbers = StayReport['total'];

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

function Report({ of: { rows, total }, year }: { readonly of: StayReport; readonly year: number }) {
  const groups = [
    ...rows.map((row) => ({ ...row, name: `${statusName(row.species)}, ${statusWord(row.age)}` })),
    { ...total, name: t`All` },
  ];
  return (
    <>
      <Scrolled name={t`Animals of ${year}`}>
        <Table
          caption={t`Animals of ${year}`}
          items={groups}
          keyOf={({ name }) => name}
          columns={[
            { name: t`Animals`, cell: ({ name }) => name },
            { name: t`At the start`, isNumber: true, cell: ({ start }) => formatNumber(start) },
            { name: t`Came`, isNumber: true, cell: ({ intakes }) => formatNumber(sum(intakes)) },
            { name: t`Left`, isNumber: true, cell: ({ outcomes }) => formatNumber(sum(outcomes)) },
            { name: t`At the end`, isNumber: true, cell: ({ end }) => formatNumber(end) },
            {
              name: t`Live release`,
              isNumber: true,
              cell: ({ liveReleaseRate }) => share(liveReleaseRate),
            },
            { name: t`Median days`, isNumber: true, cell: ({ medianDays }) => days(medianDays) },
          ]}
        />
      </Scrolled>
      <Ways caption={t`How they came`} rows={groups} of={({ intakes }) => intakes} />
      <Ways caption={t`How they left`} rows={groups} of={({ outcomes }) => outcomes} />
    </>
  );
}

interface ScrolledProps {
  readonly name: string;
  readonly children: ComponentChildren;
}

/** What may be wider than the page. By the keyboard, too. */
function Scrolled({ name, children }: ScrolledProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll what has the focus
    <section class="year-table" aria-label={name} tabIndex={0}>
      {children}
    </section>
  );
}

type NamedNumbers = Numbers & { readonly name: string };

interface WaysProps {
  readonly caption: string;
  readonly rows: readonly NamedNumbers[];
  readonly of: (row: Numbers) => object;
}

/** Numbers by way, of which those are shown that occur. */
function Ways({ caption, rows, of }: WaysProps) {
  const total = rows.at(-1);
  const ways =
    total === undefined
      ? []
      : Object.entries<number>({ ...of(total) }).filter(([, count]) => count > 0);
  if (ways.length === 0) return null;
  return (
    <section>
      <h2>{caption}</h2>
      <Scrolled name={caption}>
        <Table
          caption={caption}
          items={rows}
          keyOf={({ name }) => name}
          columns={[
            { name: t`Animals`, cell: ({ name }: NamedNumbers) => name },
            ...ways.map(([way]) => ({
              name: statusName(way),
              isNumber: true,
              cell: (row: NamedNumbers) => formatNumber(Number(Reflect.get(of(row), way))),
            })),
          ]}
        />
      </Scrolled>
    </section>
  );
}
