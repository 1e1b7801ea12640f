import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { authorOf, LineChanges, readHistory } from '../../audit-lines.tsx';
import { Button } from '../../components/button.tsx';
import { Status } from '../../components/facts.tsx';
import { LoadedSection } from '../../components/states.tsx';
import { count, formatDay, formatMoment } from '../../format.ts';
import { t } from '../../language.ts';
import { ALL_TOPICS } from '../../live.ts';
import { type Loaded, useOfAnimal } from '../../loading.ts';
import { type AuditLine, type Enquiry, type Int64, type Pet, store } from '../../service.ts';
import { may } from '../../session.ts';
import { useStaff } from '../../staff.ts';
import { changeName } from '../../words.ts';
import { Care } from '../enquiries/care.tsx';

const SHOWN = 5;

/** Everything that happened to an animal, the latest first, and who did it. */
export function History({ id }: { readonly id: Pet['id'] }) {
  const [isWhole, setWhole] = useState(false);
  const loaded = useOfAnimal(id, (signal) => readHistory(id, signal), ALL_TOPICS);
  return (
    <LoadedSection id="history" title={t`History`} kind="card side-card" from={loaded}>
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
    </LoadedSection>
  );
}

function Entry({ line }: { readonly line: AuditLine }) {
  return (
    <li>
      <strong>{changeName(line.type)}</strong>
      <LineChanges line={line} />
      <small>
        <time dateTime={line.timestamp}>{formatMoment(line.timestamp)}</time>{' '}
        {may('write') && t`by ${authorOf(line)}`}
      </small>
    </li>
  );
}

/** The pages of enquiries and adoptions have the rest. */
const SHOWN_MAX = 10;

function pageOf({ status, suspected, name }: Enquiry): string {
  const place = suspected ? 'spam=1' : `status=${status}`;
  return `/console/enquiries?${place}&q=${encodeURIComponent(name)}`;
}

export function AnimalEnquiries({ pet: { id } }: { readonly pet: Pet }) {
  const loaded = useOfAnimal(
    id,
    (signal) => store.enquiries.list({ petId: id, limit: SHOWN_MAX }, { signal }).page(),
    ['enquiry'],
  );
  useStaff();
  return (
    <Newest id="enquiries" title={t`Enquiries`} from={loaded}>
      {(enquiry) => (
        <>
          <Status value={enquiry.status} />
          <span>
            <a href={pageOf(enquiry)}>{enquiry.name}</a>
            <small>{formatDay(enquiry.receivedAt)}</small>
          </span>
          <Care enquiry={enquiry} />
        </>
      )}
    </Newest>
  );
}

export function AnimalAdoptions({ pet }: { readonly pet: Pet }) {
  const wanted = { petId: pet.id, sort: 'newest', limit: SHOWN_MAX } as const;
  const loaded = useOfAnimal(pet.id, (signal) => store.orders.list(wanted, { signal }).page(), [
    'order',
  ]);
  return (
    <Newest id="adoptions" title={t`Adoptions`} from={loaded}>
      {({ id, status, adopter, placedAt }) => (
        <>
          <Status value={status} />
          <span>
            <a href={`/console/adoptions?order=${id}`}>{adopter ?? t`Adoption ${id}`}</a>
            <small>{t`since ${formatDay(placedAt)}`}</small>
          </span>
        </>
      )}
    </Newest>
  );
}

interface NewestProps<Item> {
  readonly id: string;
  readonly title: string;
  readonly from: Loaded<{ readonly items: readonly Item[] }>;
  readonly children: (item: Item) => ComponentChildren;
}

function Newest<Item extends { readonly id: Int64 }>(props: NewestProps<Item>) {
  const { children, ...section } = props;
  return (
    <LoadedSection kind="card side-card" {...section}>
      {({ items }) =>
        items.length === 0 ? (
          <p class="hint">{t`None yet.`}</p>
        ) : (
          <ul class="animal-orders">
            {items.map((item) => (
              <li key={item.id}>{children(item)}</li>
            ))}
          </ul>
        )
      }
    </LoadedSection>
  );
}
