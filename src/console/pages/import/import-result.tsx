/** An import as it runs, and what became of it. */

import { Button } from '../../components/button.tsx';
import { WhenLoaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { count, formatNumber } from '../../format.ts';
import { t } from '../../language.ts';
import { type Loaded, useLoaded } from '../../loading.ts';
import { idIn, setQuery } from '../../router.ts';
import { type Import, store } from '../../service.ts';
import { partName, photoProblem, reasonText } from './reasons.ts';

/** The pause between two requests about a running import. */
export const POLL_MS = 1_000;

export const isRunning = ({ endedAt }: Pick<Import, 'endedAt'>) => endedAt === undefined;

/** Loads an import until it has ended; nothing while there is no id. */
export function useImport(id: string | undefined): Loaded<Import | undefined> {
  const loaded = useLoaded(
    async (signal) =>
      id === undefined ? undefined : await store.imports.get(idIn(id), { signal }),
    [id],
    [],
    { everyMs: POLL_MS, whileIt: (found) => found !== undefined && isRunning(found) },
  );
  // A value of an earlier id is not this import.
  const isCurrent = id !== undefined && loaded.value?.id === Number(id);
  return isCurrent ? loaded : { ...loaded, value: undefined };
}

/** How far an import is, and at its end what it did. */
export function ImportProgress({ id }: { readonly id: string }) {
  const loaded = useImport(id);
  return (
    <section class="import-result" aria-labelledby="progress">
      <WhenLoaded from={loaded}>
        {(found) => (
          <>
            <h2 id="progress">{titleOf(found)}</h2>
            {found.endedAt === undefined && <Running of={found} />}
            <p class="visually-hidden" role="status">
              {titleOf(found)}
            </p>
            <ImportResult of={found} />
          </>
        )}
      </WhenLoaded>
      <div class="row">
        <a class="button primary" href="/console/animals">{t`See the animals`}</a>
        <Button onClick={() => setQuery({ import: undefined })}>{t`Import another file`}</Button>
      </div>
    </section>
  );
}

/** By status; for a dry run the second, if it is another. */
const TITLES: Readonly<Record<Import['status'], readonly [string, string?]>> = {
  queued: [t`Waiting for another import to end`],
  reading: [t`The import is running: checking the file`],
  running: [t`The import is running`, t`Counting the animals`],
  completed: [t`The file was imported`, t`The file was checked`],
  failed: [t`The import has failed`],
};

function titleOf({ status, dryRun }: Import): string {
  const [title, checked = title] = TITLES[status];
  return dryRun ? checked : title;
}

interface ResultProps {
  readonly of: Import;
}

function Running({ of: { read, total } }: ResultProps) {
  return (
    <p class="hint">
      <progress aria-label={t`Progress of the import`} value={total && read} max={total} />
      <span>
        {total === undefined
          ? count(read, 'row')
          : t`${formatNumber(read)} of ${count(total, 'row')}`}
      </span>
    </p>
  );
}

const COUNTS = {
  created: t`Added`,
  changed: t`Changed`,
  unchanged: t`The same as before`,
  held: t`Held by an open adoption`,
  skipped: t`Left out`,
  repeated: t`More than once in the file`,
  rejected: t`Rejected`,
  left: t`Have left`,
  leftBefore: t`Left before they came here`,
  missing: t`Missing from the file`,
} as const;

export function ImportResult({ of }: ResultProps) {
  const { failure } = of;
  // The keys are those of the counts.
  const parts = (Object.keys(COUNTS) as (keyof typeof COUNTS)[]).filter(
    (part) => of[part] > 0 || part === 'created',
  );
  return (
    <>
      {failure !== undefined && (
        <p class="problem" role="alert">
          {reasonText(failure.message)}
        </p>
      )}
      <dl class="row import-counts">
        {parts.map((part) => (
          <div key={part}>
            <dt>{COUNTS[part]}</dt>
            <dd>{formatNumber(of[part])}</dd>
          </div>
        ))}
      </dl>
      <Remarks of={of} />
      <RejectedRows of={of} />
      <Unread of={of} />
    </>
  );
}

/** What was done about animals that are missing, and with photos. */
function Remarks({ of: { missing, missingHeld, photos, endedAt, dryRun } }: ResultProps) {
  const { found, added, known, failed, problems } = photos;
  const isFetched = endedAt !== undefined && !dryRun;
  return (
    <>
      {missing > 0 && missingHeld && (
        <p>{t`Nothing was done about the missing animals: there are too many, or the file is empty.`}</p>
      )}
      {found > 0 && (
        <p>
          {isFetched
            ? t`Photos: ${formatNumber(added)} added, ${formatNumber(known)} there already, ${formatNumber(failed)} not taken.`
            : t`Photos: ${formatNumber(found - known - added - failed)} to fetch.`}
        </p>
      )}
      {problems.length > 0 && (
        <ul>
          {problems.map((problem) => (
            <li key={problem}>{photoProblem(problem)}</li>
          ))}
        </ul>
      )}
    </>
  );
}

const UNREAD: readonly Column<Import['unread'][number]>[] = [
  { name: t`Field`, cell: ({ part }) => partName(part) },
  { name: t`Animals`, cell: ({ rows }) => formatNumber(rows), isNumber: true },
  { name: t`Such as`, cell: ({ examples }) => examples.join(', ') },
  { name: t`Because`, cell: ({ reason }) => reason && reasonText(reason) },
];

/** Values for profiles that nobody understands. The animals are imported without them. */
function Unread({ of: { unread } }: ResultProps) {
  if (unread.length === 0) return null;
  return (
    <section aria-labelledby="unread">
      <h3 id="unread">{t`Not understood, so left as it was`}</h3>
      <Table
        caption={t`Values that were not understood`}
        columns={UNREAD}
        items={unread}
        keyOf={({ part }) => part}
      />
    </section>
  );
}

const REJECTED: readonly Column<Import['rejectedRows'][number]>[] = [
  { name: t`Row`, cell: ({ line }) => t`Line ${formatNumber(line)}` },
  { name: t`Reason`, cell: ({ reason }) => reasonText(reason) },
];

function RejectedRows({ of: { rejected, rejectedRows } }: ResultProps) {
  if (rejectedRows.length === 0) return null;
  const isPart = rejected > rejectedRows.length;
  return (
    <details class="rejected-rows" open={rejectedRows.length <= 10}>
      <summary>
        {isPart
          ? t`The first ${formatNumber(rejectedRows.length)} rejected rows`
          : t`Rejected rows`}
      </summary>
      <Table
        caption={t`Rejected rows`}
        columns={REJECTED}
        items={rejectedRows}
        keyOf={({ line }) => line}
      />
    </details>
  );
}
