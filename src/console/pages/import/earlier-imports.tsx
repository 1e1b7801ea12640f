import { signal } from '@preact/signals';
import { Status } from '../../components/status.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { explain } from '../../failures.ts';
import { formatMoment, formatNumber } from '../../format.ts';
import { useLoaded } from '../../loading.ts';
import { withQuery } from '../../router.ts';
import { type ImportSummary, store } from '../../service.ts';
import { may, person } from '../../session.ts';

/** Imports that are shown, and those that are read for them, dry runs included. */
const SHOWN_MAX = 20;
const READ_MAX = 100;

const COLUMNS: readonly Column<ImportSummary>[] = [
  {
    name: 'Started',
    cell: ({ id, createdAt }) => (
      <a href={withQuery({ import: String(id) })}>{formatMoment(createdAt)}</a>
    ),
  },
  { name: 'By', cell: ({ keyId }) => keyName(keyId) },
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
      <Table caption="Earlier imports" columns={COLUMNS} items={value} />
    </section>
  );
}

async function loadImports(signal: AbortSignal): Promise<readonly ImportSummary[]> {
  const { items } = await store.imports
    .list({ sort: 'newest', limit: READ_MAX }, { signal })
    .page();
  return items.filter(({ dryRun }) => !dryRun).slice(0, SHOWN_MAX);
}

const names = signal<ReadonlyMap<number, string>>(new Map());
const asked = new Set<number>();

/** Returns the name of a key; `key 7` for people who may not know it, or until it is known. */
function keyName(id: number): string {
  if (id === person.value?.id) return person.value.name;
  const name = names.value.get(id);
  if (name === undefined && may('admin') && !asked.has(id)) void readName(id);
  return name ?? `key ${id}`;
}

async function readName(id: number): Promise<void> {
  asked.add(id);
  try {
    const { name } = await store.keys.get(id);
    names.value = new Map(names.value).set(id, name);
  } catch {
    // Its number stays on the screen. The next page that shows it asks again.
    asked.delete(id);
  }
}
