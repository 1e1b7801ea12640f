/** Changes: sending them, keeping those that could not be sent, and asking when two people change one record. */
import { effect, signal } from '@preact/signals';
import { Button } from './components/button.tsx';
import { ask, type Confirmation, confirm, Dialog } from './components/dialog.tsx';
import { Table } from './components/table.tsx';
import { isLost } from './connection.ts';
import { explain } from './failures.ts';
import { announce } from './live.ts';
import { notify } from './notices.tsx';
import { type Petstore, PetstoreError, readJson, store, writeJson } from './service.ts';
import { person } from './session.ts';
import { fieldName, fieldText } from './words.ts';

type Fields = Readonly<Record<string, unknown>>;

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

/** A record that is changed. */
interface Edits<T extends object = object> {
  /** As the person saw it. */
  readonly seen: T;
  /** What it is called. */
  readonly name: string;
  /** The method that reads it; by default `get`. */
  readonly reader?: string;
}

/** An operation as plain data: `['categories', 'create', {name: 'Dog'}]`. */
type Call = readonly [group: keyof Petstore, method: string, ...given: unknown[]];

/** A change that could not be sent. */
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
}

/** Changes that could not be sent, the oldest first. */
export const unsent = signal<readonly Unsent[]>([]);

/** Of changes that were made since the page was loaded: what cannot be stored. */
const changes = new Map<string, Change<unknown>>();

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
  try {
    await send(item, known);
    return true;
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    changes.set(item.id, known);
    unsent.value = [...unsent.value, item];
    notify(`${label}: this is kept and will be sent by itself.`);
    return false;
  }
}

/** Sends a listed change again. */
export async function sendAgain(id: string): Promise<void> {
  const item = unsent.value.find((one) => one.id === id);
  if (item === undefined || item.isSending) return;
  mark(id, { isSending: true, refusal: undefined });
  try {
    await send(item, changes.get(id));
    discard(id);
    notify(`Sent: ${item.label}`);
  } catch (error) {
    mark(id, { isSending: false, refusal: isUnreachable(error) ? undefined : explain(error) });
  }
}

/** Gives up a listed change. */
export function discard(id: string): void {
  changes.delete(id);
  unsent.value = unsent.value.filter((item) => item.id !== id);
}

/** Gives up all listed changes. */
export function discardAll(): void {
  changes.clear();
  unsent.value = [];
}

function mark(id: string, state: Pick<Unsent, 'isSending' | 'refusal'>): void {
  unsent.value = unsent.value.map((item) => (item.id === id ? { ...item, ...state } : item));
}

/** Returns whether a change may be sent again: it may not have arrived, or the session ended. */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof PetstoreError)) return false;
  const { code, status = 0 } = error;
  return code === 'connection_lost' || code === 'timeout' || status >= 500 || status === 401;
}

async function send(item: Unsent, change: Change<unknown> | undefined): Promise<void> {
  const { result, isKept } = item.edits
    ? await merge(item, item.edits, change)
    : { result: await performOnce(item, change?.timeout) };
  const says = change?.says;
  if (isKept) notify(`${item.edits?.name} stays as somebody else has changed it.`);
  else if (says !== undefined) {
    notify(typeof says === 'string' ? says : says(result), undefined, change?.link?.(result));
  }
  announce(item.call[0]);
  change?.done?.(result);
}

function perform([group, method, ...given]: Call, options: object): Promise<unknown> {
  return Reflect.apply(Reflect.get(store[group], method), store[group], [...given, options]);
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

function differ(one: Fields, other: Fields): (field: string) => boolean {
  return (field) => writeJson(one[field] ?? null) !== writeJson(other[field] ?? null);
}

function pick(fields: Fields, isWanted: (field: string) => boolean): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => isWanted(field)));
}

/**
 * Changes a record. `isKept` says whether the person has kept what somebody else has made of it. What somebody else has changed besides is kept; if both have changed one field,
 * the person chooses.
 */
