/** Follows what others change, while the tab is seen: browsers allow few connections to a host. */
import { effect, signal, untracked } from '@preact/signals';
import { isAway } from './connection.ts';
import { type Event, type Pet, type Petstore, PetstoreError, store, writeJson } from './service.ts';
import { person, positionAtSignIn } from './session.ts';

export type EventType = Event['type'];

type FirstWord<Type> = Type extends `${infer First}.${string}` ? First : never;

/** What a change is about: the first word of its type. Keys, people, webhooks and channels have no events. */
export type Topic = FirstWord<EventType> | 'key' | 'person' | 'webhook' | 'channel';

/** What the operations of each group change. */
const CHANGED: Readonly<Partial<Record<keyof Petstore, readonly Topic[]>>> = {
  pets: ['pet', 'profile', 'photo', 'stay'],
  categories: ['category'],
  orders: ['order'],
  enquiries: ['enquiry'],
  shop: ['shop'],
  keys: ['key'],
  people: ['person'],
  webhooks: ['webhook'],
  channels: ['channel'],
};

export const ALL_TOPICS: readonly Topic[] = Object.values(CHANGED).flat();

/** Called after a change: with its event, or without one if changes may have been missed. */
export type ChangeCallback = (event: Event | undefined) => void;

const PAGE_MAX = 100;
/** Full pages in a row that are passed on. After more, loading everything once costs less. */
const FULL_PAGES_MAX = 2;
/** The wait after a failure that the client does not try again. */
const PAUSE_MS = 5_000;
/** A page loads again this long after a change, */
const SOON_MS = 250;
/** and not more often than this: an import makes thousands of changes. */
const REST_MS = 1_500;

const isSeen = signal(!document.hidden);
const callbacks = new Map<ChangeCallback, readonly Topic[]>();
let position: number | undefined;

/** Calls back after each change of these topics, by anybody. Returns a function that stops it. */
export function onChange(topics: readonly Topic[], callback: ChangeCallback): () => void {
  callbacks.set(callback, topics);
  return () => callbacks.delete(callback);
}

/**
 * Calls `reload` soon after changes of these topics that concern the caller; the event is undefined if some may
 * have been missed. Waits for a load that is running. Returns a function that stops it.
 */
export function reloadAfter(
  topics: readonly Topic[],
  reload: () => unknown,
  isLoading: () => boolean,
  concerns: (event: Event | undefined) => boolean,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = -Infinity;
  const reloadSoon = () => {
    timer ??= setTimeout(run, Math.max(SOON_MS, last + REST_MS - performance.now()));
  };
  function run() {
    timer = undefined;
    // The load that runs may have missed the change.
    if (isLoading()) return reloadSoon();
    last = performance.now();
    reload();
  }
  const end = onChange(topics, (event) => {
    if (concerns(event?.type === 'store.reset' ? undefined : event)) reloadSoon();
  });
  return () => {
    end();
    clearTimeout(timer);
  };
}

/** Tells this tab that it has just changed something of a group: the event may take seconds to arrive. */
export function announce(group: keyof Petstore): void {
  for (const [callback, topics] of [...callbacks]) {
    if (topics.some((topic) => CHANGED[group]?.includes(topic))) callback(undefined);
  }
}

/** Returns a function that says whether an event is about an animal or what belongs to it. */
export function isOf(id: Pet['id'] | bigint): (event: Event) => boolean {
  return (event) => {
    if (!('data' in event) || event.type === 'shop.updated') return false;
    const { data } = event;
    return writeJson('petId' in data ? data.petId : data.id) === writeJson(id);
  };
}

/** Starts to follow while somebody is signed in, the tab is seen and the service can be reached. */
export function startLive(): void {
  let following: AbortController | undefined;
  let follower: number | undefined;
  document.addEventListener('visibilitychange', () => {
    isSeen.value = !document.hidden;
  });
  effect(() => {
    const id = isAway.value || !isSeen.value ? undefined : person.value?.id;
    if (id === follower) return;
    follower = id;
    following?.abort();
    if (id === undefined) return;
    following = new AbortController();
    // What happened while nobody followed is loaded, not followed.
    untracked(() => noteMissed(position ?? positionAtSignIn()));
    void followUntil(following.signal);
  });
}

/** Follows the events until the signal aborts. */
async function followUntil(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      if (position === undefined) noteMissed(await store.events.position({ signal }));
      await follow(signal);
    } catch (error) {
      if (error instanceof PetstoreError && error.code === 'events_expired') position = undefined;
      else if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

/** Reports events until there are too many. The client waits, rests and tries again. */
async function follow(signal: AbortSignal): Promise<void> {
  let fullPages = 0;
  for await (const { events } of store.events.pages({ after: position, signal })) {
    fullPages = events.length < PAGE_MAX ? 0 : fullPages + 1;
    if (fullPages > FULL_PAGES_MAX) {
      position = undefined;
      return;
    }
    for (const event of events) noteEvent(event);
  }
}

function noteEvent(event: Event): void {
  position = event.id;
  for (const [callback, topics] of [...callbacks]) {
    const isOfAll = event.type === 'store.reset';
    if (isOfAll || topics.some((topic) => event.type.startsWith(`${topic}.`))) callback(event);
  }
}

/** Notes that events up to a position may have been missed. */
function noteMissed(until: number | undefined): void {
  position = until;
  for (const callback of [...callbacks.keys()]) callback(undefined);
}
