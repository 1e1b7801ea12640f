import { explain } from '../../components/error-state.tsx';
import { Status } from '../../components/status.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { formatMoment, formatNumber } from '../../format.ts';
import { useLoaded } from '../../loading.ts';
import { withQuery } from '../../router.ts';
import { type ImportSummary, store } from '../../service.ts';

/** Imports that are shown. */
const SHOWN_MAX = 20;

const COLUMNS: readonly Column<ImportSummary>[] = [
  {
    name: 'Started',
    cell: ({ id, createdAt }) => (
      <a href={withQuery({ import: String(id) })}>{formatMoment(createdAt)}</a>
    ),
  },
  { name: 'Status', cell: ({ status }) => <Status value={status} /> },
  { name: 'Added', cell: ({ created }) => formatNumber(created), isNumber: true },
  { name: 'Changed', cell: ({ changed }) => formatNumber(changed), isNumber: true },
  { name: 'Rejected', cell: ({ rejected }) => formatNumber(rejected), isNumber: true },
];

/** The imports of the last 30 days, the newest first. `current` is the one on the page. */
export function EarlierImports({ current }: { readonly current: string | null }) {
  const { value, error } = useLoaded(loadImports, [current]);
  if (error !== undefined) return <p class="problem">{explain(error)}</p>;
  if (value === undefined || value.length === 0) return null;
  return (
    <section class="earlier-imports" aria-labelledby="earlier">
      <h2 id="earlier">Earlier imports</h2>
      <Table
        caption="Earlier imports"
        columns={COLUMNS}
        items={value}
        keyOf={({ id }) => id}
        nameOf={({ createdAt }) => formatMoment(createdAt)}
      />
    </section>
  );
}

async function loadImports(signal: AbortSignal): Promise<readonly ImportSummary[]> {
  const imports: ImportSummary[] = [];
  // They come with the oldest first.
  for await (const one of store.imports.list({}, { signal })) {
    if (!one.dryRun) imports.push(one);
  }
  return imports.reverse().slice(0, SHOWN_MAX);
}
