import { InAddress } from '../../components/dialog.tsx';
import { Status } from '../../components/facts.tsx';
import { ListPage, usePage } from '../../components/list-page.tsx';
import type { Column } from '../../components/table.tsx';
import { formatAgo } from '../../format.ts';
import { t } from '../../language.ts';
import { setQuery, withQuery } from '../../router.ts';
import { type Key, store } from '../../service.ts';
import { CreateKey, planName, scopeText, statusOf } from './create-key.tsx';
import { KeyDialog } from './key-dialog.tsx';

const PAGE_SIZE = 50;

/** The API keys: who may use the service, for what, and how often. */
export default function KeysPage() {
  const page = usePage((options) => store.keys.list({ limit: PAGE_SIZE }, options), ['key']);

  return (
    <ListPage
      from={page}
      caption={t`Keys`}
      lead={t`Every program gets a key of its own. Those who work here sign in: see People.`}
      columns={COLUMNS}
      add={{ label: t`Create key`, onClick: () => setQuery({ create: 'key' }) }}
    >
      <InAddress name="create">{() => <CreateKey />}</InAddress>
      <InAddress name="key" also={['per']}>
        {(id) => <KeyDialog id={id} />}
      </InAddress>
    </ListPage>
  );
}

const COLUMNS: readonly Column<Key>[] = [
  {
    name: t`Name`,
    cell: ({ id, name }) => <a href={withQuery({ key: String(id) })}>{name}</a>,
  },
  { name: t`Status`, cell: (key) => <Status value={statusOf(key)} /> },
  { name: t`Rights`, cell: ({ scopes }) => scopeText(scopes) },
  { name: t`Plan`, cell: ({ plan }) => planName(plan) },
  {
    name: t`Last used`,
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? t`Never` : formatAgo(lastUsedAt)),
  },
];
