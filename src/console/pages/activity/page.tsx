import { QueryField } from '../../components/field.tsx';
import { PageHeader } from '../../components/list-page.tsx';
import { EmptyState, WhenLoaded } from '../../components/states.tsx';
import { formatNumber } from '../../format.ts';
import { ALL_TOPICS } from '../../live.ts';
import { useLoaded } from '../../loading.ts';
import { query } from '../../router.ts';
import { type Event, PetstoreError, store } from '../../service.ts';
import { may } from '../../session.ts';
import { eventName, statusWord } from '../../words.ts';
import { Audit, Days } from './audit.tsx';

/** The most events on the page. */
const EVENTS_MAX = 300;
const PAGE_MAX = 100;

const KINDS = [
  { value: '', label: 'Everything' },
  { value: 'pet', label: 'Animals' },
  { value: 'order', label: 'Adoptions' },
  { value: 'enquiry', label: 'Enquiries' },
  { value: 'category', label: 'Categories' },
];

/** What happened, live. */
export default function ActivityPage() {
  return (
    <>
      <PageHeader title="Activity" />
      {may('admin') ? <Audit /> : <Events />}
    </>
  );
}

/** The changes of animals, adoptions and categories, without who made them. */
function Events() {
  const recent = useLoaded(loadEvents, [], ALL_TOPICS);
  const kind = query.value.get('kind') ?? '';
  return (
    <>
      <div class="toolbar">
        <QueryField type="select" name="kind" label="Show" options={KINDS} />
      </div>
      <WhenLoaded from={recent}>
        {(events) => {
          const shown = events.filter(({ type }) => type.startsWith(kind));
          return shown.length === 0 ? <Nothing kind={kind} /> : <Days of={shown} show={textOf} />;
        }}
      </WhenLoaded>
    </>
  );
}

function Nothing({ kind }: { readonly kind: string }) {
  const text =
    kind === ''
      ? 'What anybody changes appears here at once.'
      : `Nothing of this kind is among the last ${formatNumber(EVENTS_MAX)} changes.`;
  return <EmptyState title="Nothing here yet" text={text} />;
}

/** Says what happened, with a link to what it happened to. */
function textOf(event: Event) {
  const what = eventName(event.type);
  if (event.type === 'store.reset' || event.type === 'shop.updated') return <>{what}</>;
  const { data } = event;
  if (event.type === 'enquiry.received' || event.type === 'enquiry.updated') {
    return (
      <>
        {what}: about <a href={`/console/animals/${event.data.petId}`}>animal {event.data.petId}</a>
      </>
    );
  }
  const isThere = event.type !== 'pet.deleted' && ('petId' in data || 'status' in data);
  const isOrder = 'petId' in data && 'status' in data;
  const id = 'petId' in data && !isOrder ? data.petId : data.id;
  const name = 'name' in data ? data.name : `number ${id}`;
  const page = isOrder ? 'adoptions?order=' : 'animals/';
  return (
    <>
      {what}: {isThere ? <a href={`/console/${page}${id}`}>{name}</a> : name}
      {isThere && 'status' in data && `, ${statusWord(data.status)}`}
    </>
  );
}

/** Loads the latest events, the newest first. */
async function loadEvents(signal: AbortSignal): Promise<readonly Event[]> {
  const newest = await store.events.position({ signal });
  // Some positions are changes that are no events, such as those of keys.
  const after = Math.max(0, newest - EVENTS_MAX - PAGE_MAX);
  try {
    return await eventsAfter(after, signal);
  } catch (error) {
    if (!(error instanceof PetstoreError) || error.code !== 'events_expired') throw error;
    // Some of these were removed already: the others are all that is kept.
    return eventsAfter(undefined, signal);
  }
}

async function eventsAfter(after: number | undefined, signal: AbortSignal): Promise<Event[]> {
  const events: Event[] = [];
  const wanted = { limit: PAGE_MAX, ...(after !== undefined && { after }) };
  let page = await store.events.list(wanted, { signal }).page();
  for (;;) {
    events.push(...page.items);
    if (page.next === undefined || page.items.length < PAGE_MAX) break;
    page = await page.next();
  }
  return events.reverse().slice(0, EVENTS_MAX);
}
