import { useState } from 'preact/hooks';
import { Field, type Options, Select } from '../../components/field.tsx';
import { FormDialog, type ReadField } from '../../components/form.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { t } from '../../language.ts';
import { changedIn } from '../../merge.tsx';
import { submit } from '../../outbox.tsx';
import { navigate } from '../../router.ts';
import type { Channel } from '../../service.ts';
import { CHANNEL_KINDS } from '../../words.ts';

const EVERY: Options = [
  ['24h', t`Every night`],
  ['12h', t`Every 12 hours`],
  ['6h', t`Every 6 hours`],
  ['1h', t`Every hour`],
];

const PHOTOS: Options = [
  ['addresses', t`As addresses: this service is reachable from outside`],
  ['uploads', t`Uploaded beside the file`],
];

function wantedIn(field: ReadField, kind: string) {
  const password = field('password');
  return {
    address: field('address'),
    every: field('every'),
    photosAs: field('photosAs') as Channel['photosAs'],
    // An empty field of a password leaves the stored one.
    ...(password !== '' && { password }),
    ...(kind === 'petfinder' && { accountId: field('accountId') }),
  };
}

export function ChannelDialog({ channel }: { readonly channel?: Channel }) {
  const [kind, setKind] = useState<string>(channel?.kind ?? 'petfinder');
  const isKnown = channel === undefined || EVERY.some(([value]) => value === channel.every);
  const others: Options = isKnown ? [] : [[channel.every, t`Every ${channel.every}`]];

  function send(field: ReadField): Promise<unknown> {
    const wanted = wantedIn(field, kind);
    // Nothing of it is kept in the browser, because of the password.
    const isFleeting = true;
    if (channel === undefined) {
      return submit({
        label: t`Add channel ${wanted.address}`,
        call: (to) => to.channels.create({ kind: kind as Channel['kind'], ...wanted }),
        done: ({ id }) => navigate(`/console/channels?channel=${id}`),
        isFleeting,
      });
    }
    return submit<Channel>({
      label: t`Change channel ${wanted.address}`,
      call: (to) => to.channels.update(channel.id, changedIn(wanted, channel)),
      says: t`The channel is saved.`,
      isFleeting,
    });
  }

  return (
    <FormDialog title={channel ? t`Change channel` : t`Add channel`} of={channel} onSubmit={send}>
      {channel === undefined && (
        <Select
          label={t`Where to`}
          name="kind"
          value={kind}
          onValue={setKind}
          options={Object.entries(CHANNEL_KINDS)}
        />
      )}
      <Field
        name="address"
        required
        maxLength={1_000}
        hint={t`The place tells you: ftps://user@ftp.example.org/import, or sftp://…`}
      />
      {kind === 'petfinder' && (
        <Field
          label={t`Account`}
          name="accountId"
          required
          maxLength={50}
          hint={t`Your shelter’s id at Petfinder, like ON101.`}
        />
      )}
      <PasswordField
        label={t`Password`}
        kind="new-password"
        hint={
          channel?.hasSecret ? t`Leave it empty to keep the stored one.` : t`Of your account there.`
        }
      />
      <Select name="photosAs" options={PHOTOS} />
      <Select label={t`Sent`} name="every" options={[...EVERY, ...others]} />
    </FormDialog>
  );
}
