import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { ImportFailure } from '../../../import/failure.ts';
import { DropZone, FileButton } from '../../components/drop-zone.tsx';
import { Status } from '../../components/facts.tsx';
import { Icon } from '../../components/icon.tsx';
import { PageHeader } from '../../components/list-page.tsx';
import { LoadingState, Section } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { explain } from '../../failures.ts';
import { formatMoment, formatNumber } from '../../format.ts';
import { t } from '../../language.ts';
import { useLoaded } from '../../loading.ts';
import { path, query, setQuery, withQuery } from '../../router.ts';
import { type ImportSummary, store } from '../../service.ts';
import { may, person } from '../../session.ts';
import { ImportProgress, isRunning, POLL_MS } from './import-result.tsx';
import type { Draft } from './mapping.ts';
import { failureText } from './reasons.ts';

/** What was chosen, until the page is loaded again: one step back finds it as it was. */
const draft = signal<Draft | undefined>(undefined);
/** What knows the columns of many systems comes with the first file. */
const reader = signal<typeof import('./map-file.tsx') | undefined>(undefined);

/** Imports a file: choose it, say which columns are what, see what would happen, do it. */
export default function ImportPage() {
  const isMapping = query.value.get('step') === 'columns' && draft.value !== undefined;
  const MapFile = reader.value?.MapFile;
  const [isReading, setReading] = useState(false);
  const [problem, setProblem] = useState<string>();
  const id = query.value.get('import');
  const here = path.peek();

  async function choose([given]: readonly File[]) {
    if (!given) return;
    setProblem(undefined);
    setReading(true);
    try {
      reader.value ??= await import('./map-file.tsx');
      draft.value = await reader.value.readDraft(given);
      setQuery({ step: 'columns' });
    } catch (error) {
      if (!(error instanceof ImportFailure)) throw error;
      setProblem(failureText(error));
    } finally {
      setReading(false);
    }
  }

  function start(importId: number) {
    // It may have been sent later, from the list of what was not sent. One step back is what was chosen.
    if (path.value === here) setQuery({ import: String(importId), step: undefined });
  }

  return (
    <>
      <PageHeader title={t`Import`} />
      {id !== null && <ImportProgress key={id} id={id} />}
      {id === null && isReading && <LoadingState />}
      {id === null && !isReading && !isMapping && (
        <DropZone legend={t`File to import`} onFiles={choose}>
          <Icon name="import" />
          <p>{t`Drop a file here, or`}</p>
          <FileButton
            label={t`Choose a file`}
            kind="primary"
            onFiles={choose}
            more={{
              accept: '.csv,.tsv,.txt,.ndjson,.jsonl,.json,.xlsx,text/csv',
              'aria-describedby': 'file-hint',
            }}
          />
          <p
            class="hint"
            id="file-hint"
          >{t`A table as CSV or .xlsx, with the names of the columns in the first line, or JSON. Up to 64 MB.`}</p>
          {problem !== undefined && (
            <p class="problem" role="alert">
              {problem}
            </p>
          )}
        </DropZone>
      )}
      {id === null && !isReading && isMapping && MapFile && draft.value !== undefined && (
        <MapFile
          draft={draft.value}
          onChange={(changed) => {
            draft.value = changed;
          }}
          onStart={start}
          onLeave={() => setQuery({ step: undefined })}
        />
      )}
      {!isMapping && <EarlierImports current={id} />}
    </>
  );
}

/** Imports that are shown, and those that are read for them, dry runs included. */
const SHOWN_MAX = 20;
const READ_MAX = 100;

const COLUMNS: readonly Column<ImportSummary>[] = [
  {
    name: t`Started`,
    cell: ({ id, createdAt }) => (
      <a href={withQuery({ import: String(id) })}>{formatMoment(createdAt)}</a>
    ),
  },
  { name: t`By`, cell: ({ keyId }) => keyName(keyId) },
  { name: t`Status`, cell: ({ status }) => <Status value={status} /> },
  { name: t`Added`, cell: ({ created }) => formatNumber(created), isNumber: true },
  { name: t`Changed`, cell: ({ changed }) => formatNumber(changed), isNumber: true },
  { name: t`Rejected`, cell: ({ rejected }) => formatNumber(rejected), isNumber: true },
];

/** The imports of the last 30 days, the newest first. `current` is the one on the page. */
function EarlierImports({ current }: { readonly current: string | null }) {
  // What it says of the import on the page is what the page says.
  const { value, error } = useLoaded(loadImports, [current], [], {
    everyMs: POLL_MS,
    whileIt: (found) => found.some(isRunning),
  });
  if (error !== undefined) return <p class="problem">{explain(error)}</p>;
  if (value === undefined || value.length === 0) return null;
  return (
    <Section id="earlier" title={t`Earlier imports`} kind="earlier-imports">
      <Table caption={t`Earlier imports`} columns={COLUMNS} items={value} />
    </Section>
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

/** Returns the name of a key; `Key 7` for people who may not know it, or until it is known. */
function keyName(id: number): string {
  if (id === person.value?.id) return person.value.name;
  const name = names.value.get(id);
  if (name === undefined && may('admin') && !asked.has(id)) void readName(id);
  return name ?? t`Key ${id}`;
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
