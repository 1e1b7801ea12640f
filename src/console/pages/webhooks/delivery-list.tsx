import { attempt } from '../../attempt.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { LoadingState } from '../../components/loading-state.tsx';
import { currentCursor, Pager } from '../../components/pager.tsx';
import { Status } from '../../components/status.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { eventName } from '../../event-names.ts';
import { formatMoment, formatNumber } from '../../format.ts';
import { useLoaded } from '../../loading.ts';
import { notify } from '../../notices.ts';
import { carryOut } from '../../outbox.ts';
import { type Delivery, store } from '../../service.ts';

const PAGE_SIZE = 20;
/** Deliveries make no events of their own. */
const LOOK_EVERY_MS = 5_000;

const COLUMNS: readonly Column<Delivery>[] = [
  {
    name: 'Event',
    cell: ({ type, eventId }) => `${eventName(type)}, number ${eventId}`,
  },
  { name: 'Status', cell: ({ status }) => <Status value={status} /> },
  { name: 'Time', cell: ({ deliveredAt, createdAt }) => formatMoment(deliveredAt ?? createdAt) },
  { name: 'Attempts', cell: ({ attempts }) => formatNumber(attempts), isNumber: true },
  { name: 'Answer', cell: answerOf },
];

/** What was sent to a webhook, the newest first. */
export function DeliveryList({ webhookId }: { readonly webhookId: number }) {
  const cursor = currentCursor();
  const { value, error, reload } = useLoaded(
    (signal) => store.webhooks.deliveries(webhookId, { limit: PAGE_SIZE }, { signal }).page(cursor),
    [webhookId, cursor],
    [],
    { everyMs: LOOK_EVERY_MS },
  );

  async function retry(delivery: Delivery) {
    await carryOut({
      label: `Send event ${delivery.eventId} again`,
      send: (idempotencyKey) =>
        store.webhooks.retryDelivery(webhookId, delivery.id, { idempotencyKey }),
      done() {
        notify('It is sent again.');
        reload();
      },
    });
  }

  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries">Deliveries</h2>
      {value === undefined && error === undefined && <LoadingState />}
      {value === undefined && error && <ErrorState error={error} retry={reload} />}
      {value?.items.length === 0 && <p>Nothing was sent yet.</p>}
      {value !== undefined && value.items.length > 0 && (
        <Table
          caption="Deliveries"
          columns={COLUMNS}
          items={value.items}
          keyOf={({ id }) => id}
          nameOf={({ eventId }) => `Event ${eventId}`}
          actions={(delivery) => (
            <button
              type="button"
              class="button small"
              aria-label={`Retry event ${delivery.eventId}`}
              onClick={() => attempt(() => retry(delivery))}
            >
              Retry
            </button>
          )}
        />
      )}
      {value !== undefined && <Pager name="deliveries" next={value.nextCursor} />}
    </section>
  );
}

/** What the endpoint said, or why it said nothing. */
function answerOf({ responseStatus, error }: Delivery): string {
  if (responseStatus !== null) return String(responseStatus);
  return error ?? '';
}
