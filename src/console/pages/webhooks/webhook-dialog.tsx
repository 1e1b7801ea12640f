import { useState } from 'preact/hooks';
import { changeRecord } from '../../changes.ts';
import { Field, Select } from '../../components/field.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { EVENT_TYPES, eventName } from '../../event-names.ts';
import { formatList } from '../../format.ts';
import { notify } from '../../notices.ts';
import { carryOut } from '../../outbox.ts';
import { type CreatedWebhook, type NewWebhook, store, type Webhook } from '../../service.ts';

const URL_MAX = 2_000;
const DESCRIPTION_MAX = 255;

type WebhookDialogProps = { readonly onClose: () => void } & (
  | { readonly webhook: undefined; readonly onDone: (created: CreatedWebhook) => void }
  | { readonly webhook: Webhook; readonly onDone: (changed: Webhook) => void }
);

/** Adds a webhook, or changes one. */
export function WebhookDialog({ onClose, ...props }: WebhookDialogProps) {
  // A newer version that is loaded under the form must not count as seen.
  const [webhook] = useState(props.webhook);
  const [choice, setChoice] = useState(webhook?.types ? 'some' : 'all');

  async function submit(values: FormData): Promise<void> {
    const wanted = webhookOf(values);
    if (props.webhook === undefined) {
      await add(wanted, props.onDone);
    } else {
      await change(webhook ?? props.webhook, wanted, props.onDone);
    }
  }

  const action = webhook === undefined ? 'Add webhook' : 'Save';
  return (
    <FormDialog
      title={webhook === undefined ? 'Add webhook' : 'Change webhook'}
      action={action}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        {...{ label: 'Address', name: 'url', type: 'url', required: true, maxLength: URL_MAX }}
        value={webhook?.url ?? ''}
        hint="Where the events are sent: https://example.org/events"
      />
      <Field
        {...{ label: 'Description', name: 'description', maxLength: DESCRIPTION_MAX }}
        value={webhook?.description ?? ''}
        hint="Whose program this is."
      />
      <Select
        {...{ label: 'Events', name: 'events', value: choice, onValue: setChoice }}
        options={[
          { value: 'all', label: 'All of them' },
          { value: 'some', label: 'Only these' },
        ]}
      />
      {choice === 'some' && <TypeChoices chosen={webhook?.types ?? []} />}
    </FormDialog>
  );
}

function TypeChoices({ chosen }: { readonly chosen: readonly string[] }) {
  return (
    <fieldset class="event-types">
      <legend>Only these</legend>
      {EVENT_TYPES.map((type) => (
        <label key={type}>
          <input type="checkbox" name="types" value={type} defaultChecked={chosen.includes(type)} />
          {eventName(type)}
        </label>
      ))}
    </fieldset>
  );
}

function webhookOf(values: FormData): NewWebhook {
  const description = String(values.get('description') ?? '').trim();
  return {
    url: String(values.get('url')).trim(),
    description: description === '' ? null : description,
    types:
      values.get('events') === 'all'
        ? null
        : EVENT_TYPES.filter((type) => values.getAll('types').includes(type)),
  };
}

async function add(wanted: NewWebhook, onDone: (created: CreatedWebhook) => void): Promise<void> {
  await carryOut({
    label: `Add webhook ${wanted.url}`,
    send: (idempotencyKey) => store.webhooks.create(wanted, { idempotencyKey }),
    done: onDone,
  });
}

async function change(
  webhook: Webhook,
  { url, types = null, description = null }: NewWebhook,
  onDone: (changed: Webhook) => void,
): Promise<void> {
  await changeRecord<Webhook>({
    label: `Change webhook ${webhook.url}`,
    name: 'this webhook',
    seen: webhook,
    wanted: { url, types, description },
    fields: [
      { label: 'Address', show: (one) => one.url },
      { label: 'Description', show: (one) => one.description ?? '' },
      { label: 'Events', show: (one) => formatList(one.types?.map(eventName) ?? ['All']) },
    ],
    read: () => store.webhooks.get(webhook.id),
    update: (_wanted, ifMatch) =>
      store.webhooks.update(webhook.id, { url, types, description }, { ifMatch }),
    done(changed) {
      notify('The webhook is saved.');
      onDone(changed);
    },
  });
}
