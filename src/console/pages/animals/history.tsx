import { categoryName, useCategories } from '../../categories.ts';
import { WhenLoaded } from '../../components/states.tsx';
import { Status } from '../../components/status.tsx';
import { formatMoment } from '../../format.ts';
import { keyName } from '../../key-names.ts';
import { useLoaded } from '../../loading.ts';
import { type Pet, type StatusChange, store } from '../../service.ts';

/** Changes that are read at a time. */
const PAGE_SIZE = 100;

/** What has happened to an animal, the latest first. */
export function History({ pet }: { readonly pet: Pet }) {
  useCategories();
  const loaded = useLoaded((signal) => readHistory(pet.id, signal), [], ['pet.updated'], {
    concerns: (event) => event.type === 'pet.updated' && event.data.id === pet.id,
  });
  return (
    <>
      <p class="animal-facts">
        {categoryName(pet.categoryId)} · Number {String(pet.id)}
      </p>
      <WhenLoaded from={loaded}>
        {(changes) => (
          <ol class="animal-history" reversed>
            {changes.map((change) => (
              <Entry key={change.id} change={change} />
            ))}
          </ol>
        )}
      </WhenLoaded>
    </>
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
