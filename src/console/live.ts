/**
 * What others change. Browsers allow few connections to a host, so one tab follows the events and
 * passes them on to the others.
 */
import { effect } from '@preact/signals';
import { busyUntil, isLost } from './connection.ts';
import { type Event, PetstoreError, store } from './service.ts';
import { person } from './session.ts';

export type EventType = Event['type'];

/** Called after a change: with its event, or without one if any number of changes was missed. */
export type ChangeCallback = (event: Event | undefined) => void;

/** A message from the tab that follows: an event, its position, or that events were missed. */
type Message = { readonly event: Event } | { readonly missed: true };

const CHANNEL = 'petstore-events';
/** The wait before following again after a failure that no wait of the client can end. */
const PAUSE_MS = 5_000;

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
  effect(() => {
    const isSignedIn = Boolean(person.value);
    if (isSignedIn === (following !== undefined)) return;
    following?.abort();
    following = isSignedIn ? new AbortController() : undefined;
    if (following) void followInOneTab(following.signal);
  });
  let wasAway = false;
  effect(() => {
    const isAway = isLost.value || busyUntil.value !== undefined;
    if (wasAway && !isAway) receive({ missed: true });
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
      if (position === undefined) {
        position = await store.events.position({ signal });
        // Pages may have been loaded before this position was known.
        send({ missed: true });
      }
      for await (const event of store.events.follow({ after: position, signal })) send({ event });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof PetstoreError && error.code === 'events_expired') position = undefined;
      else await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

/** Passes a message to every tab, this one included. */
function send(message: Message): void {
  tabs.postMessage(message);
  receive(message);
}

function receive(message: Message): void {
  const event = 'event' in message ? message.event : undefined;
  if (event !== undefined) position = event.id;
  for (const [callback, types] of [...callbacks]) {
    const concerns = event === undefined || event.type === 'store.reset';
    if (concerns || types.includes(event.type)) callback(event);
  }
}
