/**
 * What others change. Browsers allow few connections to a host, so one tab follows the events and
 * passes them on to the others.
 */
import { effect, untracked } from '@preact/signals';
import { isAway } from './connection.ts';
import { type Event, type Pet, type Petstore, PetstoreError, store, writeJson } from './service.ts';
import { person, positionAtSignIn } from './session.ts';

export type EventType = Event['type'];

type FirstWord<Type> = Type extends `${infer First}.${string}` ? First : never;

/** What a change is about: the first word of its type. Changes of the last ones are no events. */
export type Topic = FirstWord<EventType> | 'key' | 'person' | 'webhook';

/** What the operations of each group change. */
const CHANGED: Readonly<Partial<Record<keyof Petstore, readonly Topic[]>>> = {
  pets: ['pet', 'profile', 'photo'],
  categories: ['category'],
  orders: ['order'],
  enquiries: ['enquiry'],
  shop: ['shop'],
  keys: ['key'],
  people: ['person'],
  webhooks: ['webhook'],
};

export const ALL_TOPICS: readonly Topic[] = Object.values(CHANGED).flat();

/** Called after a change: with its event, or without one if any number of changes was missed. */
export type ChangeCallback = (event: Event | undefined) => void;

/** A message from the tab that follows: an event, or that events up to a position were missed. */
type Message = { readonly event: Event } | { readonly missedUntil: number | undefined };

const CHANNEL = 'petstore-events';
const PAGE_MAX = 100;
/** Full pages in a row that are passed on. After more, loading everything once costs less. */
const FULL_PAGES_MAX = 2;
/** The wait after a failure that the client does not try again. */
const PAUSE_MS = 5_000;

const tabs = new BroadcastChannel(CHANNEL);
const callbacks = new Map<ChangeCallback, readonly Topic[]>();
/** The position of the newest event that this tab knows: where it continues if it follows next. */
let position: number | undefined;

/** Calls back after each change of these topics, by anybody. Returns a function that stops it. */
export function onChange(topics: readonly Topic[], callback: ChangeCallback): () => void {
  callbacks.set(callback, topics);
  return () => callbacks.delete(callback);
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

/** Starts to follow while somebody is signed in and the service can be reached, in one of the tabs. */
export function startLive(): void {
  tabs.addEventListener('message', ({ data }: MessageEvent<Message>) => receive(data));
  let following: AbortController | undefined;
  let follower: number | undefined;
  effect(() => {
    const id = isAway.value ? undefined : person.value?.id;
    if (id === follower) return;
    follower = id;
    following?.abort();
    if (id === undefined) return;
    following = new AbortController();
    // What happened while nobody followed is loaded, not followed.
    untracked(() => receive({ missedUntil: position ?? positionAtSignIn() }));
    void followInOneTab(following.signal);
  });
}

/** Waits until no other tab follows, then follows until the signal aborts. */
async function followInOneTab(signal: AbortSignal): Promise<void> {
  try {
    await navigator.locks.request(CHANNEL, { signal }, () => followUntil(signal));
  } catch (error) {
    // The wait for the lock was ended.
    if (!signal.aborted) throw error;
  }
}

/** Passes events on until the signal aborts. */
async function followUntil(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      if (position === undefined) send({ missedUntil: await store.events.position({ signal }) });
      await follow(signal);
    } catch (error) {
      if (error instanceof PetstoreError && error.code === 'events_expired') position = undefined;
      else if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

/** Passes events on until there are too many. The client waits, rests and tries again. */
async function follow(signal: AbortSignal): Promise<void> {
  let fullPages = 0;
  for await (const { events } of store.events.pages({ after: position, signal })) {
    fullPages = events.length < PAGE_MAX ? 0 : fullPages + 1;
    if (fullPages > FULL_PAGES_MAX) {
      position = undefined;
      return;
    }
    for (const event of events) send({ event });
  }
}

/** Passes a message to every tab, this one included. */
function send(message: Message): void {
  tabs.postMessage(message);
  receive(message);
}

function receive(message: Message): void {
  const event = 'event' in message ? message.event : undefined;
  position = 'event' in message ? message.event.id : message.missedUntil;
  for (const [callback, topics] of [...callbacks]) {
    const concerns = event === undefined || event.type === 'store.reset';
    if (concerns || topics.some((topic) => event.type.startsWith(`${topic}.`))) callback(event);
  }
}
