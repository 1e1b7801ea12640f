import { useState } from 'preact/hooks';
import { attempt } from '../../attempt.ts';
import { confirm } from '../../components/confirm.tsx';
import { notify } from '../../notices.ts';
import { carryOut } from '../../outbox.ts';
import { navigate } from '../../router.ts';
import { store, type Webhook } from '../../service.ts';
import { WebhookDialog } from './webhook-dialog.tsx';

interface WebhookActionsProps {
  readonly of: Webhook;
  readonly onChanged: () => void;
  /** Called with a new secret. */
  readonly onSecret: (secret: string) => void;
}

/** What can be done to a webhook. */
export function WebhookActions({ of: webhook, onChanged, onSecret }: WebhookActionsProps) {
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
      <button
        type="button"
        class="button"
        onClick={() => attempt(() => replaceSecret(webhook, onSecret))}
      >
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

async function replaceSecret(
  { id, url }: Webhook,
  onSecret: (secret: string) => void,
): Promise<void> {
  const sure = await confirm({
    title: 'Replace the secret?',
    text: 'The receiver must know the new secret, or it refuses what is sent from now on.',
    action: 'Replace',
  });
  if (!sure) return;
  await carryOut({
    label: `Replace the secret of ${url}`,
    send: (idempotencyKey) => store.webhooks.rotateSecret(id, { idempotencyKey }),
    done: ({ secret }) => onSecret(secret),
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
      navigate('/console/webhooks', 'replace');
    },
  });
}
