import { useState } from 'preact/hooks';
import { explain } from '../../components/error-state.tsx';
import { formatNumber } from '../../format.ts';
import { failureOf } from '../../loading.ts';
import { store, type TestOutcome } from '../../service.ts';

/** A test may wait this long for the endpoint. */
const TEST_MS = 60_000;

/** Sends a test to a webhook, and shows how its endpoint answered. */
export function TestWebhook({ id }: { readonly id: number }) {
  const [isSending, setSending] = useState(false);
  const [outcome, setOutcome] = useState<string>();

  async function test() {
    if (isSending) return;
    setSending(true);
    setOutcome(undefined);
    try {
      setOutcome(textOf(await store.webhooks.test(id, { timeout: TEST_MS })));
    } catch (error) {
      setOutcome(explain(failureOf(error)));
    } finally {
      setSending(false);
    }
  }

  return (
    <div class="webhook-test">
      <button type="button" class="button" aria-disabled={isSending} onClick={test}>
        Send a test
      </button>
      <p role="status">{isSending ? 'Sending…' : outcome}</p>
    </div>
  );
}

function textOf({ delivered, status, error, milliseconds }: TestOutcome): string {
  const time = `after ${formatNumber(milliseconds)} ms`;
  if (delivered) return `It arrived: the endpoint answered ${status} ${time}.`;
  if (status !== undefined) return `It did not arrive: the endpoint answered ${status} ${time}.`;
  return `It did not arrive: ${error ?? 'no answer'}.`;
}
