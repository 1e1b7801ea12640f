/** The latest changes, as a list that grows while it is watched. */
import { useEffect, useState } from 'preact/hooks';
import { onChange } from '../../live.ts';
import { type Loaded, useLoaded } from '../../loading.ts';
import { type Event, PetstoreError, store } from '../../service.ts';
import { EVENT_TYPES } from '../../words.ts';

/** The most events on the page. */
export const EVENTS_MAX = 300;
const PAGE_MAX = 100;
/** New events are shown together: an import makes thousands of them. */
const TOGETHER_MS = 250;

/** The latest events, the newest first. */
export function useRecentEvents(): Loaded<readonly Event[]> {
  const loaded = useLoaded(loadEvents, []);
  const { value, reload } = loaded;
  const [arrived, setArrived] = useState<readonly Event[]>([]);

  useEffect(() => {
    let waiting: Event[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = onChange(EVENT_TYPES, (event) => {
      // Some were missed: the list is loaded again.
      if (event === undefined) return reload();
      waiting.push(event);
      timer ??= setTimeout(() => {
        timer = undefined;
        const batch = waiting.reverse();
        waiting = [];
        setArrived((before) => [...batch, ...before].slice(0, EVENTS_MAX));
      }, TOGETHER_MS);
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [reload]);

  return { ...loaded, value: value && merged(arrived, value) };
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

/** Joins two lists, the newest first. Both may have an event. */
function merged(newer: readonly Event[], older: readonly Event[]): readonly Event[] {
  const known = new Set(newer.map(({ id }) => id));
  const all = [...newer, ...older.filter(({ id }) => !known.has(id))];
  return all.sort((a, b) => b.id - a.id).slice(0, EVENTS_MAX);
}
