/** Changes: sending them, and keeping those that could not be sent. */

import { effect, signal } from '@preact/signals';
import { type Confirmation, confirm } from './components/dialog.tsx';
import { isLost } from './connection.ts';
import { explain } from './failures.ts';
import { t } from './language.ts';
import { announce } from './live.ts';
import { type Call, type Edits, endCalls, merge, perform } from './merge.tsx';
import { notify } from './notices.tsx';
import { type Petstore, PetstoreError, readJson, writeJson } from './service.ts';
import { person } from './session.ts';

/** A change that the person wants. */
export interface Change<T> {
  /** What is done, for the list of what is not sent yet: `Add Bella`. */
  readonly label: string;
  /** Asked before it is done. */
  readonly asks?: Confirmation;
  /** The operation and its arguments. It is noted, and called when it is sent. */
  readonly call: (to: Petstore) => Promise<T>;
  /** What the person is told when it is done. */
  readonly says?: string | ((result: T) => string);
  /** The address of what it has made, for a link in what the person is told. */
  readonly link?: (result: T) => string;
  /** Called when it is done, at once or later, or given up for what somebody else has done. */
  readonly done?: ((result: T) => void) | undefined;
  /** For a PATCH: the record as the person saw it. */
  readonly edits?: Edits<T & object>;
  /** Says why a change no longer fits what somebody else has done meanwhile. */
  readonly refuse?: (theirs: T) => PetstoreError | undefined;
  /** Set if the change cannot wait in the storage of the browser: a file, or an answer with a secret. */
  readonly isFleeting?: boolean;
  /** Milliseconds that one try may take, if not as long as usual. */
  readonly timeout?: number;
}

interface Unsent {
  /** Every try of one change has the same idempotency key, so that it is done once. */
  readonly id: string;
  readonly label: string;
  readonly call: Call;
  readonly edits?: Edits | undefined;
  /** When it was wanted, in milliseconds since 1970. */
  readonly at: number;
  readonly isSending: boolean;
  /** Why the service refused the last try; undefined if it could not be reached. */
  readonly refusal?: string | undefined;
  /** Whether the browser keeps it after this tab is closed. */
  readonly isKept?: boolean;
}

/** Changes that could not be sent, the oldest first. */
export const unsent = signal<readonly Unsent[]>([]);

/** Of changes that were made since the page was loaded: what cannot be stored. */
const changes = new Map<string, Change<unknown>>();
/** How many changes are being sent for the first time: nothing keeps them yet. */
let underway = 0;

/** Notes a call instead of making it. */
const recorder = new Proxy({} as Petstore, {
  get: (_, group) =>
    new Proxy(
      {},
      {
        get:
          (_, method) =>
          (...given: unknown[]) => [group, method, ...given],
      },
    ),
});

/**
 * Sends a change, and tells the pages of it. Returns whether it is done: not if the person does not
 * want it after all. If the service cannot be reached, the change is listed and sent when it can be.
 * Throws a `PetstoreError` if the service refuses it.
 */
export async function submit<T>(change: Change<T>): Promise<boolean> {
  const { label, edits, asks } = change;
  if (asks && !(await confirm(asks))) return false;
  // The recorder returns data in the place of a promise.
  const call = change.call(recorder) as unknown as Call;
  const item = { id: crypto.randomUUID(), label, call, edits, at: Date.now(), isSending: false };
  // Only what the call returns is passed to `done`.
  const known = change as Change<unknown>;
  underway++;
  try {
    await send(item, known);
    return true;
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    changes.set(item.id, known);
    const isKept = !change.isFleeting && keep(item);
    unsent.value = [...unsent.value, { ...item, isKept }];
    notify(
      isKept
        ? t`${label}: this is kept and will be sent by itself.`
        : t`${label}: leave this tab open, and this will be sent by itself.`,
    );
    sendLater();
    return false;
  } finally {
    underway--;
  }
}

/** Sends a listed change again. Of several tabs, one sends it. Returns whether the service could be reached. */
export async function sendAgain(id: string): Promise<boolean> {
  return navigator.locks.request(PREFIX + id, { ifAvailable: true }, async (lock) => {
    const item = unsent.value.find((one) => one.id === id);
    // Whoever wanted it may have signed out while it waited for the lock.
    if (lock === null || item === undefined || person.peek()?.id !== owner) return true;
    mark(id, { isSending: true, refusal: undefined });
    try {
      await send(item, changes.get(id));
      discard(id);
      notify(t`Sent: ${item.label}`);
    } catch (error) {
      const refusal = isUnreachable(error) ? undefined : explain(error);
      mark(id, { isSending: false, refusal });
      return refusal !== undefined;
    }
    return true;
  });
}

