import { Select } from '../../components/field.tsx';
import { PageHeader } from '../../components/list-page.tsx';
import { EmptyState, WhenLoaded } from '../../components/states.tsx';
import { formatDay, formatNumber, formatTime } from '../../format.ts';
import { query, setQuery } from '../../router.ts';
import type { Event } from '../../service.ts';
import { may } from '../../session.ts';
import { eventName, statusWord } from '../../words.ts';
import { Audit } from './audit.tsx';
import { EVENTS_MAX, useRecentEvents } from './recent-events.ts';

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
  const recent = useRecentEvents();
  const kind = query.value.get('kind') ?? '';
  return (
    <>
      <div class="toolbar">
        <Select
          label="Show"
          name="kind"
          value={kind}
          options={KINDS}
          onValue={(value) => setQuery({ kind: value }, 'replace')}
        />
      </div>
      <WhenLoaded from={recent}>
        {(events) => {
          const shown = events.filter(({ type }) => type.startsWith(kind));
          return shown.length === 0 ? <Nothing kind={kind} /> : <EventDays events={shown} />;
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

/** The events under their days. */
function EventDays({ events }: { readonly events: readonly Event[] }) {
  const days = Map.groupBy(events, ({ timestamp }) => formatDay(timestamp));
  return (
    <>
      {[...days].map(([day, ofDay]) => (
        <section key={day} class="activity-day">
          <h2>{day}</h2>
          <ol>
            {ofDay.map((event) => (
              <li key={event.id}>
                <time dateTime={event.timestamp}>{formatTime(event.timestamp)}</time>
                <span>
                  <EventText event={event} />
                </span>
              </li>
            ))}
          </ol>
        </section>
      ))}
    </>
  );
}

/** Says what happened, with a link to what it happened to. */
function EventText({ event }: { readonly event: Event }) {
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
