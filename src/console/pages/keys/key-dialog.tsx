import { Button } from '../../components/button.tsx';
import { Chart } from '../../components/chart.tsx';
import { Dialog, open, useClose } from '../../components/dialog.tsx';
import { Facts, Status } from '../../components/facts.tsx';
import { Field, type Options, Select } from '../../components/field.tsx';
import { FormDialog, type ReadField } from '../../components/form.tsx';
import { WhenLoaded } from '../../components/states.tsx';
import {
  count,
  formatDay,
  formatHour,
  formatMoment,
  formatNumber,
  formatShortDay,
} from '../../format.ts';
import { t } from '../../language.ts';
import { useLoaded } from '../../loading.ts';
import { submit } from '../../outbox.tsx';
import { idIn, query, withQuery } from '../../router.ts';
import { type Key, type KeyUsage, store } from '../../service.ts';
import { person } from '../../session.ts';
import { limitsText, NAME_MAX, planName, scopeText, showKey, statusOf } from './create-key.tsx';

/** All about one key: what it may do, what it sent, and how to replace or end it. */
export function KeyDialog({ id }: { readonly id: string }) {
  const loaded = useLoaded((signal) => store.keys.get(idIn(id), { signal }), [id], ['key']);
  return (
    <Dialog title={loaded.value?.name ?? t`Key`} isWide>
      <WhenLoaded from={loaded}>
        {(key) => (
          <>
            <KeyFacts of={key} />
            <KeyUsageChart keyId={key.id} />
            <KeyActions of={key} />
          </>
        )}
      </WhenLoaded>
    </Dialog>
  );
}

function KeyFacts({ of: key }: { readonly of: Key }) {
  const banned = key.ban && t`until ${formatMoment(key.ban.until)}`;
  return (
    <Facts
      of={{
        Status: [<Status key="status" value={statusOf(key)} />, ' ', banned],
        Rights: scopeText(key.scopes),
        Plan: `${planName(key.plan)}: ${limitsText(key.perMinute, key.perDay)}`,
        Created: formatDay(key.createdAt),
        Expires: key.expiresAt === null ? t`Never` : formatMoment(key.expiresAt),
        Revoked: key.revokedAt && formatMoment(key.revokedAt),
        'Last used': key.lastUsedAt === null ? t`Never` : formatMoment(key.lastUsedAt),
      }}
    />
  );
}

/** What can be done to a key. One that has ended stays as it is. */
function KeyActions({ of: key }: { readonly of: Key }) {
  const close = useClose();
  if (key.status !== 'active') return null;
  const unban = () =>
    submit({
      label: t`Lift the ban of ${key.name}`,
      call: (to) => to.keys.unban(key.id),
      says: t`${key.name} is no longer banned.`,
    });
  return (
    <div class="row dialog-actions">
      <Button onClick={() => open(<Rename of={key} />)}>{t`Rename`}</Button>
      {key.ban !== null && <Button onClick={unban}>{t`Lift ban`}</Button>}
      <Button onClick={() => open(<Rotate of={key} onRotated={close} />)}>{t`Rotate`}</Button>
      <Button kind="danger" onClick={() => revoke(key)}>{t`Revoke`}</Button>
    </div>
  );
}

function revoke(key: Key): Promise<boolean> {
  const isOwn = key.id === person.value?.id;
  const text = t`Whoever uses it loses access at once. This cannot be undone.`;
  return submit({
    label: t`Revoke the key of ${key.name}`,
    asks: {
      title: t`Revoke the key of ${key.name}?`,
      text: isOwn ? t`You are signed in with this key: you will be signed out. ${text}` : text,
      action: t`Revoke`,
    },
    call: (to) => to.keys.revoke(key.id),
    says: t`The key of ${key.name} is revoked.`,
  });
}

function Rename({ of: key }: { readonly of: Key }) {
  const title = t`Rename the key of ${key.name}`;
  const rename = (read: ReadField) =>
    submit<Key>({
      label: title,
      call: (to) => to.keys.update(key.id, { name: read('name') }),
      edits: { seen: key, name: t`the key of ${key.name}` },
    });
  return (
    <FormDialog title={title} of={key} onSubmit={rename}>
      <Field name="name" maxLength={NAME_MAX} needs={t`a name`} />
    </FormDialog>
  );
}

