import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { open } from '../../components/dialog.tsx';
import { PagedTable, PageHeader, usePage } from '../../components/list-page.tsx';
import { Facts, WhenLoaded } from '../../components/states.tsx';
import { Status } from '../../components/status.tsx';
import type { Column } from '../../components/table.tsx';
import { explain, failureOf } from '../../failures.ts';
import { count, formatMoment, formatNumber } from '../../format.ts';
import { useLoaded } from '../../loading.ts';
import { notify } from '../../notices.tsx';
import { submit } from '../../outbox.tsx';
import { navigate, query, readNumber } from '../../router.ts';
import {
  type Channel,
  type ChannelFile,
  type ChannelTest,
  type LeftOutAnimal,
  PetstoreError,
  type Sending,
  store,
} from '../../service.ts';
import { ChannelDialog } from './channel-dialog.tsx';
import { KINDS } from './kinds.ts';

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
    (signal) => store.channels.get(readNumber(id) ?? 0, { signal }),
    [id],
    ['channel'],
    { everyMs: REFRESH_MS },
  );
  const { value } = loaded;
  return (
    <>
      <p>
        <a href="/console/channels">All channels</a>
      </p>
      <PageHeader title={value ? KINDS[value.kind] : 'Channel'}>
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
  requested: 'An administrator disabled it.',
  sign_in: 'The place refuses user or password. Change them, then enable it.',
  host_key: 'The server has another key than before. Ask the place whether that is right.',
  copied: 'The database was restored or copied. Enable it if this is the shop that should send.',
};

function ChannelFacts({ of: channel }: { readonly of: Channel }) {
  const { address, accountId, hostKey, nextAt, sentAt, sentRows, problem, disabledReason } =
    channel;
  const why = disabledReason === null ? problem : REASONS[disabledReason];
  return (
    <Facts
      of={{
        Address: address,
        Account: accountId,
        Status: [<Status key="status" value={healthOf(channel)} />, why && ` ${why}`],
        'Last file':
          sentAt === null
            ? 'None was sent yet.'
            : `${count(sentRows ?? 0, 'animal')}, ${formatMoment(sentAt)}`,
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
    setSaid('Connecting…');
    setSaid(await store.channels.test(id, { timeout: TEST_MS }).then(testText, explain));
  }

  async function send(anyway = false): Promise<void> {
    if (!anyway) setSaid(undefined);
    try {
      await submit<Sending>({
        label: `Send the file to ${address}`,
        ...(anyway && {
          asks: {
            title: 'Send it although it has shrunk?',
            text: 'The animals that are not in the file disappear at the place.',
            action: 'Send',
          },
        }),
        call: (to) => to.channels.send(id, anyway ? { anyway: 'true' } : {}),
        says: 'The file is on its way.',
        isFleeting: true,
      });
    } catch (error) {
      const isHeld = error instanceof PetstoreError && error.message.includes('anyway=true');
      if (anyway || !isHeld) throw error;
      setSaid(error.message.replace(/ Send it with.*/, ''));
      await send(true);
    }
  }

  const told = (work: Promise<unknown>) =>
    void work.catch((error) => setSaid(explain(failureOf(error))));
  return (
    <div class="row">
      <Button onClick={() => told(send())}>Send now</Button>
      <Button onClick={test}>Test</Button>
      <Button onClick={() => told(store.channels.file(id).then(saveFile))}>Save the file</Button>
      <p role="status">{said}</p>
    </div>
  );
}

function testText({ works, problem, rows, leftOut, leftOutCount }: ChannelTest): string {
  const file = `The file has ${count(rows, 'animal')}${leftOutCount > 0 ? `; left out: ${leftOutText(leftOut, leftOutCount)}` : ''}.`;
  return works ? `It works. ${file}` : `It does not work: ${problem ?? 'no answer.'} ${file}`;
}

/** Lets the browser save a file. */
function saveFile({ name, text, rows }: ChannelFile): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1_000);
  notify(`${name} has ${count(rows, 'animal')}.`);
}

const BECAUSE: Readonly<Record<LeftOutAnimal['reason'], string>> = {
  species: 'of a species that it does not take',
  breed: 'without a breed',
  reserved: 'reserved',
};

/** How many animals are left out for each reason, of those that are named. */
function leftOutText(leftOut: readonly LeftOutAnimal[], all: number): string {
  const reasons = Object.entries(BECAUSE).flatMap(([reason, text]) => {
    const found = leftOut.filter((each) => each.reason === reason).length;
    return found > 0 ? [`${formatNumber(found)} ${text}`] : [];
  });
  const more = all - leftOut.length;
  return [...reasons, ...(more > 0 ? [`${formatNumber(more)} more`] : [])].join(', ');
}

const COLUMNS: readonly Column<Sending>[] = [
  { name: 'Time', cell: ({ endedAt, startedAt }) => formatMoment(endedAt ?? startedAt) },
  { name: 'Outcome', cell: ({ outcome }) => <Status value={outcome} /> },
  { name: 'Animals', cell: ({ rows }) => formatNumber(rows), isNumber: true },
  { name: 'Left out', cell: ({ leftOut, leftOutCount }) => leftOutText(leftOut, leftOutCount) },
  { name: 'Why not', cell: ({ problem }) => problem ?? '' },
];

/** What was sent to a channel, the newest first. */
function SendingList({ channelId }: { readonly channelId: number }) {
  const page = usePage(
    (options) => store.channels.sendings(channelId, { limit: PAGE_SIZE }, options),
    ['channel'],
    [channelId],
    { everyMs: REFRESH_MS },
  );
  return (
    <section aria-labelledby="sendings">
      <h2 id="sendings">Sent files</h2>
      <PagedTable
        from={page}
        caption="Sent files"
        columns={COLUMNS}
        empty={<p>Nothing was sent yet.</p>}
      />
    </section>
  );
}

/** What can be done to a channel. */
function ChannelActions({ of: channel }: { readonly of: Channel }) {
  const { id, address } = channel;
  const isEnabled = channel.status === 'enabled';

  function toggle() {
    const status = isEnabled ? 'disabled' : 'enabled';
    return submit({
      label: `${isEnabled ? 'Disable' : 'Enable'} ${address}`,
      call: (to) => to.channels.update(id, { status }),
      says: `The channel is ${status}.`,
    });
  }

  return (
    <>
      <Button onClick={() => open(<ChannelDialog channel={channel} />)}>Change</Button>
      <Button onClick={toggle}>{isEnabled ? 'Disable' : 'Enable'}</Button>
      <Button kind="danger" onClick={() => remove(channel)}>
        Remove
      </Button>
    </>
  );
}

function remove({ id, address }: Channel): Promise<boolean> {
  return submit({
    label: `Remove channel ${address}`,
    asks: {
      title: 'Remove this channel?',
      text: 'Nothing more is sent. The animals that the place shows stay there until you remove them.',
      action: 'Remove',
    },
    call: (to) => to.channels.delete(id),
    says: 'The channel is removed.',
    done() {
      const isShown = query.value.get('channel') === String(id);
      if (isShown) navigate('/console/channels', 'replace');
    },
  });
}
