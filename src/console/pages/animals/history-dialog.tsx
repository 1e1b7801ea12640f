import { useEffect } from 'preact/hooks';
import { categoryName, useCategories } from '../../categories.ts';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { LoadingState } from '../../components/loading-state.tsx';
import { Status } from '../../components/status.tsx';
import { formatMoment } from '../../format.ts';
import { keyName } from '../../key-names.ts';
import { onChange } from '../../live.ts';
import { useLoaded } from '../../loading.ts';
import { type Pet, type StatusChange, store } from '../../service.ts';

/** Changes that are read at a time. */
const PAGE_SIZE = 100;

interface HistoryDialogProps {
  readonly pet: Pet;
  readonly onClose: () => void;
}

/** What has happened to an animal, the latest first. */
export function HistoryDialog({ pet, onClose }: HistoryDialogProps) {
  useCategories();
  const { value, error, reload } = useLoaded((signal) => readHistory(pet.id, signal), []);
  useEffect(
    () =>
      onChange(['pet.updated'], (event) => {
        if (event !== undefined && 'data' in event && event.data.id === pet.id) reload();
      }),
    [],
  );
  return (
    <Dialog title={`History of ${pet.name}`} onClose={onClose}>
      <p class="animal-facts">
        {categoryName(pet.categoryId)} · Number {String(pet.id)}
      </p>
      {value === undefined && error === undefined && <LoadingState />}
      {value === undefined && error && <ErrorState error={error} retry={reload} />}
      {value && (
        <ol class="animal-history" reversed>
          {value.map((change) => (
            <Entry key={change.id} change={change} />
          ))}
        </ol>
      )}
    </Dialog>
  );
}

/** Reads all of it: the service lists the oldest changes first, people want the latest. */
async function readHistory(id: Pet['id'], signal: AbortSignal): Promise<readonly StatusChange[]> {
  const changes: StatusChange[] = [];
  for await (const change of store.pets.history(id, { limit: PAGE_SIZE }, { signal })) {
    changes.push(change);
  }
  return changes.reverse();
}

function Entry({ change: { status, changedAt, keyId } }: { readonly change: StatusChange }) {
  return (
    <li>
      <Status value={status} />
      <span>
        <time dateTime={changedAt}>{formatMoment(changedAt)}</time>
        <small>{keyId === undefined ? 'by the operator' : `by ${keyName(keyId)}`}</small>
      </span>
    </li>
  );
}
