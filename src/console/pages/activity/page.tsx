import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { Select } from '../../components/field.tsx';
import { LoadingState } from '../../components/loading-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { formatDay, formatNumber, formatTime } from '../../format.ts';
import { query, setQuery } from '../../router.ts';
import type { Event } from '../../service.ts';
import { EventText } from './event-text.tsx';
import { EVENTS_MAX, useRecentEvents } from './recent-events.ts';

const KINDS = [
  { value: '', label: 'Everything' },
  { value: 'pet', label: 'Animals' },
  { value: 'order', label: 'Adoptions' },
  { value: 'category', label: 'Categories' },
];

/** What happened, live. */
export default function ActivityPage() {
  const { events, error, reload } = useRecentEvents();
  const kind = query.value.get('kind') ?? '';
  const shown = events?.filter(({ type }) => type.startsWith(kind));
  return (
    <>
      <PageHeader title="Activity" />
      <div class="activity-filter">
        <Select
          {...{ label: 'Show', name: 'kind', value: kind, options: KINDS }}
          onValue={(value) => setQuery({ kind: value }, 'replace')}
        />
      </div>
      {events === undefined && error === undefined && <LoadingState />}
      {events === undefined && error && <ErrorState error={error} retry={reload} />}
      {shown?.length === 0 && (
        <EmptyState
          title="Nothing here yet"
          text={
            kind === ''
              ? 'What anybody changes appears here at once.'
              : `Nothing of this kind is among the last ${formatNumber(EVENTS_MAX)} changes.`
          }
        />
      )}
      {shown !== undefined && <EventDays events={shown} />}
    </>
  );
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
