import { Button } from '../../components/button.tsx';
import { Answers, Contact, Status } from '../../components/facts.tsx';
import { QueryField } from '../../components/field.tsx';
import { currentCursor, PageHeader, Pager } from '../../components/list-page.tsx';
import { EmptyState, WhenLoaded } from '../../components/states.tsx';
import { formatMoment } from '../../format.ts';
import { t } from '../../language.ts';
import { useLoaded } from '../../loading.ts';
import { notify } from '../../notices.tsx';
import { submit } from '../../outbox.tsx';
import { query, withQuery } from '../../router.ts';
import {
  type Enquiry,
  type EnquiryStatus,
  known,
  loadPets,
  type Order,
  type Pet,
  store,
} from '../../service.ts';
import { useStaff } from '../../staff.ts';
import { statusName, statusWord } from '../../words.ts';
import { orderPage } from '../adoptions/start-adoption.tsx';
import { Care, ownerChoices, ownerWanted } from './care.tsx';

const PAGE_SIZE = 20;
const STATUSES: readonly EnquiryStatus[] = ['new', 'answered', 'closed'];

const SEARCH_MAX = 200;

/** What people ask about animals: of those without an answer, the one that has waited longest is first. */
export default function EnquiriesPage() {
  const status = STATUSES.find((each) => each === query.value.get('status')) ?? 'new';
  // Those that may be spam are seen apart: nothing of them is lost, and they are in nobody's way.
  const isSpam = query.value.has('spam');
  const sort = status === 'new' && !isSpam ? 'oldest' : 'newest';
  const q = query.value.get('q') ?? '';
  const ownerId = ownerWanted(query.value.get('owner'));
  const staff = useStaff();
  const wanted = known({ q, ownerId });
  const kind = isSpam
    ? ({ suspected: 'true' } as const)
    : ({ suspected: 'false', status } as const);
  const isFiltered = q !== '' || ownerId !== undefined;
  const cursor = currentCursor();
  const loaded = useLoaded(
    async (signal) => {
      const page = await store.enquiries
        .list({ ...wanted, ...kind, sort, limit: PAGE_SIZE }, { signal })
        .page(cursor);
      return { page, pets: await loadPets(page.items, signal) };
    },
    [status, isSpam, q, ownerId, cursor],
    ['enquiry', 'pet'],
  );
  return (
    <>
      <PageHeader title={t`Enquiries`} />
      <nav class="row tabs" aria-label={t`Enquiries by status`}>
        {STATUSES.map((each) => (
          <a
            key={each}
            href={withQuery({ status: each, spam: undefined, page: undefined })}
            aria-current={each === status && !isSpam ? 'page' : undefined}
          >
            {statusName(each)}
          </a>
        ))}
        <a
          href={withQuery({ status: undefined, spam: '1', page: undefined })}
          aria-current={isSpam ? 'page' : undefined}
        >{t`May be spam`}</a>
      </nav>
      <search class="toolbar">
        <QueryField
          type="search"
          name="q"
          label={t`Search enquiries`}
          placeholder={t`Name, message or animal`}
          maxLength={SEARCH_MAX}
        />
        <QueryField
          type="select"
          name="owner"
          label={t`Taken care of by`}
          options={ownerChoices(staff)}
        />
      </search>
      <WhenLoaded from={loaded}>
        {({ page, pets }) => (
          <>
            {page.items.length === 0 && (
              <EmptyState
                title={isFiltered ? t`No enquiries found` : t`Nothing here`}
                text={
                  isFiltered
                    ? t`Search for a part of a name, or among those with another status.`
                    : t`What people ask on the adoption pages appears here at once.`
                }
              />
            )}
            <ol class="enquiries">
              {page.items.map((enquiry) => (
                <li key={enquiry.id}>
                  <EnquiryView enquiry={enquiry} pet={pets.get(enquiry.petId)} />
                </li>
              ))}
            </ol>
            <Pager name={t`enquiries`} page={page} />
          </>
        )}
      </WhenLoaded>
    </>
  );
}

