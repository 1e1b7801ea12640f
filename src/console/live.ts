/**
 * What others change. Browsers allow few connections to a host, so one tab follows the events and
 * passes them on to the others.
 */
import { effect, untracked } from '@preact/signals';
import { busyUntil, isLost } from './connection.ts';
import { type Event, PetstoreError, store } from './service.ts';
import { person, positionAtSignIn } from './session.ts';

export type EventType = Event['type'];

/** Called after a change: with its event, or without one if any number of changes was missed. */
export type ChangeCallback = (event: Event | undefined) => void;

/** A message from the tab that follows: an event, or that events up to a position were missed. */
type Message = { readonly event: Event } | { readonly missedUntil: number | undefined };

const CHANNEL = 'petstore-events';
const PAGE_MAX = 100;
/** Seconds that one request waits for an event. */
const WAIT_S = 25;
/** Full pages in a row that are passed on. After more, loading everything once costs less. */
const FULL_PAGES_MAX = 2;
/** The shortest pause between two pages. */
const PAUSE_MIN_MS = 250;
/** The pause between two pages, times the requests per minute: a quarter of the quota. */
const PAUSE_QUOTA_MS = 240_000;
/** The wait after a failure that does not name one. */
const FAILURE_PAUSE_MS = 5_000;

const tabs = new BroadcastChannel(CHANNEL);
const callbacks = new Map<ChangeCallback, readonly EventType[]>();
/** The position of the newest event that this tab knows: where it continues if it follows next. */
let position: number | undefined;

/** Calls back after each change of these types, by anybody. Returns the function that ends it. */
export function onChange(types: readonly EventType[], callback: ChangeCallback): () => void {
  callbacks.set(callback, types);
  return () => callbacks.delete(callback);
}

/** Starts to follow while somebody is signed in, in one of the tabs. */
export function startLive(): void {
  tabs.addEventListener('message', ({ data }: MessageEvent<Message>) => receive(data));
  let following: AbortController | undefined;
  let follower: number | undefined;
  effect(() => {
    const id = person.value?.id;
    if (id === follower) return;
    follower = id;
    following?.abort();
    if (id === undefined) return;
    following = new AbortController();
    // What happened while nobody was signed in is loaded, not followed.
    untracked(() => receive({ missedUntil: positionAtSignIn() }));
    void followInOneTab(following.signal);
  });
  let wasAway = false;
  effect(() => {
    const isAway = isLost.value || busyUntil.value !== undefined;
    if (wasAway && !isAway) untracked(() => receive({ missedUntil: position }));
    wasAway = isAway;
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

async function followUntil(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await follow(signal);
    } catch (error) {
      if (signal.aborted) return;
      const failure = error instanceof PetstoreError ? error : undefined;
      if (failure?.code === 'events_expired') position = undefined;
      else {
        const asked = failure?.retryAfter && failure.retryAfter * 1_000;
        await pause(asked ?? FAILURE_PAUSE_MS, signal);
      }
    }
  }
}

/** Passes events on until the signal aborts. Throws a `PetstoreError`. */
async function follow(signal: AbortSignal): Promise<void> {
  for (let fullPages = 0; !signal.aborted; ) {
    if (position === undefined) {
      send({ missedUntil: await store.events.position({ signal }) });
      fullPages = 0;
    }
    const wanted = { after: position, limit: PAGE_MAX, wait: WAIT_S };
    const { items, rateLimit } = await store.events.list(wanted, { signal }).page();
    fullPages = items.length < PAGE_MAX ? 0 : fullPages + 1;
    if (fullPages > FULL_PAGES_MAX) position = undefined;
    else for (const event of items) send({ event });
    // Without a quota there is no limit in the response.
    const share = rateLimit.limit > 0 ? PAUSE_QUOTA_MS / rateLimit.limit : 0;
    await pause(Math.max(PAUSE_MIN_MS, share), signal);
  }
}

/** Waits, or until the signal aborts. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    function end() {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    }
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end);
  });
}

/** Passes a message to every tab, this one included. */
function send(message: Message): void {
  tabs.postMessage(message);
  receive(message);
}

function receive(message: Message): void {
  const event = 'event' in message ? message.event : undefined;
  position = 'event' in message ? message.event.id : message.missedUntil;
  for (const [callback, types] of [...callbacks]) {
    const concerns = event === undefined || event.type === 'store.reset';
    if (concerns || types.includes(event.type)) callback(event);
  }
}
