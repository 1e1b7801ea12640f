import type { ComponentChildren } from 'preact';
import { authorOf, bringBack, isRestorable, LineChanges, LineTitle } from '../../audit-lines.tsx';
import { useCategories } from '../../categories.ts';
import { Button } from '../../components/button.tsx';
import { QueryField } from '../../components/field.tsx';
import { EmptyState, WhenLoaded } from '../../components/states.tsx';
import { formatDay, formatTime } from '../../format.ts';
import { ALL_TOPICS } from '../../live.ts';
import { useLoaded } from '../../loading.ts';
import { query, readId, startOfDay, withQuery } from '../../router.ts';
import { type AuditLine, collect, known, store } from '../../service.ts';
import { CHANGE_TYPES, changeName } from '../../words.ts';

const PAGE_SIZE = 50;
/** What is no event, such as a change of a key, is seen at the next look. */
const LOOK_MS = 10_000;

const chosen = (name: string) => query.value.get(name) ?? '';
const numberIn = (name: string) => readId(chosen(name));

/** Who changed what, for administrators: the latest first, live. */
export function Audit() {
  useCategories();
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
              <EmptyState title="Nothing here" text="Nobody has changed anything of this kind." />
            )}
            <Days
              of={items}
              show={(line) => <Line line={line} isBack={isBackAfter(line, items)} />}
            />
            <nav class="row pager" aria-label="Pages of activity">
              {page !== undefined && (
                <a class="button" href={withQuery({ page: undefined })}>
                  Latest
                </a>
              )}
              {next !== undefined && (
                <a class="button" href={withQuery({ page: `${items.at(-1)?.id}` })}>
                  Earlier
                </a>
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
  const everybody = [{ value: '', label: 'Everybody' }, ...(people.value ?? [])];
  const types = CHANGE_TYPES.map((value) => ({ value, label: changeName(value) }));
  const kinds = [{ value: '', label: 'Everything' }, ...types];
  return (
    <div class="toolbar">
      <QueryField type="select" name="person" label="Who" options={everybody} />
      <QueryField type="select" name="type" label="What" options={kinds} />
      <QueryField type="search" name="animal" label="Animal number" />
      <QueryField type="date" name="day" label="Day" />
      {chosen('import') !== '' && (
        <a class="button" href={withQuery({ import: undefined, page: undefined })}>
          Leave the import
        </a>
      )}
    </div>
  );
}

/** Everybody who may have changed something. */
async function readPeople(signal: AbortSignal) {
  const people = await collect(store.people.list({}, { signal }));
  const keys = await collect(store.keys.list({}, { signal }));
  return [...people, ...keys.map(({ id, name }) => ({ id, name: `${name} (key)` }))].map(
    ({ id, name }) => ({ value: String(id), label: name }),
  );
}

interface DaysProps<T> {
  readonly of: readonly T[];
  readonly show: (one: T) => ComponentChildren;
}

/** What happened, the latest first, under its days. */
export function Days<T extends Pick<AuditLine, 'id' | 'timestamp'>>({ of, show }: DaysProps<T>) {
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

/** Whether an animal was brought back since. */
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
  const { id, name = `number ${id}` } = line.subject;
  return (
    <>
      <LineTitle line={line} /> <span class="hint">by {authorOf(line)}</span>
      <LineChanges line={line} />
      {line.type === 'import.ended' && (
        <a href={withQuery({ import: `${id}`, page: undefined })}>Show what it changed</a>
      )}
      {isRestorable(line) && !isBack && (
        <Button
          kind="small"
          label={`Bring back ${name}`}
          onClick={() => bringBack({ id: Number(id), name })}
        >
          Bring back
        </Button>
      )}
    </>
  );
}
