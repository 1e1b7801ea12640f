import type { ChangeType } from '../domain/change-log.ts';
import { DAY_MS, SECOND_MS } from '../domain/clock.ts';
import type { AttemptOutcome, LoadedWebhook, NextDelivery } from '../domain/delivery.ts';
import type { DisabledReason, Webhook } from '../domain/webhook.ts';
import { type AttemptParts, type AttemptResult, attemptDelivery, type Slots } from './attempt.ts';
import type { BatchedStorage } from './batched-storage.ts';

/** An endpoint without a success for this long is disabled. */
const FAILING_MAX_MS = 5 * DAY_MS;
/** After this number of failures in a row an endpoint counts as down. */
const DOWN_AFTER = 20;
/** Attempts at once at an endpoint that works. */
const AT_ONCE_MAX = 8;
/** Attempts that are in progress or not stored yet. Bounds the repetitions after a crash. */
const UNFINISHED_MAX = 100;
/** Pending deliveries. While there are more, further events stay in the change log. */
const PENDING_MAX = 1_000;

/** The parts that all endpoints share. */
export interface EndpointParts extends AttemptParts {
  readonly slots: Slots;
  /** Of endpoints whose last attempt failed: they may hang, and must not hold up the others. */
  readonly failingSlots: Slots;
  /** Returns whether attempts may start. */
  mayAttempt(): boolean;
  readonly storage: BatchedStorage;
  attempted(outcome: AttemptOutcome): void;
  disabled(endpoint: Endpoint, reason: DisabledReason): void;
  /** Something failed and is tried again. */
  report(error: unknown): void;
}

/** Delivers to an endpoint, in a loop that ends with it. */
export class Endpoint {
  webhook: Webhook;
  revision: bigint;
  /** Every event up to this one has a delivery, or is not wanted. */
  position: bigint;
  /** The position that is stored. */
  savedPosition: bigint;
  readonly #parts: EndpointParts;
  readonly #ending = new AbortController();
  /** The events of attempts that are in progress or not stored yet. */
  readonly #unfinished = new Set<bigint>();
  /** Undefined until it was read. */
  #pending: number | undefined;
  /** When the oldest pending event was made. */
  #oldestAt: number | undefined;
  /** There may be pending deliveries that were not read yet. */
  #mayBeMore = true;
  /** When the next of those that were read becomes due. */
  #dueAt = Number.POSITIVE_INFINITY;
  /** The attempts in progress, and how many there may be: one more after each success. */
  #inProgress = 0;
  #atOnce = 1;
  /** In a row. */
  #failures = 0;
  #disable: DisabledReason | undefined;
  #hasEnded = false;
  #isAwake = true;
  #resume = () => {};

  constructor({ webhook, revision, position }: LoadedWebhook, parts: EndpointParts) {
    this.webhook = webhook;
    this.revision = revision;
    this.position = position;
    this.savedPosition = position;
    this.#parts = parts;
    void this.#deliver();
  }

  get inProgress(): number {
    return this.#inProgress;
  }

  /** Attempts that are in progress or not stored yet. */
  get unfinished(): number {
    return this.#unfinished.size;
  }

  get pending(): number {
    return Math.max(0, this.#pending ?? 0);
  }

  /** When the oldest event was made that is pending; undefined if nothing is. */
  get oldestAt(): number | undefined {
    return this.pending === 0 ? undefined : this.#oldestAt;
  }

  /** Returns whether it makes no more attempts. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  wants(type: ChangeType): boolean {
    return this.webhook.types?.includes(type) ?? true;
  }

  /** Returns whether there is room for more deliveries. */
  hasRoom(): boolean {
    // With nothing left to attempt, only new events can show that it works again.
    const isDown = this.#failures >= DOWN_AFTER && this.pending > 0;
    return this.#pending !== undefined && this.pending < PENDING_MAX && !isDown;
  }

  /** Notes that a delivery was added, of an event that was made at `createdAt`. */
  added(createdAt: number): void {
    if (this.pending === 0) this.#oldestAt = createdAt;
    this.#pending = this.pending + 1;
    this.#lookForMore();
  }

  /** Takes over changes of the webhook, and deliveries that somebody has made due. */
  update({ webhook, revision }: Pick<LoadedWebhook, 'webhook' | 'revision'>): void {
    this.webhook = webhook;
    this.revision = revision;
    this.#lookForMore();
  }

  /** Continues if something became due. */
  wakeIfDue(now: number): void {
    if (this.#dueAt <= now) this.#lookForMore();
  }

  /** Cuts off attempts; no more are made. */
  end(): void {
    this.#hasEnded = true;
    this.#ending.abort();
    this.#wake();
  }

  #lookForMore(): void {
    this.#mayBeMore = true;
    this.#wake();
  }

  #wake(): void {
    this.#isAwake = true;
    this.#resume();
  }

  /** Waits for what may have come since `#isAwake` was set to false. */
  async #untilWoken(): Promise<void> {
    if (this.#isAwake) return;
    await new Promise<void>((resume) => {
      this.#resume = resume;
    });
  }

