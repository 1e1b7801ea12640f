import { Chart } from '../../components/chart.tsx';
import { explain } from '../../components/error-state.tsx';
import { LoadingState } from '../../components/loading-state.tsx';
import { formatHour, formatShortDay } from '../../format.ts';
import { useLoaded } from '../../loading.ts';
import { query, withQuery } from '../../router.ts';
import { type KeyUsage, store } from '../../service.ts';

/** The service adds up what a key sends about once a second; a person need not see each. */
const LOOK_EVERY_MS = 5_000;

/** The two ways to see what a key sent. */
const SPANS = {
  hour: { name: 'By hour', title: 'Requests in the last 24 hours' },
  day: { name: 'By day', title: 'Requests in the last 30 days' },
} as const;

type Per = keyof typeof SPANS;

/** What a key sent, by the hour or the day: answered and refused. */
export function KeyUsageChart({ keyId }: { readonly keyId: number }) {
  const per: Per = query.value.get('per') === 'day' ? 'day' : 'hour';
  const { value, error } = useLoaded(
    async (signal) => ({ per, usage: await store.keys.usage(keyId, { per }, { signal }) }),
    [keyId, per],
    [],
    { everyMs: LOOK_EVERY_MS },
  );

  return (
    <section class="key-usage">
      <p class="key-spans">
        {(Object.keys(SPANS) as Per[]).map((span) => (
          <a
            key={span}
            class="button small"
            href={withQuery({ per: span === 'hour' ? undefined : span })}
            aria-current={span === per ? 'true' : undefined}
          >
            {SPANS[span].name}
          </a>
        ))}
      </p>
      {error && <p class="problem">{explain(error)}</p>}
      {value === undefined && !error && <LoadingState />}
      {value?.per === per && <UsageBars per={per} usage={value.usage} />}
    </section>
  );
}

interface UsageBarsProps {
  readonly per: Per;
  readonly usage: readonly KeyUsage[];
}

function UsageBars({ per, usage }: UsageBarsProps) {
  const label = per === 'hour' ? formatHour : formatShortDay;
  return (
    <Chart
      title={SPANS[per].title}
      labelName={per === 'hour' ? 'Hour' : 'Day in UTC'}
      labels={usage.map(({ start }) => label(start))}
      series={[
        { name: 'Answered', values: usage.map(({ requests }) => requests) },
        { name: 'Refused', values: usage.map(({ refused }) => refused) },
      ]}
    />
  );
}
