import { Chart } from '../../components/chart.tsx';
import { Status } from '../../components/facts.tsx';
import { Section, WhenLoaded } from '../../components/states.tsx';
import { count, formatNumber, formatShortDay, mondayOf } from '../../format.ts';
import { t } from '../../language.ts';
import { useLoaded } from '../../loading.ts';
import { type CategoryStats, collect, type Stats, store, type WeekStats } from '../../service.ts';

const STATUSES = [
  ['available', t`looking for a home`],
  ['pending', t`reserved for somebody`],
  ['sold', t`or left in another way`],
] as const;

/** The animals by status, each leading to them. */
export function Statuses({ pets, adoptable }: Pick<Stats, 'pets' | 'adoptable'>) {
  return (
    <section aria-labelledby="by-status">
      <h2 id="by-status" class="visually-hidden">{t`Animals by status`}</h2>
      <ul class="stack overview-statuses">
        {STATUSES.map(([status, meaning]) => (
          <li key={status}>
            <a class="card" href={`/console/animals?status=${status}`}>
              <Status value={status} /> <strong>{formatNumber(pets[status])}</strong>{' '}
              <span class="hint">
                {status === 'available' && adoptable < pets.available
                  ? t`${formatNumber(adoptable)} can be adopted today`
                  : meaning}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The adoptions of the last weeks; a sentence if there were none. */
export function Adoptions({ weeks }: { readonly weeks: readonly WeekStats[] }) {
  const total = weeks.reduce((sum, { completed }) => sum + completed, 0);
  return (
    <section class="card wide" aria-label={t`Adoptions by week`}>
      {total === 0 ? (
        <p class="hint">{t`No adoption was completed here in the last year.`}</p>
      ) : (
        <>
          <Chart
            title={t`Adoptions by week`}
            labelName={t`Week from`}
            labels={weeks.map(({ week }) => formatShortDay(mondayOf(week)))}
            series={[{ name: t`Completed`, values: weeks.map(({ completed }) => completed) }]}
          />
          <p class="hint">{t`${count(total, 'adoption')} completed in a year`}</p>
        </>
      )}
    </section>
  );
}

/** The largest categories are shown; the page of categories has them all. */
const SHOWN = 8;

interface CategoriesProps {
  readonly categories: readonly CategoryStats[];
  /** Whether nothing is beside it. */
  readonly isAlone: boolean;
}

/** The animals by category, the largest first. */
export function Categories({ categories, isAlone }: CategoriesProps) {
  const largest = Math.max(1, ...categories.map(({ pets }) => pets));
  return (
    <Section id="by-category" title={t`Animals by category`} kind={isAlone ? 'card wide' : 'card'}>
      <ul class="overview-bars">
        {categories.slice(0, SHOWN).map(({ id, name, pets }) => (
          <li key={id}>
            <a href={`/console/animals?category=${id}`}>{name}</a>
            <span>{formatNumber(pets)}</span>
            <svg viewBox={`0 0 ${largest} 1`} preserveAspectRatio="none" aria-hidden="true">
              <rect width={pets} height="1" />
            </svg>
          </li>
        ))}
      </ul>
      <p class="hint">
        <a href="/console/categories">
          {categories.length === 0 ? t`Add the first category` : t`All categories`}
        </a>
      </p>
    </Section>
  );
}

/** The usage of this many keys is read, those used last: each is a request. */
const KEYS_MAX = 20;

/** For administrators: what programs and people have asked of the service, and what it refused. */
export function Requests() {
  const loaded = useLoaded(readUsage, []);
  return (
    <section class="card" aria-label={t`Requests by day`}>
      <WhenLoaded from={loaded}>
        {(days) => (
          <>
            <Chart
              title={t`Requests by day`}
              labelName={t`Day`}
              labels={days.map(({ start }) => formatShortDay(start))}
              series={[
                { name: t`Answered`, values: days.map(({ requests }) => requests) },
                { name: t`Refused`, values: days.map(({ refused }) => refused) },
              ]}
            />
            <p class="hint">
              <a href="/console/keys">{t`Keys`}</a>
            </p>
          </>
        )}
      </WhenLoaded>
    </section>
  );
}

/** Returns the requests of the keys used last, added up by day. */
async function readUsage(signal: AbortSignal) {
  const latest = (await collect(store.keys.list({ limit: 100 }, { signal })))
    .filter(({ lastUsedAt }) => lastUsedAt !== null)
    .sort((a, b) => String(b.lastUsedAt).localeCompare(String(a.lastUsedAt)))
    .slice(0, KEYS_MAX);
  const usages = await Promise.all(
    latest.map(({ id }) => store.keys.usage(id, { per: 'day' }, { signal })),
  );
  const byDay = Map.groupBy(usages.flat(), ({ start }) => start);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return [...byDay].map(([start, all]) => ({
    start,
    requests: sum(all.map(({ requests }) => requests)),
    refused: sum(all.map(({ refused }) => refused)),
  }));
}
