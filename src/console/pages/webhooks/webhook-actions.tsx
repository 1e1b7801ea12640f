import { Button } from '../../components/button.tsx';
import { open, showOnce } from '../../components/dialog.tsx';
import { attempt } from '../../notices.tsx';
import { submit } from '../../outbox.tsx';
import { navigate, query } from '../../router.ts';
import type { Webhook } from '../../service.ts';
import { WebhookDialog } from './webhook-dialog.tsx';

/** What can be done to a webhook. */
export function WebhookActions({ of: webhook }: { readonly of: Webhook }) {
  const { id, url } = webhook;
  const isEnabled = webhook.status === 'enabled';

  function toggle() {
    const status = isEnabled ? 'disabled' : 'enabled';
    return submit({
      label: `${isEnabled ? 'Disable' : 'Enable'} ${url}`,
      call: (to) => to.webhooks.update(id, { status }),
      says: `The webhook is ${status}.`,
    });
  }

  const change = () => open((close) => <WebhookDialog webhook={webhook} onClose={close} />);
  return (
    <>
      <Button onClick={change}>Change</Button>
      <Button onClick={() => attempt(toggle)}>{isEnabled ? 'Disable' : 'Enable'}</Button>
      <Button onClick={() => attempt(() => replaceSecret(webhook))}>Replace secret</Button>
      <Button kind="danger" onClick={() => attempt(() => remove(webhook))}>
        Remove
      </Button>
    </>
  );
}

function replaceSecret({ id, url }: Webhook): Promise<boolean> {
  return submit({
    label: `Replace the secret of ${url}`,
    asks: {
      title: 'Replace the secret?',
      text: 'The receiver must know the new secret, or it refuses what is sent from now on.',
      action: 'Replace',
    },
    call: (to) => to.webhooks.rotateSecret(id),
    done: ({ secret }) => void showOnce('The new secret of this webhook', secret),
    isFleeting: true,
  });
}

function remove({ id, url }: Webhook): Promise<boolean> {
  return submit({
    label: `Remove webhook ${url}`,
    asks: {
      title: 'Remove this webhook?',
      text: `Nothing more is sent to ${url}, and the list of its deliveries is removed too.`,
      action: 'Remove',
    },
    call: (to) => to.webhooks.delete(id),
    says: 'The webhook is removed.',
    done() {
      // It may be sent later, when the person is elsewhere.
      const isShown = query.value.get('webhook') === String(id);
      if (isShown) navigate('/console/webhooks', 'replace');
    },
  });
}
