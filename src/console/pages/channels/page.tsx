import { InAddress } from '../../components/dialog.tsx';
import { Status } from '../../components/facts.tsx';
import { ListPage, usePage } from '../../components/list-page.tsx';
import { EmptyState } from '../../components/states.tsx';
import type { Column } from '../../components/table.tsx';
import { formatMoment } from '../../format.ts';
import { t } from '../../language.ts';
import { query, setQuery } from '../../router.ts';
import { type Channel, store } from '../../service.ts';
import { CHANNEL_KINDS } from '../../words.ts';
import { ChannelDialog } from './channel-dialog.tsx';
import { ChannelView, healthOf } from './channel-view.tsx';

const PAGE_SIZE = 50;
const REFRESH_MS = 15_000;

const COLUMNS: readonly Column<Channel>[] = [
  {
    name: t`Where to`,
    cell: ({ id, kind, address }) => (
      <a href={`/console/channels?channel=${id}`}>
        {CHANNEL_KINDS[kind]}: {address}
      </a>
    ),
  },
  { name: t`Status`, cell: (channel) => <Status value={healthOf(channel)} /> },
  { name: t`Sent`, cell: ({ sentAt }) => (sentAt === null ? t`Not yet` : formatMoment(sentAt)) },
  {
    name: t`Next`,
    cell: ({ nextAt }) => (nextAt === null ? '' : formatMoment(nextAt)),
  },
];

/** The channels: all of them, or one with what was sent. */
export default function ChannelsPage() {
  const id = query.value.get('channel');
  return id === null ? <ChannelList /> : <ChannelView key={id} id={id} />;
}

function ChannelList() {
  const page = usePage(
    (options) => store.channels.list({ limit: PAGE_SIZE }, options),
    ['channel'],
    [],
    { everyMs: REFRESH_MS },
  );
  return (
    <ListPage
      from={page}
      caption={t`Channels`}
      columns={COLUMNS}
      add={{ label: t`Add channel`, onClick: () => setQuery({ add: 'channel' }) }}
      empty={
        <EmptyState
          title={t`No channels yet`}
          text={t`A channel shows your animals at Petfinder, Adopt-a-Pet or RescueGroups: it sends them a file every night.`}
        />
      }
    >
      <InAddress name="add">{() => <ChannelDialog />}</InAddress>
    </ListPage>
  );
}
