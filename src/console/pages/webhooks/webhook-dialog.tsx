import { useState } from 'preact/hooks';
import { showOnce } from '../../components/dialog.tsx';
import { Field, Select } from '../../components/field.tsx';
import { FormDialog, type ReadField } from '../../components/form.tsx';
import { t } from '../../language.ts';
import { submit } from '../../outbox.tsx';
import type { Webhook } from '../../service.ts';
import { EVENT_TYPES, eventName } from '../../words.ts';

const URL_MAX = 2_000;
const DESCRIPTION_MAX = 255;

/** Adds a webhook, or changes one. */
export function WebhookDialog({ webhook }: { readonly webhook?: Webhook }) {
  const [choice, setChoice] = useState(webhook?.types ? 'some' : 'all');

  function send(field: ReadField, form: FormData): Promise<boolean> {
    const types = EVENT_TYPES.filter((type) => form.getAll('types').includes(type));
    const wanted = {
      url: field('url'),
      description: field('description') || null,
      types: field('events') === 'all' ? null : types,
    };
    if (webhook === undefined) {
      return submit({
        label: t`Add webhook ${wanted.url}`,
        call: (to) => to.webhooks.create(wanted),
        done: ({ secret }) => void showOnce(t`The secret of this webhook`, secret),
        isFleeting: true,
      });
    }
    return submit<Webhook>({
      label: t`Change webhook ${webhook.url}`,
      call: (to) => to.webhooks.update(webhook.id, wanted),
      edits: { seen: webhook, name: t`this webhook` },
      says: t`The webhook is saved.`,
    });
  }

  return (
    <FormDialog title={webhook ? t`Change webhook` : t`Add webhook`} of={webhook} onSubmit={send}>
      <Field
        name="url"
        type="url"
        required
        maxLength={URL_MAX}
        hint={t`Where the events are sent: https://example.org/events`}
      />
      <Field name="description" maxLength={DESCRIPTION_MAX} hint={t`Whose program this is.`} />
      <Select
        label={t`Events`}
        name="events"
        value={choice}
        onValue={setChoice}
        options={[
          ['all', t`All of them`],
          ['some', t`Only these`],
        ]}
      />
      {choice === 'some' && <TypeChoices chosen={webhook?.types ?? []} />}
    </FormDialog>
  );
}

function TypeChoices({ chosen }: { readonly chosen: readonly string[] }) {
  return (
    <fieldset class="event-types">
      <legend>{t`Only these`}</legend>
      {EVENT_TYPES.map((type) => (
        <label key={type} class="row">
          <input type="checkbox" name="types" value={type} defaultChecked={chosen.includes(type)} />
          {eventName(type)}
        </label>
      ))}
    </fieldset>
  );
}
