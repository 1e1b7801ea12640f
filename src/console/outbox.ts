/** Changes, and those that could not be sent. */
import { signal } from '@preact/signals';
import { explain } from './components/error-state.tsx';
import { failureOf } from './loading.ts';
import { notify } from './notices.ts';
import { PetstoreError } from './service.ts';

/** A change that the person wants. */
export interface Change<T> {
  /** What is done, for the list of what is not sent yet: `Add Bella`. */
  readonly label: string;
  /** Sends the change. Every try for one change gets the same key, so that it is done once. */
  send(idempotencyKey: string): Promise<T>;
  /** Called when the change is done, at once or later. */
  done?(result: T): void;
}

/** A change that could not be sent. */
export interface Unsent {
  readonly id: string;
  readonly label: string;
  readonly isSending: boolean;
  /** Why the service refused it at last; undefined if it could not be reached. */
  readonly refusal: string | undefined;
}

/** Changes that could not be sent, the oldest first. */
export const unsent = signal<readonly Unsent[]>([]);

const changes = new Map<string, Change<unknown>>();

/**
 * Sends a change. Returns whether it is done: if the service cannot be reached, the change is listed
 * and can be sent again. Throws a `PetstoreError` if the service refuses it.
 */
export async function carryOut<T>(change: Change<T>): Promise<boolean> {
  const id = crypto.randomUUID();
  try {
    const result = await change.send(id);
    change.done?.(result);
    return true;
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    // Stored for `tryAgain`, which only passes the result of `send` to `done`.
    changes.set(id, change as Change<unknown>);
    unsent.value = [
      ...unsent.value,
      { id, label: change.label, isSending: false, refusal: undefined },
    ];
    notify(`${change.label}: not sent yet.`);
    return false;
  }
}

/** Sends a listed change again. */
export async function sendAgain(id: string): Promise<void> {
  const change = changes.get(id);
  if (change === undefined) return;
  mark(id, { isSending: true, refusal: undefined });
  try {
    const result = await change.send(id);
    discard(id);
    change.done?.(result);
    notify(`Sent: ${change.label}`);
  } catch (error) {
    const refusal = isUnreachable(error) ? undefined : explain(failureOf(error));
    mark(id, { isSending: false, refusal });
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

/** Asks before the browser closes a tab with changes that were not sent. */
export function watchOutbox(): void {
  addEventListener('beforeunload', (event) => {
    if (unsent.value.length > 0) event.preventDefault();
  });
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
