/** Creating a key: what it may do and how often, in words for the person who chooses. */

import { useState } from 'preact/hooks';
import { showOnce } from '../../components/dialog.tsx';
import { Field, type FieldProps, type Options, Select } from '../../components/field.tsx';
import { FormDialog, type ReadField } from '../../components/form.tsx';
import { formatNumber } from '../../format.ts';
import { t } from '../../language.ts';
import { submit } from '../../outbox.tsx';
import type { IssuedKey, Key, NewKey } from '../../service.ts';
import { SCOPES, type Scope } from '../../session.ts';

type PlanName = Key['plan'];

export const NAME_MAX = 100;
/** The largest limit of the plan `enterprise`. */
const LIMIT_MAX = 999_999_999_999_999;

/** What a key may do, by its scopes. */
const RIGHTS: Readonly<Record<string, string>> = {
  read: t`See animals and adoptions, without personal details`,
  'read,webhooks': t`See animals, and have changes sent to webhooks`,
  adopt: t`See animals, and start adoptions`,
  write: t`See everything, change animals and adoptions`,
  admin: t`Everything, with keys and webhooks`,
};

/** Whom a key is for, and what fits them at first. */
interface Purpose {
  readonly name: string;
  readonly hint: string;
  readonly scope: Scope;
  readonly plan: PlanName;
}

const PURPOSES: Readonly<Record<'site' | 'partner', Purpose>> = {
  site: {
    name: t`A web site`,
    hint: t`It shows animals and starts adoptions. It never sees adopters or contacts.`,
    scope: 'adopt',
    plan: 'pro',
  },
  partner: {
    name: t`The program of a partner`,
    hint: t`It reads animals and adoptions. It never sees adopters, contacts or notes.`,
    scope: 'read',
    plan: 'free',
  },
};

const SCOPE_OPTIONS: Options = Object.entries(RIGHTS);

const LIMITS: Readonly<Partial<Record<PlanName, readonly [perMinute: number, perDay: number]>>> = {
  free: [60, 1_000],
  pro: [300, 10_000],
  business: [1_000, 100_000],
};

const PLAN_OPTIONS: Options = [
  ...Object.entries(LIMITS).map(
    ([plan, limits]) => [plan, `${planName(plan)}: ${limitsText(...limits)}`] as const,
  ),
  ['enterprise', t`${planName('enterprise')}: limits of your choice`],
];

/** `Business` */
export function planName(plan: string): string {
  return plan.charAt(0).toUpperCase() + plan.slice(1);
}

/** `60 requests a minute, 1,000 a day` */
export function limitsText(perMinute: number, perDay: number): string {
  return t`${formatNumber(perMinute)} requests a minute, ${formatNumber(perDay)} a day`;
}

/** Says what a key may do: its greatest scope includes the others. */
export function scopeText(scopes: readonly Scope[]): string {
  const own = scopes.join();
  if (own in RIGHTS) return RIGHTS[own] ?? '';
  const scope = SCOPES.findLast((one) => one in RIGHTS && scopes.includes(one));
  const text = (scope && RIGHTS[scope]) ?? t`Nothing`;
  const isMore = scopes.includes('webhooks') && scope !== 'admin';
  return isMore ? t`${text}, and manage webhooks of its own` : text;
}

const DAY_MS = 86_400_000;

const EXPIRY_OPTIONS: Options = [
  ['', t`Never`],
  ['30', t`In 30 days`],
  ['90', t`In 90 days`],
  ['365', t`In a year`],
];

export function showKey({ name, key }: IssuedKey): void {
  void showOnce(t`The key of ${name}`, key);
}

export function statusOf({ status, ban }: Pick<Key, 'status' | 'ban'>): string {
  return status === 'active' && ban !== null ? 'banned' : status;
}

/** Creates a key for a program. What it is for says what fits at first. */
export function CreateKey() {
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
  const days = field('expires');
  return {
    name: field('name'),
    // The options of these two are the values of the interface.
    plan: plan as NewKey['plan'],
    scopes: field('scope').split(',') as Scope[],
    ...(plan === 'enterprise' && {
      perMinute: Number(field('perMinute')),
      perDay: Number(field('perDay')),
    }),
    ...(days !== '' && {
      expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString(),
    }),
  };
}
