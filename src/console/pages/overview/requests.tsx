import { Chart } from '../../components/chart.tsx';
import { LoadingState } from '../../components/states.tsx';
import { explain } from '../../failures.ts';
import { count, formatShortDay } from '../../format.ts';
import { useLoaded } from '../../loading.ts';
import { type Key, type KeyUsage, store } from '../../service.ts';

/** The usage of this many keys is read, those used last: each is a request. */
const KEYS_MAX = 20;

/** For administrators: what programs and people have asked of the service, and what it refused. */
export function Requests() {
  const { value, error } = useLoaded(readUsage, []);
  return (
    <section class="card" aria-label="Requests by day">
      {value === undefined && error === undefined && <LoadingState />}
      {value === undefined && error && <p>{explain(error)}</p>}
      {value !== undefined && (
        <>
          <Chart
            title="Requests by day"
            labelName="Day"
            labels={value.days.map(({ start }) => formatShortDay(start))}
            series={[
              { name: 'Answered', values: value.days.map(({ requests }) => requests) },
              { name: 'Refused', values: value.days.map(({ refused }) => refused) },
            ]}
          />
          <p class="hint">
            By {count(value.keys, 'key')}. <a href="/console/keys">Keys</a>
          </p>
        </>
      )}
    </section>
  );
}

/** Returns the requests of the keys used last, added up by day. */
async function readUsage(signal: AbortSignal): Promise<{ days: KeyUsage[]; keys: number }> {
  const used: Key[] = [];
  for await (const key of store.keys.list({ limit: 100 }, { signal })) {
    if (key.lastUsedAt !== null) used.push(key);
  }
  const latest = used
    .sort((a, b) => String(b.lastUsedAt).localeCompare(String(a.lastUsedAt)))
    .slice(0, KEYS_MAX);
  const usages = await Promise.all(
    latest.map(({ id }) => store.keys.usage(id, { per: 'day' }, { signal })),
  );
  const byDay = Map.groupBy(usages.flat(), ({ start }) => start);
  const sum = (days: readonly KeyUsage[], part: 'requests' | 'refused' | 'errors') =>
    days.reduce((total, day) => total + day[part], 0);
  const days = [...byDay].map(([start, all]) => ({
    start,
    requests: sum(all, 'requests'),
    refused: sum(all, 'refused'),
    errors: sum(all, 'errors'),
  }));
  return { days, keys: latest.length };
}