  #mayAttempt(): boolean {
    return !this.#hasEnded && this.#disable === undefined && this.#parts.mayAttempt();
  }

  async #deliver(): Promise<void> {
    while (this.#mayAttempt()) {
      this.#isAwake = false;
      const due = this.#mayBeMore ? await this.#readDue() : [];
      for (const delivery of due) {
        const giveBack = await this.#takeSlots();
        if (!this.#mayAttempt()) {
          giveBack();
          break;
        }
        void this.#attempt(delivery, giveBack);
      }
      if (due.length === 0) await this.#untilWoken();
    }
    this.#hasEnded = true;
  }

  /** Reads what is pending. Returns what is due and not attempted already. */
  async #readDue(): Promise<readonly NextDelivery[]> {
    const { clock, storage, report } = this.#parts;
    this.#mayBeMore = false;
    this.#dueAt = Number.POSITIVE_INFINITY;
    const { id } = this.webhook;
    const before = [...this.#unfinished];
    try {
      const { count, oldestAt, next } =
        (await storage.pending({ id, unfinished: before.length })) ?? NOTHING;
      const now = clock.now();
      const isDue = ({ nextAttemptAt }: NextDelivery) => (nextAttemptAt ?? 0) <= now;
      // One that was finished meanwhile may have been read before that.
      const untouched = next.filter(({ eventId }) => !before.includes(eventId));
      if (count > next.length || before.length > this.#unfinished.size) this.#mayBeMore = true;
      this.#pending = count;
      this.#oldestAt = oldestAt;
      this.#dueAt = untouched.find((each) => !isDue(each))?.nextAttemptAt ?? this.#dueAt;
      return untouched.filter(isDue);
    } catch (error) {
      report(error);
      this.#dueAt = clock.now() + SECOND_MS;
      return [];
    }
  }

  /** Waits until one more attempt may start. Returns the function that gives its slots back. */
  async #takeSlots(): Promise<() => void> {
    const { slots, failingSlots } = this.#parts;
    const isBusy = () =>
      this.#inProgress >= this.#atOnce || this.#unfinished.size >= UNFINISHED_MAX;
    while (isBusy() && this.#mayAttempt()) {
      this.#isAwake = false;
      await this.#untilWoken();
    }
    const isFailing = this.#failures > 0;
    if (isFailing) await failingSlots.take();
    await slots.take();
    return () => {
      slots.giveBack();
      if (isFailing) failingSlots.giveBack();
    };
  }

  async #attempt(delivery: NextDelivery, giveBack: () => void): Promise<void> {
    const { url } = this.webhook;
    this.#unfinished.add(delivery.eventId);
    this.#inProgress++;
    const result = await this.#resultOf(delivery);
    this.#inProgress--;
    giveBack();
    this.#wake();
    const isCurrent = url === this.webhook.url;
    // What the receiver before says is nothing about the one that the webhook has now.
    const counts = isCurrent || result?.outcome === 'delivered';
    if (result !== undefined && counts && !this.#ending.signal.aborted)
      await this.#record(result, isCurrent);
    else this.#mayBeMore = true;
    this.#unfinished.delete(delivery.eventId);
    this.#wake();
  }

  async #resultOf(delivery: NextDelivery): Promise<AttemptResult | undefined> {
    try {
      return await attemptDelivery(this.#parts, this.webhook, delivery, this.#ending.signal);
    } catch (error) {
      this.#parts.report(error);
      await Bun.sleep(SECOND_MS);
      return undefined;
    }
  }

  /** Stores an attempt, and what it says about the receiver that the webhook has now. */
  async #record({ outcome, delivery, isGone }: AttemptResult, isCurrent: boolean): Promise<void> {
    const { clock, storage, attempted, disabled } = this.#parts;
    const wasDown = this.#failures >= DOWN_AFTER;
    if (isCurrent) this.#noteHealth(outcome === 'delivered', isGone, clock.now());
    attempted(outcome);
    const { id: webhookId, lastSuccessAt, failingSince } = this.webhook;
    const reason = this.#disable;
    const disable = reason && { reason, at: clock.now() };
    const hasRecovered = wasDown && this.#failures === 0;
    const attempt = { webhookId, delivery, lastSuccessAt, failingSince, disable, hasRecovered };
    if (!(await storage.record(attempt))) return this.end();
    if (delivery.status === 'pending' || hasRecovered) this.#mayBeMore = true;
    if (delivery.status !== 'pending') this.#pending = this.pending - 1;
    if (reason !== undefined) disabled(this, reason);
  }

  #noteHealth(isDelivered: boolean, isGone: boolean, now: number): void {
    if (isDelivered) {
      this.webhook = { ...this.webhook, lastSuccessAt: now, failingSince: null };
      this.#failures = 0;
      this.#atOnce = Math.min(this.#atOnce + 1, AT_ONCE_MAX);
      return;
    }
    const { failingSince } = this.webhook;
    this.webhook = { ...this.webhook, failingSince: failingSince ?? now };
    this.#failures++;
    this.#atOnce = 1;
    if (isGone) this.#disable = 'gone';
    else if (now - (failingSince ?? now) >= FAILING_MAX_MS) this.#disable ??= 'failing';
  }
}

const NOTHING = { count: 0, oldestAt: undefined, next: [] };
