import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { PageHeader } from '../../components/list-page.tsx';
import { Facts, WhenLoaded } from '../../components/states.tsx';
import { Status } from '../../components/status.tsx';
import { explain } from '../../failures.ts';
import { formatDay, formatNumber } from '../../format.ts';
import { useLoaded } from '../../loading.ts';
import { readNumber } from '../../router.ts';
import { store, type TestOutcome, type Webhook } from '../../service.ts';
import { eventNames } from '../../words.ts';
import { DeliveryList, type Row, withHealth } from './delivery-list.tsx';
import { WebhookActions } from './webhook-actions.tsx';

/** A test may wait this long for the endpoint. */
const TEST_MS = 60_000;
const REFRESH_MS = 15_000;

/** One webhook: what it gets, a test of it, and what was sent. */
export function WebhookView({ id }: { readonly id: string }) {
  const loaded = useLoaded(
    async (signal) => withHealth(await store.webhooks.get(readNumber(id) ?? 0, { signal }), signal),
    [id],
    ['webhook'],
    { everyMs: REFRESH_MS },
  );
  const { value } = loaded;
  return (
    <>
      <p>
        <a href="/console/webhooks">All webhooks</a>
      </p>
      <PageHeader title="Webhook">{value && <WebhookActions of={value} />}</PageHeader>
      <WhenLoaded from={loaded}>
        {(webhook) => (
          <>
            <WebhookFacts of={webhook} />
            <TestWebhook id={webhook.id} />
            <DeliveryList webhookId={webhook.id} />
          </>
        )}
      </WhenLoaded>
    </>
  );
}

const REASONS: Readonly<Record<NonNullable<Webhook['disabledReason']>, string>> = {
  requested: 'An administrator disabled it.',
  gone: 'Its address says that it no longer exists.',
  failing: 'Nothing could be delivered for five days.',
  key: 'The API key that it belongs to has ended, or may no longer read events.',
  copied: 'The database was restored or copied. Enable it if this is the shop that should send.',
};

function WebhookFacts({ of }: { readonly of: Row }) {
  const { url, health, disabledReason, types, description, createdAt } = of;
  const reason = disabledReason && ` ${REASONS[disabledReason]}`;
  return (
    <Facts
      of={{
        Address: url,
        Status: [<Status key="status" value={health} />, reason],
        Events: eventNames(types),
        Description: description,
        Added: formatDay(createdAt),
      }}
    />
  );
}

/** Sends a test to a webhook, and shows how its endpoint answered. */
function TestWebhook({ id }: { readonly id: number }) {
  const [isSending, setSending] = useState(false);
  const [outcome, setOutcome] = useState<string>();

  async function test() {
    setSending(true);
    setOutcome(undefined);
    try {
      setOutcome(textOf(await store.webhooks.test(id, { timeout: TEST_MS })));
    } catch (error) {
      setOutcome(explain(error));
    } finally {
      setSending(false);
    }
  }

  return (
    <div class="row">
      <Button isDisabled={isSending} onClick={test}>
        Send a test
      </Button>
      <p role="status">{isSending ? 'Sending…' : outcome}</p>
    </div>
  );
}

function textOf({ delivered, status, error, milliseconds }: TestOutcome): string {
  const time = `after ${formatNumber(milliseconds)} ms`;
  if (delivered) return `It arrived: the endpoint answered ${status} ${time}.`;
  if (status !== undefined) return `It did not arrive: the endpoint answered ${status} ${time}.`;
  return `It did not arrive: ${(error ?? 'no answer').replace(/\.$/, '')}.`;
}
