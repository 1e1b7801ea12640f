import { useState } from 'preact/hooks';
import { InAddress } from '../../components/dialog.tsx';
import { Field, Select } from '../../components/field.tsx';
import { FormDialog, type ReadField } from '../../components/form.tsx';
import { ListPage, usePage } from '../../components/list-page.tsx';
import { Status } from '../../components/status.tsx';
import type { Column } from '../../components/table.tsx';
import { formatAgo } from '../../format.ts';
import { t } from '../../language.ts';
import { submit } from '../../outbox.tsx';
import { setQuery, withQuery } from '../../router.ts';
import { type Key, type NewKey, store } from '../../service.ts';
import type { Scope } from '../../session.ts';
import {
  EXPIRY_OPTIONS,
  expiryAfter,
  LIMIT_MAX,
  NAME_MAX,
  PLAN_OPTIONS,
  PURPOSES,
  planName,
  SCOPE_OPTIONS,
  scopeText,
  showKey,
  statusOf,
} from './key-choices.ts';
import { KeyDialog } from './key-dialog.tsx';

const PAGE_SIZE = 50;

/** The API keys: who may use the service, for what, and how often. */
export default function KeysPage() {
  const page = usePage((options) => store.keys.list({ limit: PAGE_SIZE }, options), ['key']);

  return (
    <ListPage
      from={page}
      caption={t`Keys`}
      lead={t`Every program gets a key of its own. Those who work here sign in: see People.`}
      columns={COLUMNS}
      add={{ label: t`Create key`, onClick: () => setQuery({ create: 'key' }) }}
    >
      <InAddress name="create">{() => <CreateKey />}</InAddress>
      <InAddress name="key" also={['per']}>
        {(id) => <KeyDialog id={id} />}
      </InAddress>
    </ListPage>
  );
}

const COLUMNS: readonly Column<Key>[] = [
  {
    name: t`Name`,
    cell: ({ id, name }) => <a href={withQuery({ key: String(id) })}>{name}</a>,
  },
  { name: t`Status`, cell: (key) => <Status value={statusOf(key)} /> },
  { name: t`Rights`, cell: ({ scopes }) => scopeText(scopes) },
  { name: t`Plan`, cell: ({ plan }) => planName(plan) },
  {
    name: t`Last used`,
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? t`Never` : formatAgo(lastUsedAt)),
  },
];

/** Creates a key for a program. What it is for says what fits at first. */
function CreateKey() {
  const [purpose, setPurpose] = useState(PURPOSES[0]);
  const [plan, setPlan] = useState<string>(purpose.plan);

  function choose(value: string) {
    const chosen = PURPOSES.find((one) => one.value === value) ?? PURPOSES[0];
    setPurpose(chosen);
    setPlan(chosen.plan);
  }

  const create = (field: ReadField) =>
    submit({
      label: t`Create a key for ${field('name')}`,
      call: (to) => to.keys.create(keyOf(field, plan)),
      done: showKey,
      isFleeting: true,
    });

  return (
    <FormDialog title={t`Create key`} onSubmit={create}>
      <Select
        label={t`For`}
        name="purpose"
        options={PURPOSES}
        onValue={choose}
        hint={purpose.hint}
      />
      <Field
        label={t`Name`}
        name="name"
        maxLength={NAME_MAX}
        hint={t`The program that will use it.`}
        needs={t`a name`}
      />
      <Select
        key={`rights ${purpose.value}`}
        label={t`Rights`}
        name="scope"
        value={purpose.scope}
        options={SCOPE_OPTIONS}
      />
      <Select label={t`Plan`} name="plan" value={plan} options={PLAN_OPTIONS} onValue={setPlan} />
      {plan === 'enterprise' && (
        <>
          <LimitField label={t`Requests a minute`} name="perMinute" value="1000" />
          <LimitField label={t`Requests a day`} name="perDay" value="100000" />
        </>
      )}
      <Select
        key={`expires ${purpose.value}`}
        label={t`Expires`}
        name="expires"
        value={purpose.expires}
        options={EXPIRY_OPTIONS}
      />
    </FormDialog>
  );
}

function LimitField(props: {
  readonly label: string;
  readonly name: string;
  readonly value: string;
}) {
  return <Field {...props} type="number" min={1} max={LIMIT_MAX} required />;
}

function keyOf(field: ReadField, plan: string): NewKey {
  const expiresAt = expiryAfter(field('expires'));
  return {
    name: field('name'),
    // The options of these two are the values of the interface.
    plan: plan as NewKey['plan'],
    scopes: field('scope').split(',') as Scope[],
    ...(plan === 'enterprise' && {
      perMinute: Number(field('perMinute')),
      perDay: Number(field('perDay')),
    }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}