interface Step {
  readonly to: EnquiryStatus;
  readonly from: readonly EnquiryStatus[];
  readonly action: string;
  readonly kind: string;
}

const STEPS: readonly Step[] = [
  { to: 'answered', from: ['new'], action: t`Mark as answered`, kind: '' },
  { to: 'closed', from: ['new', 'answered'], action: t`Close`, kind: 'quiet' },
  { to: 'new', from: ['answered', 'closed'], action: t`Reopen`, kind: 'quiet' },
];

interface EnquiryViewProps {
  readonly enquiry: Enquiry;
  /** Undefined if the animal was removed. */
  readonly pet: Pet | undefined;
}

function EnquiryView({ enquiry, pet }: EnquiryViewProps) {
  const { id, petId, orderId, status, name, email, telephone, message, receivedAt } = enquiry;
  const { answers } = enquiry;
  const contact = [email, telephone].filter(Boolean).join(', ');
  const animal = pet?.name ?? t`animal ${petId}, removed`;

  return (
    <article aria-labelledby={`enquiry-${id}`}>
      <header>
        <h2 id={`enquiry-${id}`}>
          {name} {t`about`}{' '}
          {pet === undefined ? animal : <a href={`/console/animals/${petId}`}>{pet.name}</a>}
        </h2>
        <Status value={status} /> <time dateTime={receivedAt}>{formatMoment(receivedAt)}</time>
      </header>
      <p class="written">{message}</p>
      {answers && <Answers of={answers} />}
      <p>
        <Contact of={contact} subject={t`Your enquiry about ${animal}`} />{' '}
        {orderId !== undefined && <a href={orderPage({ id: orderId })}>{t`Adoption ${orderId}`}</a>}
      </p>
      <Care enquiry={enquiry} />
      <div class="row enquiry-actions">
        {orderId === undefined && pet?.status === 'available' && (
          <Button
            label={t`Start adoption of ${animal} by ${name}`}
            onClick={() => startAdoption(enquiry, animal)}
          >{t`Start adoption`}</Button>
        )}
        {orderId === undefined && pet !== undefined && pet.status !== 'available' && (
          <span class="hint">
            {pet.status === 'sold' ? t`${pet.name} has left.` : t`${pet.name} is reserved.`}
          </span>
        )}
        {STEPS.filter(({ from }) => from.includes(status)).map(({ to, action, kind }) => (
          <Button
            key={to}
            kind={kind}
            label={t`${action}: the enquiry of ${name}`}
            onClick={() => changeStatus(enquiry, to)}
          >
            {action}
          </Button>
        ))}
      </div>
    </article>
  );
}

function startAdoption({ id, name }: Enquiry, animal: string): Promise<boolean> {
  return submit<Order>({
    label: t`Start adoption of ${animal} by ${name}`,
    asks: {
      title: t`Start this adoption?`,
      text: t`${animal} is reserved for ${name}, and the enquiry counts as answered.`,
      action: t`Start adoption`,
      isHarmless: true,
    },
    call: (to) => to.enquiries.orderFromEnquiry(id),
    says: t`The adoption of ${animal} has started.`,
    link: orderPage,
  });
}

/** Changes a status and tells the person, who can undo it. */
async function changeStatus(enquiry: Enquiry, status: EnquiryStatus): Promise<void> {
  await setStatus(enquiry, status, (changed) => {
    if (changed.status !== status) return;
    const word = status === 'new' ? t`open again` : statusWord(status);
    const undo = () => setStatus(changed, enquiry.status);
    notify(t`The enquiry of ${enquiry.name} is ${word}.`, undo);
  });
}

function setStatus(
  enquiry: Enquiry,
  status: EnquiryStatus,
  done?: (changed: Enquiry) => void,
): Promise<boolean> {
  const { id, name } = enquiry;
  return submit<Enquiry>({
    label: t`The enquiry of ${name}: ${statusWord(status)}`,
    call: (to) => to.enquiries.update(id, { status }),
    edits: { seen: enquiry, name: t`the enquiry of ${name}` },
    done,
  });
}
