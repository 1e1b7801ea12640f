import { useState } from 'preact/hooks';
import { Field, Select } from '../../components/field.tsx';
import { FormDialog, type ReadField } from '../../components/form.tsx';
import { submit } from '../../outbox.tsx';
import { type CreatedWebhook, PetstoreError, type Webhook } from '../../service.ts';
import { EVENT_TYPES, eventName } from '../../words.ts';

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

  async function send(field: ReadField, form: FormData): Promise<void> {
    const types = EVENT_TYPES.filter((type) => form.getAll('types').includes(type));
    const wanted = {
      url: field('url'),
      description: field('description') || null,
      types: field('events') === 'all' ? null : types,
    };
    try {
      await (webhook === undefined || props.webhook === undefined
        ? submit<CreatedWebhook>({
            label: `Add webhook ${wanted.url}`,
            call: (to) => to.webhooks.create(wanted),
            done: props.onDone as (created: CreatedWebhook) => void,
            isFleeting: true,
          })
        : submit<Webhook>({
            label: `Change webhook ${webhook.url}`,
            call: (to) => to.webhooks.update(webhook.id, wanted),
            edits: { seen: webhook, name: 'this webhook' },
            says: 'The webhook is saved.',
            done: props.onDone,
          }));
    } catch (error) {
      // The field has another name here than in the interface.
      if (!(error instanceof PetstoreError)) throw error;
      throw new PetstoreError(error.message.replace(/\burl\b/gi, 'The address'), error);
    }
  }

  return (
    <FormDialog
      title={webhook === undefined ? 'Add webhook' : 'Change webhook'}
      action={webhook === undefined ? 'Add webhook' : 'Save'}
      onSubmit={send}
      onClose={onClose}
    >
      <Field
        label="Address"
        name="url"
        type="url"
        required
        maxLength={URL_MAX}
        value={webhook?.url ?? ''}
        hint="Where the events are sent: https://example.org/events"
      />
      <Field
        label="Description"
        name="description"
        maxLength={DESCRIPTION_MAX}
        value={webhook?.description ?? ''}
        hint="Whose program this is."
      />
      <Select
        label="Events"
        name="events"
        value={choice}
        onValue={setChoice}
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
