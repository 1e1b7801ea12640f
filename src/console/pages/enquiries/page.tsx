import { Button } from '../../components/button.tsx';
import { Contact } from '../../components/contact.tsx';
import { currentCursor, PageHeader, Pager } from '../../components/list-page.tsx';
import { EmptyState, WhenLoaded } from '../../components/states.tsx';
import { Status } from '../../components/status.tsx';
import { formatMoment } from '../../format.ts';
import { useLoaded } from '../../loading.ts';
import { submit } from '../../outbox.tsx';
import { query, withQuery } from '../../router.ts';
import {
  type Enquiry,
  type EnquiryStatus,
  loadPets,
  type Order,
  type Pet,
  store,
} from '../../service.ts';
import { statusName } from '../../words.ts';
import { orderPage } from '../adoptions/start-adoption.tsx';

const PAGE_SIZE = 20;
const STATUSES: readonly EnquiryStatus[] = ['new', 'answered', 'closed'];

/** What people ask about animals, the newest first. */
export default function EnquiriesPage() {
  const wanted = query.value.get('status');
  const status = STATUSES.find((each) => each === wanted) ?? 'new';
  const cursor = currentCursor();
  const loaded = useLoaded(
    async (signal) => {
      const page = await store.enquiries
        .list({ status, limit: PAGE_SIZE }, { signal })
        .page(cursor);
      return { page, pets: await loadPets(page.items, signal) };
    },
    [status, cursor],
    ['enquiry', 'pet'],
  );
  return (
    <>
      <PageHeader title="Enquiries" />
      <nav class="row tabs" aria-label="Enquiries by status">
        {STATUSES.map((each) => (
          <a
            key={each}
            href={withQuery({ status: each, page: undefined })}
            aria-current={each === status ? 'page' : undefined}
          >
            {statusName(each)}
          </a>
        ))}
      </nav>
      <WhenLoaded from={loaded}>
        {({ page, pets }) => (
          <>
            {page.items.length === 0 && (
              <EmptyState
                title="Nothing here"
                text="What people ask on the adoption pages appears here at once."
              />
            )}
            <ol class="enquiries">
              {page.items.map((enquiry) => (
                <li key={enquiry.id}>
                  <EnquiryView enquiry={enquiry} pet={pets.get(enquiry.petId)} />
                </li>
              ))}
            </ol>
            <Pager name="enquiries" page={page} />
          </>
        )}
      </WhenLoaded>
    </>
  );
}

interface EnquiryViewProps {
  readonly enquiry: Enquiry;
  /** Undefined if the animal was removed. */
  readonly pet: Pet | undefined;
}

function EnquiryView({ enquiry, pet }: EnquiryViewProps) {
  const { id, petId, orderId, status, name, email, telephone, message, receivedAt } = enquiry;
  const contact = [email, telephone].filter(Boolean).join(', ');
  const animal = pet?.name ?? `animal ${petId}, removed`;

  return (
    <article aria-labelledby={`enquiry-${id}`}>
      <header>
        <h2 id={`enquiry-${id}`}>
          {name} about{' '}
          {pet === undefined ? animal : <a href={`/console/animals/${petId}`}>{pet.name}</a>}
        </h2>
        <Status value={status} /> <time dateTime={receivedAt}>{formatMoment(receivedAt)}</time>
      </header>
      <p class="written">{message}</p>
      <p>
        <Contact of={contact} subject={`Your enquiry about ${animal}`} />{' '}
        {orderId !== undefined && (
          <a href={`/console/adoptions?order=${orderId}`}>Adoption {orderId}</a>
        )}
      </p>
      <div class="row enquiry-actions">
        {orderId === undefined && pet?.status === 'available' && (
          <Button
            kind="primary"
            label={`Start adoption of ${animal} by ${name}`}
            onClick={() => startAdoption(enquiry, animal)}
          >
            Start adoption
          </Button>
        )}
        {orderId === undefined && pet !== undefined && pet.status !== 'available' && (
          <span class="hint">
            {pet.name} is {pet.status === 'sold' ? 'adopted' : 'reserved for somebody'} already.
          </span>
        )}
        {status === 'new' && (
          <Button
            label={`Mark as answered: the enquiry of ${name}`}
            onClick={() => setStatus(enquiry, 'answered')}
          >
            Mark as answered
          </Button>
        )}
        {status !== 'closed' && (
          <Button
            kind="quiet"
            label={`Close the enquiry of ${name}`}
            onClick={() => setStatus(enquiry, 'closed')}
          >
            Close
          </Button>
        )}
      </div>
    </article>
  );
}

function startAdoption({ id, name }: Enquiry, animal: string): Promise<boolean> {
  return submit<Order>({
    label: `Start adoption of ${animal} by ${name}`,
    asks: {
      title: 'Start this adoption?',
      text: `${animal} is reserved for ${name}, and the enquiry counts as answered.`,
      action: 'Start adoption',
      isHarmless: true,
    },
    call: (to) => to.enquiries.orderFromEnquiry(id),
    says: `The adoption of ${animal} has started.`,
    link: orderPage,
  });
}

const CONSEQUENCES: Readonly<Record<EnquiryStatus, string>> = {
  new: '',
  answered: 'It moves to Answered, and cannot become new again.',
  closed: 'It moves to Closed, and cannot be opened again.',
};

function setStatus(enquiry: Enquiry, status: EnquiryStatus): Promise<boolean> {
  const { id, name } = enquiry;
  return submit<Enquiry>({
    label: `Set the enquiry of ${name} to ${status}`,
    // The service takes no enquiry back to an earlier status.
    asks: {
      title: status === 'closed' ? 'Close this enquiry?' : 'Mark this enquiry as answered?',
      text: `It is the enquiry of ${name}. ${CONSEQUENCES[status]}`,
      action: status === 'closed' ? 'Close' : 'Mark as answered',
      isHarmless: true,
    },
    call: (to) => to.enquiries.update(id, { status }),
    edits: { seen: enquiry, name: `the enquiry of ${name}` },
    says: `The enquiry of ${name} is ${status}.`,
    link: () => `/console/enquiries?status=${status}`,
  });
}
