import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { open } from '../../components/dialog.tsx';
import { saveAs } from '../../components/export-menu.tsx';
import { Facts, Status } from '../../components/facts.tsx';
import { BackLink, PagedTable, PageHeader, usePage } from '../../components/list-page.tsx';
import { Section, WhenLoaded } from '../../components/states.tsx';
import type { Column } from '../../components/table.tsx';
import { explain, failureOf } from '../../failures.ts';
import { count, formatMoment, formatNumber } from '../../format.ts';
import { t } from '../../language.ts';
import { useLoaded } from '../../loading.ts';
import { notify } from '../../notices.tsx';
import { submit } from '../../outbox.tsx';
import { problemText } from '../../refusals.ts';
import { idIn, navigate, query } from '../../router.ts';
import {
  type Channel,
  type ChannelFile,
  type ChannelTest,
  type LeftOutAnimal,
  PetstoreError,
  type Sending,
  store,
} from '../../service.ts';
import { CHANNEL_KINDS } from '../../words.ts';
import { ChannelDialog } from './channel-dialog.tsx';

/** A test may wait this long for the place. */
const TEST_MS = 60_000;
const REFRESH_MS = 5_000;
const PAGE_SIZE = 20;

/** The status of a channel for a person: `failing` if it did not get its last file. */
export function healthOf({ status, failures, disabledReason }: Channel): string {
  if (status === 'enabled') return failures > 0 ? 'failing' : status;
  return disabledReason === 'requested' ? status : 'failing';
}

/** One channel: what it gets, a test of it, and what was sent. */
export function ChannelView({ id }: { readonly id: string }) {
  const loaded = useLoaded(
    (signal) => store.channels.get(idIn(id), { signal }),
    [id],
    ['channel'],
    { everyMs: REFRESH_MS },
  );
  const { value } = loaded;
  return (
    <>
      <BackLink to="channels" name={t`Channels`} />
      <PageHeader title={value ? CHANNEL_KINDS[value.kind] : t`Channel`}>
        {value && <ChannelActions of={value} />}
      </PageHeader>
      <WhenLoaded from={loaded}>
        {(channel) => (
          <>
            <ChannelFacts of={channel} />
            <TryChannel of={channel} />
            <SendingList channelId={channel.id} />
          </>
        )}
      </WhenLoaded>
    </>
  );
}

const REASONS: Readonly<Record<NonNullable<Channel['disabledReason']>, string>> = {
  requested: t`An administrator disabled it.`,
  sign_in: t`The user name or the password is not accepted there. Change them, then enable the channel.`,
  host_key: t`The server’s key has changed. Ask there whether that is right.`,
  copied: t`The database was restored or copied. Enable it if this is the shop that should send.`,
};

function ChannelFacts({ of: channel }: { readonly of: Channel }) {
  const { address, accountId, hostKey, nextAt, sentAt, sentRows, problem, disabledReason } =
    channel;
  const why = disabledReason === null ? problem && problemText(problem) : REASONS[disabledReason];
  const last =
    sentAt === null
      ? t`No file was sent yet.`
      : `${count(sentRows ?? 0, 'animal')}, ${formatMoment(sentAt)}`;
  return (
    <Facts
      of={{
        Address: address,
        Account: accountId,
        Status: [<Status key="status" value={healthOf(channel)} />, why && <p key="why">{why}</p>],
        'Last file': last,
        'Next file': nextAt && formatMoment(nextAt),
        'Key of the server': hostKey,
      }}
    />
  );
}

/** Tests a channel, sends its file, and saves the file for sending it by hand. */
function TryChannel({ of: { id, address } }: { readonly of: Channel }) {
  const [said, setSaid] = useState<string>();

  async function test() {
    setSaid(t`Connecting…`);
    setSaid(await store.channels.test(id, { timeout: TEST_MS }).then(testText, explain));
  }

  async function send(anyway = false): Promise<void> {
    if (!anyway) setSaid(undefined);
    try {
      await submit<Sending>({
        label: t`Send the file to ${address}`,
        ...(anyway && {
          asks: {
            title: t`Send the shorter file anyway?`,
            text: t`Animals that are not in the file disappear there.`,
            action: t`Send`,
          },
        }),
        call: (to) => to.channels.send(id, anyway ? { anyway: 'true' } : {}),
        says: t`The file is on its way.`,
        isFleeting: true,
      });
    } catch (error) {
      const isHeld = error instanceof PetstoreError && error.message.includes('anyway=true');
      if (anyway || !isHeld) throw error;
      setSaid(problemText(error.message.replace(/ Send it with.*/, '')));
      await send(true);
    }
  }

  const told = (work: Promise<unknown>) =>
    void work.catch((error) => setSaid(explain(failureOf(error))));
  return (
    <div class="row">
      <Button onClick={() => told(send())}>{t`Send now`}</Button>
      <Button onClick={test}>{t`Test`}</Button>
      <Button
        onClick={() => told(store.channels.file(id).then(saveFile))}
      >{t`Save the file`}</Button>
      <p role="status">{said}</p>
    </div>
  );
}

