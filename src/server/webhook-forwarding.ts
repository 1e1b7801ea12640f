import { eventText } from '../api/resources/events.ts';
import type { ChangeLog, LoggedChange } from '../domain/change-log.ts';
import { SECOND_MS } from '../domain/clock.ts';
import { Failure } from '../domain/failure.ts';
import type { Webhook } from '../domain/webhook.ts';
import type { SendOutcome } from '../webhooks/client.ts';
import type { SendMessage } from '../webhooks/message.ts';

/** How often the log is read for events that happened meanwhile. */
const PAUSE_MS = SECOND_MS / 2;
const EVENTS_MAX = 100;

/** What forwarding needs. */
export interface ForwardingParts {
  readonly changes: Pick<ChangeLog, 'list' | 'newest'>;
  readonly send: SendMessage;
  readonly signal: AbortSignal;
  /** Told of each event once it was sent. */
  sent(change: LoggedChange, outcome: SendOutcome): Promise<void>;
}

/**
 * Sends the events that happen from now on as this webhook gets them, until the signal aborts: of its types, in their
 * order, signed with its secret. Each is sent once, and nothing is stored.
 */
export async function forwardEvents(
  webhook: Webhook,
  { changes, send, signal, sent }: ForwardingParts,
): Promise<void> {
  let after = await changes.newest();
  while (!signal.aborted) {
    try {
      const types = webhook.types ?? undefined;
      const page = await changes.list({ after, types, limit: EVENTS_MAX });
      for (const change of page.changes) {
        const message = { id: String(change.id), body: eventText(change) };
        const outcome = await send(webhook, message, signal);
        if (signal.aborted) return;
        await sent(change, outcome);
      }
      after = page.resumeAfter;
    } catch (error) {
      // The database was put back meanwhile.
      if (!(error instanceof Failure && error.code === 'events_expired')) throw error;
      after = await changes.newest();
    }
    await pause(signal);
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, PAUSE_MS);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}
