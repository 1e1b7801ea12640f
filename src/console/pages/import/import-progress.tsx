import { ErrorState } from '../../components/error-state.tsx';
import { LoadingState } from '../../components/loading-state.tsx';
import { formatNumber } from '../../format.ts';
import { setQuery } from '../../router.ts';
import type { Import } from '../../service.ts';
import { Counts } from './counts.tsx';
import { RejectedRows } from './rejected-rows.tsx';
import { useImport } from './use-import.ts';

/** How far an import is, and at its end what it did. */
export function ImportProgress({ id }: { readonly id: string }) {
  const { value, error, reload } = useImport(id);
  return (
    <section class="import-result" aria-labelledby="progress">
      {error !== undefined && <ErrorState error={error} retry={reload} />}
      {value === undefined && error === undefined && <LoadingState />}
      {value !== undefined && (
        <>
          <h2 id="progress">{titleOf(value)}</h2>
          {value.endedAt === undefined && <Running of={value} />}
          <p class="visually-hidden" role="status">
            {titleOf(value)}
          </p>
          {value.failure !== undefined && (
            <p class="problem" role="alert">
              {value.failure.message}
            </p>
          )}
          <Counts of={value} />
          <RejectedRows of={value} />
        </>
      )}
      <div class="import-actions">
        <a class="button primary" href="/console/animals">
          See the animals
        </a>
        <button type="button" class="button" onClick={() => setQuery({ import: undefined })}>
          Import another file
        </button>
      </div>
    </section>
  );
}

function titleOf({ status, dryRun }: Import): string {
  switch (status) {
    case 'queued':
      return 'Waiting for another import to end';
    case 'reading':
      return 'Checking the file';
    case 'running':
      return dryRun ? 'Counting the animals' : 'Importing';
    case 'completed':
      return dryRun ? 'The file was checked' : 'The file was imported';
    case 'failed':
      return 'The import has failed';
  }
}

function Running({ of: { read, total } }: { readonly of: Import }) {
  return (
    <p class="import-running">
      <progress aria-label="Progress of the import" value={total && read} max={total} />
      <span>
        {formatNumber(read)}
        {total !== undefined && ` of ${formatNumber(total)}`} rows
      </span>
    </p>
  );
}
