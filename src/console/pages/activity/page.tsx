import type { ComponentChildren } from 'preact';
import { authorOf, bringBack, isRestorable, LineChanges, LineTitle } from '../../audit-lines.tsx';
import { Button } from '../../components/button.tsx';
import { type Options, QueryField } from '../../components/field.tsx';
import { PageHeader } from '../../components/list-page.tsx';
import { EmptyState, WhenLoaded } from '../../components/states.tsx';
import { formatDay, formatNumber, formatTime } from '../../format.ts';
import { t } from '../../language.ts';
import { ALL_TOPICS } from '../../live.ts';
import { useLoaded } from '../../loading.ts';
import { query, readId, startOfDay, withQuery } from '../../router.ts';
import { type AuditLine, collect, type Event, known, PetstoreError, store } from '../../service.ts';
import { may } from '../../session.ts';
import { CHANGE_TYPES, changeName, eventName, statusWord } from '../../words.ts';

const EVENTS_MAX = 300;
const PAGE_MAX = 100;

const KINDS: Options = [
  ['', t`Everything`],
  ['pet', t`Animals`],
  ['order', t`Adoptions`],
  ['enquiry', t`Enquiries`],
  ['category', t`Categories`],
];

/** Whoever asks for animals means their profiles, photos and stays too. */
const OF_ANIMALS = /^(?:pet|profile|photo|stay)\./;

/** What happened, live. */
export default function ActivityPage() {
  return (
    <>
      <PageHeader title={t`Activity`} />
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
        <QueryField type="select" name="kind" label={t`Show`} options={KINDS} />
      </div>
      <WhenLoaded from={recent}>
        {(events) => {
          const shown = events.filter(({ type }) =>
            kind === 'pet' ? OF_ANIMALS.test(type) : type.startsWith(kind),
          );
          return shown.length === 0 ? <Nothing kind={kind} /> : <Days of={shown} show={textOf} />;
        }}
      </WhenLoaded>
    </>
  );
}

function Nothing({ kind }: { readonly kind: string }) {
  const text =
    kind === ''
      ? t`What anybody changes appears here at once.`
      : t`Nothing of this kind is among the last ${formatNumber(EVENTS_MAX)} changes.`;
  return <EmptyState title={t`Nothing here yet`} text={text} />;
}

function textOf(event: Event) {
  const what = eventName(event.type);
  if (event.type === 'store.reset' || event.type === 'shop.updated') return <>{what}</>;
  const { data } = event;
  const id = 'id' in data ? data.id : data.petId;
  const name = 'name' in data ? data.name : t`number ${id}`;
  const page = 'id' in data && 'petId' in data ? 'adoptions?order=' : 'animals/';
  return (
    <>
      {what}:{' '}
      {event.type.startsWith('category.') ? (
        name
      ) : (
        // A removed animal has a page too, where it can be brought back.
        <a href={`/console/${page}${id}`}>{name}</a>
      )}
      {event.type !== 'pet.deleted' && 'status' in data && `, ${statusWord(data.status)}`}
    </>
  );
}

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

const PAGE_SIZE = 50;
/** Reload interval. A change of a key is not an event, so only a reload shows it. */
const LOOK_MS = 10_000;

const chosen = (name: string) => query.value.get(name) ?? '';
const numberIn = (name: string) => readId(chosen(name));

