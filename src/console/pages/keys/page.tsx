import { ErrorState } from '../../components/error-state.tsx';
import { Icon } from '../../components/icon.tsx';
import { LoadingState } from '../../components/loading-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { currentCursor, Pager } from '../../components/pager.tsx';
import { showOnce } from '../../components/shown-once.tsx';
import { Status } from '../../components/status.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { formatAgo } from '../../format.ts';
import { useLoaded } from '../../loading.ts';
import { closeDialog, openDialog, query, withQuery } from '../../router.ts';
import { type IssuedKey, type Key, store } from '../../service.ts';
import { CreateKey } from './create-key.tsx';
import { planName, scopeText, statusOf } from './key-choices.ts';
import { KeyDialog } from './key-dialog.tsx';

const PAGE_SIZE = 50;

/** The API keys: who may use the service, for what, and how often. */
export default function KeysPage() {
  const cursor = currentCursor();
  const { value, error, reload } = useLoaded(
    (signal) => store.keys.list({ limit: PAGE_SIZE }, { signal }).page(cursor),
    [cursor],
  );
  const keyId = query.value.get('key');

  function show(key: IssuedKey) {
    void showOnce(`The key of ${key.name}`, key.key);
    reload();
  }

  return (
    <>
      <PageHeader title="Keys">
        <button type="button" class="button primary" onClick={() => openDialog({ create: 'key' })}>
          <Icon name="add" />
          Create key
        </button>
      </PageHeader>
      <p class="page-lead">Everybody who works here, and every program, gets a key of their own.</p>
      {value === undefined && error === undefined && <LoadingState />}
      {error !== undefined && <ErrorState error={error} retry={reload} />}
      {value !== undefined && (
        <Table
          caption="Keys"
          columns={COLUMNS}
          items={value.items}
          keyOf={({ id }) => id}
          nameOf={({ name }) => name}
        />
      )}
      {value !== undefined && <Pager name="keys" next={value.nextCursor} />}
      {query.value.has('create') && (
        <CreateKey onClose={() => closeDialog({ create: undefined })} onCreated={show} />
      )}
      {keyId !== null && (
        <KeyDialog
          key={keyId}
          id={keyId}
          onClose={() => closeDialog({ key: undefined, per: undefined })}
          onChanged={reload}
          onIssued={show}
        />
      )}
    </>
  );
}

const COLUMNS: readonly Column<Key>[] = [
  {
    name: 'Name',
    cell: ({ id, name }) => <a href={withQuery({ key: String(id) })}>{name}</a>,
  },
  { name: 'Status', cell: (key) => <Status value={statusOf(key)} /> },
  { name: 'Rights', cell: ({ scopes }) => scopeText(scopes) },
  { name: 'Plan', cell: ({ plan }) => planName(plan) },
  {
    name: 'Last used',
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : formatAgo(lastUsedAt)),
  },
];