const OVERLAPS: Options = [
  ['86400', t`For a day`],
  ['3600', t`For an hour`],
  ['0', t`Not at all`],
];

function Rotate({ of: key, onRotated }: { readonly of: Key; readonly onRotated: () => void }) {
  const title = t`Rotate the key of ${key.name}`;
  const rotate = (read: ReadField) =>
    submit({
      label: title,
      call: (to) => to.keys.rotate(key.id, { overlapSeconds: Number(read('overlap')) }),
      done(issued) {
        // It may be sent later, when the person is elsewhere.
        if (query.value.get('key') === String(key.id)) onRotated();
        showKey(issued);
      },
      isFleeting: true,
    });
  return (
    <FormDialog title={title} action={t`Rotate`} onSubmit={rotate}>
      <p>{t`A new key takes its place, with the same rights and limits.`}</p>
      {key.scopes.includes('webhooks') && (
        <p>
          {t`Its webhooks still get events. If the key leaked, look at`}{' '}
          <a href="/console/webhooks">{t`all webhooks`}</a>{' '}
          {t`and delete those that are not yours.`}
        </p>
      )}
      <Select label={t`The old key still works`} name="overlap" options={OVERLAPS} value="86400" />
    </FormDialog>
  );
}

/** The service adds up what a key sends about once a second; a person need not see each. */
const REFRESH_MS = 5_000;

/** The two ways to see what a key sent. */
const SPANS = {
  day: { name: t`By day`, title: t`Requests in the last 30 days` },
  hour: { name: t`By hour`, title: t`Requests in the last 24 hours` },
} as const;
const WEEK_DAYS = 7;

type Per = keyof typeof SPANS;

/** What a key sent, by the day or the hour: answered, and refused because of its limits. */
function KeyUsageChart({ keyId }: { readonly keyId: number }) {
  const per: Per = query.value.get('per') === 'hour' ? 'hour' : 'day';
  const loaded = useLoaded(
    async (signal) => ({ per, usage: await store.keys.usage(keyId, { per }, { signal }) }),
    [keyId, per],
    [],
    { everyMs: REFRESH_MS },
  );

  return (
    <section class="key-usage">
      <p class="row key-spans">
        {(Object.keys(SPANS) as Per[]).map((span) => (
          <a
            key={span}
            class="button small"
            href={withQuery({ per: span === 'day' ? undefined : span })}
            aria-current={span === per ? 'true' : undefined}
          >
            {SPANS[span].name}
          </a>
        ))}
      </p>
      <WhenLoaded from={loaded}>
        {(value) => value.per === per && <UsageBars {...value} />}
      </WhenLoaded>
    </section>
  );
}

function UsageBars({ per, usage }: { readonly per: Per; readonly usage: readonly KeyUsage[] }) {
  const label = per === 'hour' ? formatHour : formatShortDay;
  return (
    <>
      <Chart
        title={SPANS[per].title}
        labelName={per === 'hour' ? t`Hour` : t`Day in UTC`}
        labels={usage.map(({ start }) => label(start))}
        series={[
          { name: t`Answered`, values: usage.map(({ requests }) => requests) },
          { name: t`Over its limit`, values: usage.map(({ refused }) => refused) },
        ]}
      />
      <p class="hint">
        {per === 'day' && t`${sumOf(usage.slice(-WEEK_DAYS))} in the last 7 days.`}{' '}
        {t`${sumOf(usage)} in all. A request that the key has no right to make counts as answered.`}
      </p>
    </>
  );
}

/** `12 requests (3 of them over its limit)` */
function sumOf(usage: readonly KeyUsage[]): string {
  const all = usage.reduce((sum, { requests }) => sum + requests, 0);
  const refused = usage.reduce((sum, one) => sum + one.refused, 0);
  const sent = count(all + refused, 'request');
  return refused === 0 ? sent : t`${sent} (${formatNumber(refused)} of them over its limit)`;
}
