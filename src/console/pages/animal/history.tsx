import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { WhenLoaded } from '../../components/states.tsx';
import { Status } from '../../components/status.tsx';
import { count, formatMoment } from '../../format.ts';
import { keyName } from '../../key-names.ts';
import { useLoaded } from '../../loading.ts';
import { type Pet, type StatusChange, store } from '../../service.ts';
import { isOf } from './concerns.ts';

/** Changes that are read at a time. */
const PAGE_SIZE = 100;
/** Changes that are shown at first. */
const SHOWN = 5;

/** Every status of an animal, the latest first, and who set it. */
export function History({ pet }: { readonly pet: Pet }) {
  const [isWhole, setWhole] = useState(false);
  const loaded = useLoaded((signal) => readHistory(pet.id, signal), [pet.id], ['pet.updated'], {
    concerns: isOf(pet.id),
  });
  return (
    <section class="card side-card" aria-labelledby="history">
      <h2 id="history">History</h2>
      <WhenLoaded from={loaded}>
        {(changes) => (
          <>
            <ol class="animal-history" reversed>
              {changes.slice(0, isWhole ? undefined : SHOWN).map((change) => (
                <Entry key={change.id} change={change} />
              ))}
            </ol>
            {!isWhole && changes.length > SHOWN && (
              <Button kind="quiet small" onClick={() => setWhole(true)}>
                Show {count(changes.length - SHOWN, 'earlier change')}
              </Button>
            )}
          </>
        )}
      </WhenLoaded>
    </section>
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
