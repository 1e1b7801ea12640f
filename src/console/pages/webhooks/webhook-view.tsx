import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { open, showOnce } from '../../components/dialog.tsx';
import { Facts, Status } from '../../components/facts.tsx';
import { Field, Select } from '../../components/field.tsx';
import { FormDialog, type ReadField } from '../../components/form.tsx';
import { BackLink, PageHeader } from '../../components/list-page.tsx';
import { WhenLoaded } from '../../components/states.tsx';
import { explain } from '../../failures.ts';
import { formatDay, formatNumber } from '../../format.ts';
import { t } from '../../language.ts';
import { useLoaded } from '../../loading.ts';
import { submit } from '../../outbox.tsx';
import { problemText } from '../../refusals.ts';
import { idIn, navigate, query } from '../../router.ts';
import { store, type TestOutcome, type Webhook } from '../../service.ts';
import { EVENT_TYPES, eventName, eventNames } from '../../words.ts';
import { DeliveryList, type Row, withHealth } from './delivery-list.tsx';

/** A test may wait this long for the endpoint. */
const TEST_MS = 60_000;
const REFRESH_MS = 15_000;

/** One webhook: what it gets, a test of it, and what was sent. */
export function WebhookView({ id }: { readonly id: string }) {
  const loaded = useLoaded(
    async (signal) => withHealth(await store.webhooks.get(idIn(id), { signal }), signal),
    [id],
    ['webhook'],
    { everyMs: REFRESH_MS },
  );
  const { value } = loaded;
  return (
    <>
      <BackLink to="webhooks" name={t`Webhooks`} />
      <PageHeader title={t`Webhook`}>{value && <WebhookActions of={value} />}</PageHeader>
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
  requested: t`An administrator disabled it.`,
  gone: t`Its address says that it no longer exists.`,
  failing: t`Nothing could be delivered for five days.`,
  key: t`The API key that it belongs to has ended, or may no longer read events.`,
  copied: t`The database was restored or copied. Enable it if this is the shop that should send.`,
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
  const [outcome, setOutcome] = useState<string>();

  async function test() {
    setOutcome(t`Sending…`);
    setOutcome(await store.webhooks.test(id, { timeout: TEST_MS }).then(textOf, explain));
  }

  return (
    <div class="row">
      <Button onClick={test}>{t`Send a test`}</Button>
      <p role="status">{outcome}</p>
    </div>
  );
}

function textOf({ delivered, status, error, milliseconds }: TestOutcome): string {
  const time = t`after ${formatNumber(milliseconds)} ms`;
  if (delivered) return t`It arrived: the endpoint answered ${status} ${time}.`;
  if (status !== undefined) return t`It did not arrive: the endpoint answered ${status} ${time}.`;
  return t`It did not arrive: ${error === undefined ? t`no answer` : problemText(error)}`;
}

function WebhookActions({ of: webhook }: { readonly of: Webhook }) {
  const { id, url } = webhook;
  const isEnabled = webhook.status === 'enabled';

  function toggle() {
    const status = isEnabled ? 'disabled' : 'enabled';
    return submit({
      label: isEnabled ? t`Disable ${url}` : t`Enable ${url}`,
      call: (to) => to.webhooks.update(id, { status }),
      says: isEnabled ? t`The webhook is disabled.` : t`The webhook is enabled.`,
    });
  }

  const change = () => open(<WebhookDialog webhook={webhook} />);
  return (
    <>
      <Button onClick={change}>{t`Change`}</Button>
      <Button onClick={toggle}>{isEnabled ? t`Disable` : t`Enable`}</Button>
      <Button onClick={() => replaceSecret(webhook)}>{t`Replace secret`}</Button>
      <Button kind="quiet danger" onClick={() => remove(webhook)}>{t`Remove`}</Button>
    </>
  );
}

function replaceSecret({ id, url }: Webhook): Promise<boolean> {
  return submit({
    label: t`Replace the secret of ${url}`,
    asks: {
      title: t`Replace the secret?`,
      text: t`The receiver must know the new secret, or it refuses what is sent from now on.`,
      action: t`Replace`,
    },
    call: (to) => to.webhooks.rotateSecret(id),
    done: ({ secret }) => void showOnce(t`The new secret of this webhook`, secret),
    isFleeting: true,
  });
}

function remove({ id, url }: Webhook): Promise<boolean> {
  return submit({
    label: t`Remove webhook ${url}`,
    asks: {
      title: t`Remove this webhook?`,
      text: t`Nothing more is sent to ${url}, and the list of its deliveries is removed too.`,
      action: t`Remove`,
    },
    call: (to) => to.webhooks.delete(id),
    says: t`The webhook is removed.`,
    done() {
      // It may be sent later, when the person is elsewhere.
      const isShown = query.value.get('webhook') === String(id);
      if (isShown) navigate('/console/webhooks', 'replace');
    },
  });
}

const URL_MAX = 2_000;
const DESCRIPTION_MAX = 255;

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