function testText({ works, problem, rows, leftOut, leftOutCount }: ChannelTest): string {
  const animals = count(rows, 'animal');
  const file =
    leftOutCount > 0
      ? t`The file has ${animals}; left out: ${leftOutText(leftOut, leftOutCount)}.`
      : t`The file has ${animals}.`;
  return works ? t`It works. ${file}` : t`It does not work: ${problemText(problem ?? '')} ${file}`;
}

function saveFile({ name, text, rows }: ChannelFile): void {
  saveAs(new Blob([text], { type: 'text/csv' }), name);
  notify(t`${name} has ${count(rows, 'animal')}.`);
}

const BECAUSE: Readonly<Record<LeftOutAnimal['reason'], string>> = {
  species: t`of a species that it does not take`,
  breed: t`without a breed`,
  sex: t`without a sex`,
  reserved: t`reserved`,
};

/** How many animals are left out for each reason, of those that are named. */
function leftOutText(leftOut: readonly LeftOutAnimal[], all: number): string {
  const reasons = Object.entries(BECAUSE).flatMap(([reason, text]) => {
    const found = leftOut.filter((each) => each.reason === reason).length;
    return found > 0 ? [`${formatNumber(found)} ${text}`] : [];
  });
  const more = all - leftOut.length;
  return [...reasons, ...(more > 0 ? [t`${formatNumber(more)} more`] : [])].join(', ');
}

const COLUMNS: readonly Column<Sending>[] = [
  { name: t`Time`, cell: ({ endedAt, startedAt }) => formatMoment(endedAt ?? startedAt) },
  {
    name: t`Outcome`,
    cell: ({ outcome }) => <Status value={outcome === 'pending' ? 'queued' : outcome} />,
  },
  { name: t`Animals`, cell: ({ rows }) => formatNumber(rows), isNumber: true },
  {
    name: t`Photos`,
    cell: ({ photosSent, photosLeft }) =>
      photosLeft > 0
        ? t`${formatNumber(photosSent)}, ${formatNumber(photosLeft)} left`
        : formatNumber(photosSent),
    isNumber: true,
  },
  { name: t`Left out`, cell: ({ leftOut, leftOutCount }) => leftOutText(leftOut, leftOutCount) },
  { name: t`Why not`, cell: ({ problem }) => problem && problemText(problem) },
];

function SendingList({ channelId }: { readonly channelId: number }) {
  const page = usePage(
    (options) => store.channels.sendings(channelId, { limit: PAGE_SIZE }, options),
    ['channel'],
    [channelId],
    { everyMs: REFRESH_MS },
  );
  return (
    <Section id="sendings" title={t`Sent files`}>
      <PagedTable
        from={page}
        caption={t`Sent files`}
        columns={COLUMNS}
        empty={<p>{t`Nothing was sent yet.`}</p>}
      />
    </Section>
  );
}

function ChannelActions({ of: channel }: { readonly of: Channel }) {
  const { id, address } = channel;
  const isEnabled = channel.status === 'enabled';

  function toggle() {
    const status = isEnabled ? 'disabled' : 'enabled';
    return submit({
      label: isEnabled ? t`Disable ${address}` : t`Enable ${address}`,
      call: (to) => to.channels.update(id, { status }),
      says: isEnabled ? t`The channel is disabled.` : t`The channel is enabled.`,
    });
  }

  return (
    <>
      <Button onClick={() => open(<ChannelDialog channel={channel} />)}>{t`Change`}</Button>
      <Button onClick={toggle}>{isEnabled ? t`Disable` : t`Enable`}</Button>
      <Button kind="quiet danger" onClick={() => remove(channel)}>
        {t`Remove`}
      </Button>
    </>
  );
}

function remove({ id, address }: Channel): Promise<boolean> {
  return submit({
    label: t`Remove channel ${address}`,
    asks: {
      title: t`Remove this channel?`,
      text: t`Nothing more is sent. The animals that the place shows stay there until you remove them.`,
      action: t`Remove`,
    },
    call: (to) => to.channels.delete(id),
    says: t`The channel is removed.`,
    done() {
      const isShown = query.value.get('channel') === String(id);
      if (isShown) navigate('/console/channels', 'replace');
    },
  });
}
