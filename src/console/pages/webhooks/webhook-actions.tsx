import { useState } from 'preact/hooks';
import { attempt } from '../../attempt.ts';
import { confirm } from '../../components/confirm.tsx';
import { showOnce } from '../../components/shown-once.tsx';
import { notify } from '../../notices.ts';
import { carryOut } from '../../outbox.ts';
import { navigate, query } from '../../router.ts';
import { store, type Webhook } from '../../service.ts';
import { WebhookDialog } from './webhook-dialog.tsx';

interface WebhookActionsProps {
  readonly of: Webhook;
  readonly onChanged: () => void;
}

/** What can be done to a webhook. */
export function WebhookActions({ of: webhook, onChanged }: WebhookActionsProps) {
  const [isChanging, setChanging] = useState(false);
  const isEnabled = webhook.status === 'enabled';
  return (
    <>
      <button type="button" class="button" onClick={() => setChanging(true)}>
        Change
      </button>
      <button
        type="button"
        class="button"
        onClick={() => attempt(() => setStatus(webhook, !isEnabled, onChanged))}
      >
        {isEnabled ? 'Disable' : 'Enable'}
      </button>
      <button type="button" class="button" onClick={() => attempt(() => replaceSecret(webhook))}>
        Replace secret
      </button>
      <button type="button" class="button danger" onClick={() => attempt(() => remove(webhook))}>
        Remove
      </button>
      {isChanging && (
        <WebhookDialog webhook={webhook} onClose={() => setChanging(false)} onDone={onChanged} />
      )}
    </>
  );
}

async function setStatus(
  { id, url }: Webhook,
  enable: boolean,
  onChanged: () => void,
): Promise<void> {
  const status = enable ? 'enabled' : 'disabled';
  await carryOut({
    label: `${enable ? 'Enable' : 'Disable'} ${url}`,
    send: () => store.webhooks.update(id, { status }),
    done() {
      notify(`The webhook is ${status}.`);
      onChanged();
    },
  });
}

async function replaceSecret({ id, url }: Webhook): Promise<void> {
  const sure = await confirm({
    title: 'Replace the secret?',
    text: 'The receiver must know the new secret, or it refuses what is sent from now on.',
    action: 'Replace',
  });
  if (!sure) return;
  await carryOut({
    label: `Replace the secret of ${url}`,
    send: (idempotencyKey) => store.webhooks.rotateSecret(id, { idempotencyKey }),
    done: ({ secret }) => void showOnce('The new secret of this webhook', secret),
  });
}

async function remove({ id, url }: Webhook): Promise<void> {
  const sure = await confirm({
    title: 'Remove this webhook?',
    text: `Nothing more is sent to ${url}, and the list of its deliveries is removed too.`,
    action: 'Remove',
  });
  if (!sure) return;
  await carryOut({
    label: `Remove webhook ${url}`,
    send: () => store.webhooks.delete(id),
    done() {
      notify('The webhook is removed.');
      // It may be sent later, when the person is elsewhere.
      const isShown = query.value.get('webhook') === String(id);
      if (isShown) navigate('/console/webhooks', 'replace');
    },
  });
}