/** Gives up a listed change. */
export function discard(id: string): void {
  changes.delete(id);
  localStorage.removeItem(placeOf(id));
  unsent.value = unsent.value.filter((item) => item.id !== id);
}

function mark(id: string, state: Pick<Unsent, 'isSending' | 'refusal'>): void {
  unsent.value = unsent.value.map((item) => (item.id === id ? { ...item, ...state } : item));
  const item = unsent.value.find((one) => one.id === id);
  if (item?.isKept) keep(item);
}

/** Returns whether a change may be sent again: it may not have arrived, or the session ended. */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof PetstoreError)) return false;
  const { code, status = 0 } = error;
  const isUnheard = code === 'connection_lost' || code === 'timeout' || code === 'aborted';
  return isUnheard || status >= 500 || status === 401;
}

async function send(item: Unsent, change: Change<unknown> | undefined): Promise<void> {
  const { result, isTheirs } = item.edits
    ? await merge(item.call, item.edits, change?.refuse)
    : { result: await performOnce(item, change?.timeout) };
  const says = change?.says;
  if (isTheirs) notify(t`${item.edits?.name} stays as somebody else has changed it.`);
  else if (says !== undefined) {
    notify(typeof says === 'string' ? says : says(result), undefined, change?.link?.(result));
  }
  announce(item.call[0]);
  change?.done?.(result);
}

async function performOnce({ id, call }: Unsent, timeout?: number): Promise<unknown> {
  try {
    return await perform(call, { idempotencyKey: id, ...(timeout && { timeout }) });
  } catch (error) {
    // What is already gone counts as removed.
    const isGone = error instanceof PetstoreError && error.status === 404;
    if (!isGone || !call[1].startsWith('delete')) throw error;
    return undefined;
  }
}

const PREFIX = 'petstore-unsent';
/** The service knows an idempotency key for a day. A create that is sent later could be done twice. */
export const WANTED_MS = 23 * 3_600_000;
/** The wait after a try that failed. It doubles with each further one. */
const WAIT_MIN_MS = 5_000;
const WAIT_MAX_MS = 60_000;

/** The id of the key of the person whose changes are listed. */
let owner: number | undefined;
let wait = WAIT_MIN_MS;
let timer: ReturnType<typeof setTimeout> | undefined;

const placeOf = (id: string) => `${PREFIX} ${owner} ${id}`;

/** Stores a change for this person in this browser. Returns false if the browser does not. */
function keep(item: Unsent): boolean {
  try {
    localStorage.setItem(placeOf(item.id), `${writeJson({ ...item, isSending: false })}`);
    return true;
  } catch {
    return false;
  }
}

/** Lists what the browser keeps for the person, and what this tab alone knows. */
function list(): void {
  const known = new Map(unsent.peek().map((item) => [item.id, item]));
  const places = Object.keys(localStorage).filter((place) => place.startsWith(placeOf('')));
  const kept = places.map((place) => readJson(localStorage.getItem(place) ?? 'null') as Unsent);
  const own = [...known.values()].filter(({ isKept }) => !isKept);
  const stored = kept.map((item) => ({
    ...item,
    isKept: true,
    isSending: known.get(item.id)?.isSending ?? false,
  }));
  unsent.value = [...own, ...stored].sort((one, other) => one.at - other.at);
}

/** Sends all that is still wanted, the oldest first. If one cannot be sent, all wait a little. */
async function sendAll(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  for (const { id, refusal, at } of unsent.peek()) {
    if (isLost.peek() || !person.peek()) return;
    if (refusal !== undefined || Date.now() - at > WANTED_MS) continue;
    if (!(await sendAgain(id))) return sendLater();
  }
  wait = WAIT_MIN_MS;
}

function sendLater(): void {
  timer ??= setTimeout(sendAll, wait);
  wait = Math.min(2 * wait, WAIT_MAX_MS);
}

/** Lists what waits for the person who is signed in, and sends it when it can be. */
export function watchOutbox(): void {
  effect(() => {
    const id = person.value?.id;
    if (id !== owner) endCalls();
    if (id === undefined || id === owner) return;
    owner = id;
    changes.clear();
    unsent.value = [];
    list();
  });
  addEventListener('storage', ({ key }) => {
    if (key === null || key.startsWith(placeOf(''))) list();
  });
  effect(() => {
    if (!isLost.value && person.value) void sendAll();
  });
  addEventListener('beforeunload', (event) => {
    if (underway > 0 || unsent.value.some(({ isKept }) => !isKept)) event.preventDefault();
  });
}
