import { useState } from 'preact/hooks';
import { authorOf, LineChanges, readHistory } from '../../audit-lines.tsx';
import { useCategories } from '../../categories.ts';
import { Button } from '../../components/button.tsx';
import { WhenLoaded } from '../../components/states.tsx';
import { count, formatMoment } from '../../format.ts';
import { ALL_TOPICS, isOf } from '../../live.ts';
import { useLoaded } from '../../loading.ts';
import type { AuditLine, Pet } from '../../service.ts';
import { may } from '../../session.ts';
import { changeName } from '../../words.ts';

/** Changes that are shown at first. */
const SHOWN = 5;

/** Everything that happened to an animal, the latest first, and who did it. */
export function History({ id }: { readonly id: Pet['id'] }) {
  useCategories();
  const [isWhole, setWhole] = useState(false);
  const loaded = useLoaded((signal) => readHistory(id, signal), [id], ALL_TOPICS, {
    concerns: isOf(id),
  });
  return (
    <section class="card side-card" aria-labelledby="history">
      <h2 id="history">History</h2>
      <WhenLoaded from={loaded}>
        {(lines) => (
          <>
            <ol class="animal-history" reversed>
              {lines.slice(0, isWhole ? undefined : SHOWN).map((line) => (
                <Entry key={line.id} line={line} />
              ))}
            </ol>
            {!isWhole && lines.length > SHOWN && (
              <Button kind="quiet small" onClick={() => setWhole(true)}>
                Show {count(lines.length - SHOWN, 'earlier change')}
              </Button>
            )}
          </>
        )}
      </WhenLoaded>
    </section>
  );
}

function Entry({ line }: { readonly line: AuditLine }) {
  return (
    <li>
      <strong>{changeName(line.type)}</strong>
      <LineChanges line={line} />
      <small>
        <time dateTime={line.timestamp}>{formatMoment(line.timestamp)}</time>
        {may('write') && ` by ${authorOf(line)}`}
      </small>
    </li>
  );
}