/** Who changed what, for administrators: the latest first, live. */
function Audit() {
  const page = numberIn('page');
  const filter = known({
    actor: numberIn('person'),
    type: CHANGE_TYPES.find((one) => one === chosen('type')),
    pet: numberIn('animal'),
    import: numberIn('import'),
    from: startOfDay('day', 0),
    to: startOfDay('day', 1),
    after: page,
  });
  const loaded = useLoaded(
    (signal) => {
      const wanted = { ...filter, sort: 'newest', limit: PAGE_SIZE } as const;
      return store.audit.list(wanted, { signal }).page();
    },
    [Object.entries(filter).join()],
    ALL_TOPICS,
    { everyMs: LOOK_MS },
  );
  return (
    <>
      <Filters />
      <WhenLoaded from={loaded}>
        {({ items, next }) => (
          <>
            {items.length === 0 && (
              <EmptyState
                title={t`Nothing here`}
                text={t`Nobody has changed anything of this kind.`}
              />
            )}
            <Days
              of={items}
              show={(line) => <Line line={line} isBack={isBackAfter(line, items)} />}
            />
            <nav class="row pager" aria-label={t`Pages of activity`}>
              {page !== undefined && (
                <a class="button" href={withQuery({ page: undefined })}>{t`Latest`}</a>
              )}
              {next !== undefined && (
                <a class="button" href={withQuery({ page: `${items.at(-1)?.id}` })}>{t`Earlier`}</a>
              )}
            </nav>
          </>
        )}
      </WhenLoaded>
    </>
  );
}

function Filters() {
  const people = useLoaded(readPeople, []);
  const everybody: Options = [['', t`Everybody`], ...(people.value ?? [])];
  const types = CHANGE_TYPES.map((type) => [type, changeName(type)] as const);
  const kinds: Options = [['', t`Everything`], ...types];
  return (
    <div class="toolbar">
      <QueryField type="select" name="person" label={t`Who`} options={everybody} />
      <QueryField type="select" name="type" label={t`What`} options={kinds} />
      <QueryField
        type="search"
        name="animal"
        label={t`Animal number`}
        problem={
          chosen('animal') !== '' && numberIn('animal') === undefined ? NO_NUMBER : undefined
        }
      />
      <QueryField type="date" name="day" label={t`Day`} />
      {chosen('import') !== '' && (
        <a
          class="button"
          href={withQuery({ import: undefined, page: undefined })}
        >{t`Show all changes`}</a>
      )}
    </div>
  );
}

const NO_NUMBER = t`Enter a number, not a name: it is on the page of the animal.`;

async function readPeople(signal: AbortSignal): Promise<Options> {
  const people = await collect(store.people.list({}, { signal }));
  const keys = await collect(store.keys.list({}, { signal }));
  return [
    ...people.map(({ id, name }) => [String(id), name] as const),
    ...keys.map(({ id, name }) => [String(id), t`${name} (key)`] as const),
  ];
}

interface DaysProps<T> {
  readonly of: readonly T[];
  readonly show: (one: T) => ComponentChildren;
}

/** What happened, the latest first, under its days. */
function Days<T extends Pick<AuditLine, 'id' | 'timestamp'>>({ of, show }: DaysProps<T>) {
  const days = Map.groupBy(of, ({ timestamp }) => formatDay(timestamp));
  return (
    <>
      {[...days].map(([day, ofDay]) => (
        <section key={day} class="activity-day">
          <h2>{day}</h2>
          <ol>
            {ofDay.map((one) => (
              <li key={one.id}>
                <time dateTime={one.timestamp}>{formatTime(one.timestamp)}</time>
                <div>{show(one)}</div>
              </li>
            ))}
          </ol>
        </section>
      ))}
    </>
  );
}

function isBackAfter({ id, subject }: AuditLine, lines: readonly AuditLine[]): boolean {
  return lines.some(
    (one) => one.type === 'pet.restored' && one.subject.id === subject.id && one.id > id,
  );
}

interface LineProps {
  readonly line: AuditLine;
  /** The animal was brought back since. */
  readonly isBack: boolean;
}

function Line({ line, isBack }: LineProps) {
  const { id, name = t`number ${id}` } = line.subject;
  return (
    <>
      <LineTitle line={line} /> <span class="hint">{t`by ${authorOf(line)}`}</span>
      <LineChanges line={line} />
      {line.type === 'import.ended' && (
        <a href={withQuery({ import: `${id}`, page: undefined })}>{t`Show what it changed`}</a>
      )}
      {isRestorable(line) && !isBack && (
        <Button
          kind="small"
          label={t`Bring back ${name}`}
          onClick={() => bringBack({ id: Number(id), name })}
        >{t`Bring back`}</Button>
      )}
    </>
  );
}
