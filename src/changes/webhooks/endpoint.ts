import { SECOND_MS } from '../../domain/clock.ts';
import type {
  AttemptOutcome,
  DeliveryState,
  HeldWebhook,
  WebhookProgress,
} from '../../domain/delivery.ts';
import type { DisabledReason, Webhook } from '../../domain/webhook.ts';
import { type AttemptParts, attemptDelivery } from './attempt.ts';
import { DeliveryWindow, type WindowEntry } from './delivery-window.ts';
import { createEndpointHealth, type EndpointHealth } from './endpoint-health.ts';
import { isExpired, type LogTail } from './log-tail.ts';
import type { Slots } from './slots.ts';

/** The parts that the endpoints of a process share. */
export interface EndpointParts extends AttemptParts {
  readonly tail: LogTail;
  readonly slots: Slots;
  /** Returns whether attempts may start. */
  mayStart(): boolean;
  /** An endpoint has something to store. */
  changed(endpoint: Endpoint): void;
  /** An attempt has ended, so there is a free slot. */
  ended(outcome: AttemptOutcome | undefined): void;
  /** Events were removed from the change log before they could be delivered. */
  missed(webhook: Webhook): void;
  /** Something failed and is tried again. */
  report(error: unknown): void;
}

/** A delivery whose state is to be stored. */
interface Outcome {
  readonly entry: WindowEntry;
  readonly delivery: DeliveryState;
}

/** Changes at an endpoint that are stored in one transaction. */
export interface EndpointBatch {
  readonly progress: WebhookProgress;
  readonly outcomes: readonly Outcome[];
}

/** An endpoint for which this process delivers. */
export class Endpoint {
  #webhook: Webhook;
  #revision: bigint;
  readonly #parts: EndpointParts;
  readonly #window: DeliveryWindow;
  readonly #health: EndpointHealth;
  readonly #cutOff = new AbortController();
  #storedPosition: bigint;
  #outcomes: Outcome[] = [];
  #sending = 0;
  /** Outcomes that are not stored yet. */
  #unstored = 0;
  #isReading = false;

  /** Creates an endpoint from its stored state. */
  constructor(held: HeldWebhook, parts: EndpointParts) {
    this.#webhook = held.webhook;
    this.#revision = held.revision;
    this.#storedPosition = held.position;
    this.#parts = parts;
    this.#window = new DeliveryWindow(held);
    this.#health = createEndpointHealth(held.webhook);
  }

  get webhook(): Webhook {
    return this.#webhook;
  }

  get revision(): bigint {
    return this.#revision;
  }

  /** Events that wait, are sent, or are not stored yet. */
  get size(): number {
    return this.#window.size;
  }

  /** Returns when the oldest of them was made; undefined if there is none. */
  oldestAt(): number | undefined {
    return this.#window.oldestAt();
  }

  /** Returns whether nothing is under way or unstored. */
  isIdle(): boolean {
    return this.#sending === 0 && this.#unstored === 0;
  }

  /** Notes that the state for the next `update` is about to be read. */
  beginLoad(): void {
    this.#window.beginLoad();
  }

  /** Takes over changes of the webhook, and deliveries that are due again. */
  update({ webhook, revision, pending }: HeldWebhook): void {
    this.#webhook = webhook;
    this.#revision = revision;
    this.#window.merge(pending);
  }

