import { useState } from 'preact/hooks';
import { authorOf, LineChanges, readHistory } from '../../audit-lines.tsx';
import { Button } from '../../components/button.tsx';
import { WhenLoaded } from '../../components/states.tsx';
import { Status } from '../../components/status.tsx';
import { count, formatDay, formatMoment } from '../../format.ts';
import { t } from '../../language.ts';
import { ALL_TOPICS, isOf } from '../../live.ts';
import { useLoaded } from '../../loading.ts';
import { type AuditLine, type Enquiry, type Pet, store } from '../../service.ts';
import { may } from '../../session.ts';
import { useStaff } from '../../staff.ts';
import { changeName } from '../../words.ts';
import { Care } from '../enquiries/care.tsx';

/** Changes that are shown at first. */
const SHOWN = 5;

/** Everything that happened to an animal, the latest first, and who did it. */
export function History({ id }: { readonly id: Pet['id'] }) {
  const [isWhole, setWhole] = useState(false);
  const loaded = useLoaded((signal) => readHistory(id, signal), [id], ALL_TOPICS, {
    concerns: isOf(id),
  });
  return (
    <section class="card side-card" aria-labelledby="history">
      <h2 id="history">{t`History`}</h2>
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
                {t`Show ${count(lines.length - SHOWN, 'earlier change')}`}
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
        {may('write') && t` by ${authorOf(line)}`}
      </small>
    </li>
  );
}

/** More than these are on the page of adoptions. */
const SHOWN_MAX = 10;

/** The page of enquiries, with this one. */
function pageOf({ status, suspected, name }: Enquiry): string {
  const place = suspected ? 'spam=1' : `status=${status}`;
  return `/console/enquiries?${place}&q=${encodeURIComponent(name)}`;
}

/** The newest enquiries about an animal. */
export function AnimalEnquiries({ pet }: { readonly pet: Pet }) {
  const loaded = useLoaded(
    (signal) => store.enquiries.list({ petId: pet.id, limit: SHOWN_MAX }, { signal }).page(),
    [pet.id],
    ['enquiry'],
    { concerns: isOf(pet.id) },
  );
  useStaff();
  return (
    <section class="card side-card" aria-labelledby="enquiries">
      <h2 id="enquiries">{t`Enquiries`}</h2>
      <WhenLoaded from={loaded}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="hint">{t`None yet.`}</p>
          ) : (
            <ul class="animal-orders">
              {items.map((enquiry) => (
                <li key={enquiry.id}>
                  <Status value={enquiry.status} />
                  <span>
                    <a href={pageOf(enquiry)}>{enquiry.name}</a>
                    <small>{formatDay(enquiry.receivedAt)}</small>
                  </span>
                  <Care enquiry={enquiry} />
                </li>
              ))}
            </ul>
          )
        }
      </WhenLoaded>
    </section>
  );
}

/** The newest adoptions of an animal, each with a link. */
export function AnimalAdoptions({ pet }: { readonly pet: Pet }) {
  const loaded = useLoaded(
    (signal) => {
      const wanted = { petId: pet.id, sort: 'newest', limit: SHOWN_MAX } as const;
      return store.orders.list(wanted, { signal }).page();
    },
    [pet.id],
    ['order'],
    { concerns: isOf(pet.id) },
  );
  return (
    <section class="card side-card" aria-labelledby="adoptions">
      <h2 id="adoptions">{t`Adoptions`}</h2>
      <WhenLoaded from={loaded}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="hint">{t`None yet.`}</p>
          ) : (
            <ul class="animal-orders">
              {items.map(({ id, status, adopter, placedAt }) => (
                <li key={id}>
                  <Status value={status} />
                  <span>
                    <a href={`/console/adoptions?order=${id}`}>{adopter ?? t`Adoption ${id}`}</a>
                    <small>{t`since ${formatDay(placedAt)}`}</small>
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </WhenLoaded>
    </section>
  );
}
