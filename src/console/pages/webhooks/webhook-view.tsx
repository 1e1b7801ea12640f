import { ErrorState } from '../../components/error-state.tsx';
import { LoadingState } from '../../components/loading-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Status } from '../../components/status.tsx';
import { eventName } from '../../event-names.ts';
import { formatDay, formatList } from '../../format.ts';
import { readNumber } from '../../int64.ts';
import { useLoaded } from '../../loading.ts';
import { PetstoreError, store, type Webhook } from '../../service.ts';
import { DeliveryList } from './delivery-list.tsx';
import { TestWebhook } from './test-webhook.tsx';
import { WebhookActions } from './webhook-actions.tsx';

/** One webhook: what it gets, a test of it, and what was sent. */
export function WebhookView({ id }: { readonly id: string }) {
  const { value, error, reload } = useLoaded((signal) => webhookOf(id, signal), [id]);
  return (
    <>
      <p class="page-back">
        <a href="/console/webhooks">All webhooks</a>
      </p>
      <PageHeader title="Webhook">
        {value !== undefined && <WebhookActions of={value} onChanged={reload} />}
      </PageHeader>
      {value === undefined && error === undefined && <LoadingState />}
      {value === undefined && error && <ErrorState error={error} retry={reload} />}
      {value !== undefined && (
        <>
          <WebhookFacts of={value} />
          <TestWebhook id={value.id} />
          <DeliveryList webhookId={value.id} />
        </>
      )}
    </>
  );
}

async function webhookOf(id: string, signal: AbortSignal): Promise<Webhook> {
  const number = readNumber(id);
  if (number === undefined) {
    throw new PetstoreError('There is no webhook with this number.', { code: 'webhook_not_found' });
  }
  return store.webhooks.get(number, { signal });
}

const REASONS: Readonly<Record<NonNullable<Webhook['disabledReason']>, string>> = {
  requested: 'Somebody disabled it.',
  gone: 'Its address says that it no longer exists.',
  failing: 'Nothing could be delivered for five days.',
  copied: 'The database was restored or copied. Enable it if this is the shop that should send.',
};

function WebhookFacts({ of: webhook }: { readonly of: Webhook }) {
  const { url, status, disabledReason, types, description, createdAt } = webhook;
  return (
    <dl class="facts webhook-facts">
      <dt>Address</dt>
      <dd>{url}</dd>
      <dt>Status</dt>
      <dd>
        <Status value={status} /> {disabledReason !== null && REASONS[disabledReason]}
      </dd>
      <dt>Events</dt>
      <dd>{types === null ? 'All' : formatList(types.map(eventName))}</dd>
      {description !== null && (
        <>
          <dt>Description</dt>
          <dd>{description}</dd>
        </>
      )}
      <dt>Added</dt>
      <dd>{formatDay(createdAt)}</dd>
    </dl>
  );
}
