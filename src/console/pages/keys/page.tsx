import { useState } from 'preact/hooks';
import { InAddress } from '../../components/dialog.tsx';
import { Status } from '../../components/facts.tsx';
import { Field, type FieldProps, Select } from '../../components/field.tsx';
import { FormDialog, type ReadField } from '../../components/form.tsx';
import { ListPage, usePage } from '../../components/list-page.tsx';
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
  const [purpose, setPurpose] = useState<keyof typeof PURPOSES>('site');
  const { hint, scope, plan: usual } = PURPOSES[purpose];
  const [plan, setPlan] = useState<string>(usual);

  function choose(value: string) {
    // The options are the purposes.
    const chosen = value as keyof typeof PURPOSES;
    setPurpose(chosen);
    setPlan(PURPOSES[chosen].plan);
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
        options={Object.entries(PURPOSES).map(([value, { name }]) => [value, name])}
        onValue={choose}
        hint={hint}
      />
      <Field
        name="name"
        maxLength={NAME_MAX}
        hint={t`The program that will use it.`}
        needs={t`a name`}
      />
      <Select
        key={`rights ${purpose}`}
        label={t`Rights`}
        name="scope"
        value={scope}
        options={SCOPE_OPTIONS}
      />
      <Select name="plan" value={plan} options={PLAN_OPTIONS} onValue={setPlan} />
      {plan === 'enterprise' && (
        <>
          <LimitField name="perMinute" value="1000" />
          <LimitField name="perDay" value="100000" />
        </>
      )}
      <Select
        key={`expires ${purpose}`}
        label={t`Expires`}
        name="expires"
        value="365"
        options={EXPIRY_OPTIONS}
      />
    </FormDialog>
  );
}

function LimitField(props: Pick<FieldProps, 'name' | 'value'>) {
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
