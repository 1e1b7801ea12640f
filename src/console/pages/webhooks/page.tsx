import { InAddress } from '../../components/dialog.tsx';
import { Status } from '../../components/facts.tsx';
import { currentCursor, ListPage } from '../../components/list-page.tsx';
import { EmptyState } from '../../components/states.tsx';
import type { Column } from '../../components/table.tsx';
import { t } from '../../language.ts';
import { useLoaded } from '../../loading.ts';
import { query, setQuery } from '../../router.ts';
import { store } from '../../service.ts';
import { eventNames } from '../../words.ts';
import { type Row, withHealth } from './delivery-list.tsx';
import { WebhookDialog, WebhookView } from './webhook-view.tsx';

/** The deliveries of each are looked at too. */
const PAGE_SIZE = 20;
const REFRESH_MS = 15_000;

const COLUMNS: readonly Column<Row>[] = [
  {
    name: t`Address`,
    cell: ({ id, url }) => <a href={`/console/webhooks?webhook=${id}`}>{url}</a>,
  },
  { name: t`Status`, cell: ({ health }) => <Status value={health} /> },
  { name: t`Events`, cell: ({ types }) => eventNames(types) },
  { name: t`Description`, cell: ({ description }) => description ?? '' },
];

/** The webhooks: all of them, or one with its deliveries. */
export default function WebhooksPage() {
  const id = query.value.get('webhook');
  return id === null ? <WebhookList /> : <WebhookView key={id} id={id} />;
}

async function loadWebhooks(cursor: string | undefined, signal: AbortSignal) {
  const page = await store.webhooks.list({ limit: PAGE_SIZE }, { signal }).page(cursor);
  const items = await Promise.all(page.items.map((webhook) => withHealth(webhook, signal)));
  return { ...page, items };
}

function WebhookList() {
  const cursor = currentCursor();
  const page = useLoaded((signal) => loadWebhooks(cursor, signal), [cursor], ['webhook'], {
    everyMs: REFRESH_MS,
  });
  return (
    <ListPage
      from={page}
      caption={t`Webhooks`}
      columns={COLUMNS}
      add={{ label: t`Add webhook`, onClick: () => setQuery({ add: 'webhook' }) }}
      empty={
        <EmptyState
          title={t`No webhooks yet`}
          text={t`A webhook tells the program of a partner about every change. Add its address.`}
        />
      }
    >
      <InAddress name="add">{() => <WebhookDialog />}</InAddress>
    </ListPage>
  );
}
