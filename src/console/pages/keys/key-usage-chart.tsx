import { Chart } from '../../components/chart.tsx';
import { WhenLoaded } from '../../components/states.tsx';
import { count, formatHour, formatNumber, formatShortDay } from '../../format.ts';
import { t } from '../../language.ts';
import { useLoaded } from '../../loading.ts';
import { query, withQuery } from '../../router.ts';
import { type KeyUsage, store } from '../../service.ts';

/** The service adds up what a key sends about once a second; a person need not see each. */
const REFRESH_MS = 5_000;

/** The two ways to see what a key sent. */
const SPANS = {
  day: { name: t`By day`, title: t`Requests in the last 30 days` },
  hour: { name: t`By hour`, title: t`Requests in the last 24 hours` },
} as const;
const WEEK_DAYS = 7;

type Per = keyof typeof SPANS;

/** What a key sent, by the day or the hour: answered, and refused because of its limits. */
export function KeyUsageChart({ keyId }: { readonly keyId: number }) {
  const per: Per = query.value.get('per') === 'hour' ? 'hour' : 'day';
  const loaded = useLoaded(
    async (signal) => ({ per, usage: await store.keys.usage(keyId, { per }, { signal }) }),
    [keyId, per],
    [],
    { everyMs: REFRESH_MS },
  );

  return (
    <section class="key-usage">
      <p class="row key-spans">
        {(Object.keys(SPANS) as Per[]).map((span) => (
          <a
            key={span}
            class="button small"
            href={withQuery({ per: span === 'day' ? undefined : span })}
            aria-current={span === per ? 'true' : undefined}
          >
            {SPANS[span].name}
          </a>
        ))}
      </p>
      <WhenLoaded from={loaded}>
        {(value) => value.per === per && <UsageBars {...value} />}
      </WhenLoaded>
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
    <>
      <Chart
        title={SPANS[per].title}
        labelName={per === 'hour' ? t`Hour` : t`Day in UTC`}
        labels={usage.map(({ start }) => label(start))}
        series={[
          { name: t`Answered`, values: usage.map(({ requests }) => requests) },
          { name: t`Over its limit`, values: usage.map(({ refused }) => refused) },
        ]}
      />
      <p class="hint">
        {per === 'day' && t`${sumOf(usage.slice(-WEEK_DAYS))} in the last 7 days, `}
        {sumOf(usage)} {t`in all. What a key asks for without the right to it counts as answered.`}
      </p>
    </>
  );
}

/** `12 requests, 3 of them over its limit` */
function sumOf(usage: readonly KeyUsage[]): string {
  const all = usage.reduce((sum, { requests }) => sum + requests, 0);
  const refused = usage.reduce((sum, one) => sum + one.refused, 0);
  const sent = count(all + refused, 'request');
  return refused === 0 ? sent : t`${sent}, ${formatNumber(refused)} of them over its limit,`;
}
