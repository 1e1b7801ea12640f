import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { Icon } from '../../components/icon.tsx';
import { LoadingState } from '../../components/loading-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { currentCursor, Pager } from '../../components/pager.tsx';
import { showOnce } from '../../components/shown-once.tsx';
import { Status } from '../../components/status.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { eventName } from '../../event-names.ts';
import { formatList } from '../../format.ts';
import { useLoaded } from '../../loading.ts';
import { closeDialog, openDialog, query } from '../../router.ts';
import { store, type Webhook } from '../../service.ts';
import { WebhookDialog } from './webhook-dialog.tsx';

const PAGE_SIZE = 50;

const COLUMNS: readonly Column<Webhook>[] = [
  {
    name: 'Address',
    cell: ({ id, url }) => <a href={`/console/webhooks?webhook=${id}`}>{url}</a>,
  },
  { name: 'Status', cell: ({ status }) => <Status value={status} /> },
  {
    name: 'Events',
    cell: ({ types }) => (types === null ? 'All' : formatList(types.map(eventName))),
  },
  { name: 'Description', cell: ({ description }) => description ?? '' },
];

/** The endpoints that get events. */
export function WebhookList() {
  const cursor = currentCursor();
  const { value, error, reload } = useLoaded(
    (signal) => store.webhooks.list({ limit: PAGE_SIZE }, { signal }).page(cursor),
    [cursor],
  );

  return (
    <>
      <PageHeader title="Webhooks">
        <button type="button" class="button primary" onClick={() => openDialog({ add: 'webhook' })}>
          <Icon name="add" />
          Add webhook
        </button>
      </PageHeader>
      {value === undefined && error === undefined && <LoadingState />}
      {error !== undefined && <ErrorState error={error} retry={reload} />}
      {value?.items.length === 0 && cursor === undefined && (
        <EmptyState
          title="No webhooks yet"
          text="A webhook tells the program of a partner about every change. Add its address."
        />
      )}
      {value !== undefined && value.items.length > 0 && (
        <Table
          caption="Webhooks"
          columns={COLUMNS}
          items={value.items}
          keyOf={({ id }) => id}
          nameOf={({ url }) => url}
        />
      )}
      {value !== undefined && <Pager name="webhooks" next={value.nextCursor} />}
      {query.value.has('add') && (
        <WebhookDialog
          webhook={undefined}
          onClose={() => closeDialog({ add: undefined })}
          onDone={({ secret }) => {
            void showOnce('The secret of this webhook', secret);
            reload();
          }}
        />
      )}
    </>
  );
}
