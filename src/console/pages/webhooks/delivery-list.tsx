import { Button } from '../../components/button.tsx';
import { Status } from '../../components/facts.tsx';
import { PagedTable, usePage } from '../../components/list-page.tsx';
import { Section } from '../../components/states.tsx';
import type { Column } from '../../components/table.tsx';
import { formatAgo, formatMoment, formatNumber } from '../../format.ts';
import { t } from '../../language.ts';
import { submit } from '../../outbox.tsx';
import { problemText } from '../../refusals.ts';
import { type Delivery, store, type Webhook } from '../../service.ts';
import { eventName } from '../../words.ts';

const PAGE_SIZE = 20;
/** Deliveries make no events of their own. */
const REFRESH_MS = 5_000;

/** A webhook with its status for a person: `failing` if what was sent last did not arrive. */
export type Row = Webhook & { readonly health: string };

/** Deliveries that are looked at: the newest may wait for their first attempt. */
const LOOKED_AT = 5;

/** Finds out how a webhook does. */
export async function withHealth(webhook: Webhook, signal: AbortSignal): Promise<Row> {
  const { id, status } = webhook;
  const newest = await store.webhooks.deliveries(id, { limit: LOOKED_AT }, { signal }).page();
  const last = newest.items.find(({ attempts }) => attempts > 0);
  const isFailing = status === 'enabled' && last !== undefined && last.status !== 'delivered';
  return { ...webhook, health: isFailing ? 'failing' : status };
}

const COLUMNS: readonly Column<Delivery>[] = [
  { name: t`Event`, cell: ({ type, eventId }) => t`${eventName(type)} (event ${eventId})` },
  {
    name: t`Status`,
    cell: ({ status, attempts }) => (
      <Status value={status === 'pending' ? (attempts > 0 ? 'trying again' : 'queued') : status} />
    ),
  },
  { name: t`Time`, cell: ({ deliveredAt, createdAt }) => formatMoment(deliveredAt ?? createdAt) },
  { name: t`Attempts`, cell: ({ attempts }) => formatNumber(attempts), isNumber: true },
  { name: t`Answer`, cell: answerOf },
];

export function DeliveryList({ webhookId }: { readonly webhookId: number }) {
  const page = usePage(
    (options) => store.webhooks.deliveries(webhookId, { limit: PAGE_SIZE }, options),
    ['webhook'],
    [webhookId],
    { everyMs: REFRESH_MS },
  );
  const retry = ({ id, eventId }: Delivery) =>
    submit({
      label: t`Send event ${eventId} again`,
      call: (to) => to.webhooks.retryDelivery(webhookId, id),
      says: t`It is sent again.`,
    });
  return (
    <Section id="deliveries" title={t`Deliveries`}>
      <PagedTable
        from={page}
        caption={t`Deliveries`}
        columns={COLUMNS}
        empty={<p>{t`Nothing was sent yet.`}</p>}
        actions={(delivery) => (
          <Button
            kind="small"
            label={t`Retry event ${delivery.eventId}`}
            onClick={() => retry(delivery)}
          >{t`Retry`}</Button>
        )}
      />
    </Section>
  );
}

/** What the endpoint said, or why it said nothing, and when it is tried again. */
function answerOf({ responseStatus, error, nextAttemptAt, attempts }: Delivery): string {
  const answer = responseStatus ? `${responseStatus}.` : error && problemText(error);
  const next =
    attempts > 0 && nextAttemptAt !== null && t`Next attempt ${formatAgo(nextAttemptAt)}.`;
  return [answer, next].filter(Boolean).join(' ');
}
