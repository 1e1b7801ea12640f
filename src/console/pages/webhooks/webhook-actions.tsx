import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { confirm, showOnce } from '../../components/dialog.tsx';
import { attempt } from '../../notices.tsx';
import { submit } from '../../outbox.tsx';
import { navigate, query } from '../../router.ts';
import type { Webhook } from '../../service.ts';
import { WebhookDialog } from './webhook-dialog.tsx';

interface WebhookActionsProps {
  readonly of: Webhook;
  readonly onChanged: () => void;
}

/** What can be done to a webhook. */
export function WebhookActions({ of: webhook, onChanged }: WebhookActionsProps) {
  const [isChanging, setChanging] = useState(false);
  const { id, url } = webhook;
  const isEnabled = webhook.status === 'enabled';

  function toggle() {
    const status = isEnabled ? 'disabled' : 'enabled';
    return submit({
      label: `${isEnabled ? 'Disable' : 'Enable'} ${url}`,
      call: (to) => to.webhooks.update(id, { status }),
      says: `The webhook is ${status}.`,
      done: onChanged,
    });
  }

  return (
    <>
      <Button onClick={() => setChanging(true)}>Change</Button>
      <Button onClick={() => attempt(toggle)}>{isEnabled ? 'Disable' : 'Enable'}</Button>
      <Button onClick={() => attempt(() => replaceSecret(webhook))}>Replace secret</Button>
      <Button kind="danger" onClick={() => attempt(() => remove(webhook))}>
        Remove
      </Button>
      {isChanging && (
        <WebhookDialog webhook={webhook} onClose={() => setChanging(false)} onDone={onChanged} />
      )}
    </>
  );
}

async function replaceSecret({ id, url }: Webhook): Promise<void> {
  const sure = await confirm({
    title: 'Replace the secret?',
    text: 'The receiver must know the new secret, or it refuses what is sent from now on.',
    action: 'Replace',
  });
  if (!sure) return;
  await submit({
    label: `Replace the secret of ${url}`,
    call: (to) => to.webhooks.rotateSecret(id),
    done: ({ secret }) => void showOnce('The new secret of this webhook', secret),
    isFleeting: true,
  });
}

async function remove({ id, url }: Webhook): Promise<void> {
  const sure = await confirm({
    title: 'Remove this webhook?',
    text: `Nothing more is sent to ${url}, and the list of its deliveries is removed too.`,
    action: 'Remove',
  });
  if (!sure) return;
  await submit({
    label: `Remove webhook ${url}`,
    call: (to) => to.webhooks.delete(id),
    says: 'The webhook is removed.',
    done() {
      // It may be sent later, when the person is elsewhere.
      const isShown = query.value.get('webhook') === String(id);
      if (isShown) navigate('/console/webhooks', 'replace');
    },
  });
}