  /** Sends events that are due, and reads more from the change log. */
  start(): void {
    if (this.#isStopped()) return;
    this.#sendDue();
    for (const entry of this.#window.unstoredBehind(this.#parts.clock.now())) {
      this.#note(entry, waitingState(entry));
    }
    this.#read();
  }

  /** Returns the changes to store; undefined if there are none. */
  takeBatch(): EndpointBatch | undefined {
    const outcomes = this.#outcomes;
    const position = this.#window.positionWith(new Set(outcomes.map(({ entry }) => entry)));
    if (outcomes.length === 0 && position === this.#storedPosition) return undefined;
    this.#outcomes = [];
    const { lastSuccessAt, failingSince, disable } = this.#health;
    const progress = {
      ...{ webhookId: this.#webhook.id, position, lastSuccessAt, failingSince },
      deliveries: outcomes.map(({ delivery }) => delivery),
      ...(disable !== undefined && { disable }),
    };
    return { progress, outcomes };
  }

  /** Notes that a batch is stored. Returns why the webhook is disabled now, if it is. */
  stored({ progress, outcomes }: EndpointBatch): DisabledReason | undefined {
    this.#storedPosition = progress.position;
    this.#unstored -= outcomes.length;
    for (const { entry, delivery } of outcomes) this.#window.stored(entry, delivery);
    this.start();
    return progress.disable;
  }

  /** Cuts off attempts; nothing more is sent. */
  end(): void {
    this.#cutOff.abort();
  }

  #isStopped(): boolean {
    return (
      this.#cutOff.signal.aborted || this.#health.disable !== undefined || !this.#parts.mayStart()
    );
  }

  #sendDue(): void {
    const { clock, slots } = this.#parts;
    const free = this.#health.atOnce - this.#sending;
    if (free <= 0 || this.#window.size === 0) return;
    for (const entry of this.#window.due(clock.now(), free)) {
      const { isFailing } = this.#health;
      if (!slots.take(isFailing)) return;
      void this.#sendInSlot(entry, isFailing);
    }
  }

  /** Sends in a slot that was taken. */
  async #sendInSlot(entry: WindowEntry, isFailing: boolean): Promise<void> {
    const { clock, slots, ended, report } = this.#parts;
    entry.phase = 'sending';
    this.#sending++;
    let outcome: AttemptOutcome | undefined;
    try {
      outcome = await this.#send(entry);
    } catch (error) {
      // The event could not be read. It is tried again soon.
      entry.pending = { ...entry.pending, nextAttemptAt: clock.now() + SECOND_MS };
      report(error);
    }
    // Unless it is to be stored.
    if (outcome === undefined) entry.phase = 'waiting';
    this.#sending--;
    slots.giveBack(isFailing);
    ended(outcome);
    this.start();
  }

  async #send(entry: WindowEntry): Promise<AttemptOutcome | undefined> {
    const { pending } = entry;
    const { tail, clock } = this.#parts;
    const change = entry.change ?? (await tail.find(pending.eventId));
    const { signal } = this.#cutOff;
    const { url } = this.#webhook;
    const result = await attemptDelivery(this.#parts, this.#webhook, pending, change, signal);
    if (signal.aborted || result === undefined) return undefined;
    // What the receiver before says is nothing about the one that the webhook has now.
    const isCurrent = url === this.#webhook.url;
    if (!isCurrent && result.outcome !== 'delivered') return undefined;
    if (isCurrent && this.#health.note(result, clock.now())) this.#window.hurry();
    this.#note(entry, result.delivery);
    return result.outcome;
  }

  #note(entry: WindowEntry, delivery: DeliveryState): void {
    entry.phase = 'recording';
    this.#outcomes.push({ entry, delivery });
    this.#unstored++;
    this.#parts.changed(this);
  }

  #read(): void {
    const from = this.#window.readTo;
    const { tail, report } = this.#parts;
    // With nothing left to attempt, only new events can show that it works again.
    const waits = this.#health.isDown && this.#window.size > 0;
    const mayRead = !this.#isReading && !waits && this.#window.hasRoom();
    if (!mayRead || from >= tail.newest) return;
    this.#isReading = true;
    this.#readMore()
      .catch(report)
      .finally(() => {
        this.#isReading = false;
        // Otherwise the change log has nothing more yet, or cannot be read.
        if (this.#window.readTo > from) this.start();
      });
  }

  async #readMore(): Promise<void> {
    const { tail, missed } = this.#parts;
    try {
      const changes = await tail.after(this.#window.readTo);
      this.#window.add(changes, ({ type }) => this.#webhook.types?.includes(type) ?? true);
    } catch (error) {
      if (!isExpired(error)) throw error;
      this.#window.skipTo(await tail.beforeOldest());
      missed(this.#webhook);
    }
  }
}

/** Returns the state of an event that waits for an earlier one. */
function waitingState({ pending }: WindowEntry): DeliveryState {
  return {
    ...pending,
    ...{ status: 'pending', responseStatus: null, responseBody: null, error: null },
    deliveredAt: null,
  };
}