async function merge(
  { call: [group, method, id, wanted] }: Unsent,
  { seen, name, reader = 'get' }: Edits,
  change: Change<unknown> | undefined,
): Promise<{ result: unknown; isKept?: boolean }> {
  let base = seen as Fields;
  // What the person has left as it was may be changed by others.
  let mine = pick(wanted as Fields, differ(wanted as Fields, base));
  if (Object.keys(mine).length === 0) return { result: seen };
  for (;;) {
    try {
      return { result: await perform([group, method, id, mine], { ifMatch: base }) };
    } catch (error) {
      if (!(error instanceof PetstoreError) || error.status !== 412) throw error;
    }
    const theirs = (await perform([group, reader, id], {})) as Fields;
    const open = Object.keys(mine).filter(differ(mine, theirs));
    // An earlier try arrived, or both wanted the same.
    if (open.length === 0) return { result: theirs };
    const refusal = change?.refuse?.(theirs);
    if (refusal) throw refusal;
    const disputed = open.filter(differ(base, theirs));
    if (
      disputed.length > 0 &&
      (await askAboutConflict(name, disputed, theirs, mine)) === 'theirs'
    ) {
      mine = pick(mine, (field) => !disputed.includes(field));
      if (Object.keys(mine).length === 0) return { result: theirs, isKept: true };
    }
    base = theirs;
  }
}

/** Asks whose version of some fields to keep. To close the dialog keeps theirs. */
function askAboutConflict(
  name: string,
  disputed: readonly string[],
  theirs: Fields,
  mine: Fields,
): Promise<'theirs' | 'mine'> {
  return ask((answer) => (
    <Dialog isWide title={`Somebody else has changed ${name}`} onClose={() => answer('theirs')}>
      <p>Your change is not saved yet. Which version do you want to keep?</p>
      <Table
        caption="Both versions"
        items={disputed}
        keyOf={(field) => field}
        columns={[
          { name: 'Field', cell: fieldName },
          { name: 'Theirs', cell: (field) => fieldText(field, theirs[field]) },
          { name: 'Yours', cell: (field) => fieldText(field, mine[field]) },
        ]}
      />
      <div class="row dialog-actions">
        <Button onClick={() => answer('theirs')}>Keep theirs</Button>
        <Button kind="primary" onClick={() => answer('mine')}>
          Use mine
        </Button>
      </div>
    </Dialog>
  ));
}

const STORED = 'petstore-unsent';
/** What is older than this may no longer be wanted: it is sent on request only. */
const WANTED_MS = 3_600_000;

/** Keeps the list while the tab is open, for the person whose it is, and sends it when it can be. */
export function watchOutbox(): void {
  let owner: number | undefined;
  effect(() => {
    const id = person.value?.id;
    if (id === undefined || id === owner) return;
    owner = id;
    const kept = readJson(sessionStorage.getItem(STORED) ?? 'null') as Kept | null;
    if (kept?.owner === id && unsent.peek().length === 0) unsent.value = kept.items;
    else if (kept?.owner !== id) sessionStorage.removeItem(STORED);
  });
  effect(() => {
    const items = unsent.value
      .filter(({ id }) => !changes.get(id)?.isFleeting)
      .map((item) => ({ ...item, isSending: false }));
    if (items.length > 0) sessionStorage.setItem(STORED, `${writeJson({ owner, items })}`);
    else if (owner !== undefined) sessionStorage.removeItem(STORED);
  });
  effect(() => {
    if (isLost.value || !person.value) return;
    for (const { id, refusal, at } of unsent.peek()) {
      if (refusal === undefined && Date.now() - at < WANTED_MS) void sendAgain(id);
    }
  });
  addEventListener('beforeunload', (event) => {
    const isLosing = ({ id }: Unsent) => changes.get(id)?.isFleeting;
    if (unsent.value.some(isLosing)) event.preventDefault();
  });
}

/** The list as it is stored. */
interface Kept {
  readonly owner: number;
  readonly items: readonly Unsent[];
}
