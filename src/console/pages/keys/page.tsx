import { currentCursor, ListPage } from '../../components/list-page.tsx';
import { Status } from '../../components/status.tsx';
import type { Column } from '../../components/table.tsx';
import { formatAgo } from '../../format.ts';
import { useLoaded } from '../../loading.ts';
import { closeDialog, query, setQuery, withQuery } from '../../router.ts';
import { type Key, store } from '../../service.ts';
import { CreateKey } from './create-key.tsx';
import { planName, scopeText, statusOf } from './key-choices.ts';
import { KeyDialog } from './key-dialog.tsx';

const PAGE_SIZE = 50;

/** The API keys: who may use the service, for what, and how often. */
export default function KeysPage() {
  const cursor = currentCursor();
  const page = useLoaded(
    (signal) => store.keys.list({ limit: PAGE_SIZE }, { signal }).page(cursor),
    [cursor],
    ['key'],
  );
  const keyId = query.value.get('key');

  return (
    <ListPage
      from={page}
      caption="Keys"
      lead="Every program gets a key of its own. Those who work here sign in: see People."
      columns={COLUMNS}
      add={{ label: 'Create key', onClick: () => setQuery({ create: 'key' }) }}
    >
      {query.value.has('create') && (
        <CreateKey onClose={() => closeDialog({ create: undefined })} />
      )}
      {keyId !== null && (
        <KeyDialog
          key={keyId}
          id={keyId}
          onClose={() => closeDialog({ key: undefined, per: undefined })}
        />
      )}
    </ListPage>
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
