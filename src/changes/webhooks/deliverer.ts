import type { ChangeLog } from '../../domain/change-log.ts';
import { SECOND_MS } from '../../domain/clock.ts';
import {
  ATTEMPT_OUTCOMES,
  type AttemptOutcome,
  type DeliveryReport,
  type DeliveryStorage,
} from '../../domain/delivery.ts';
import { isUnavailable } from '../../domain/failure.ts';
import type { DisabledReason } from '../../domain/webhook.ts';
import { createWatch, systemTime, type WaitTime, type Watch } from '../watch.ts';
import type { AttemptParts } from './attempt.ts';
import { createDivision, type Division } from './division.ts';
import { Endpoint, type EndpointParts } from './endpoint.ts';
import { createLogTail, type LogTail } from './log-tail.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { createSlots } from './slots.ts';

/** The time between two looks at the webhooks. A change of one takes effect within it. */
const LOOK_MS = SECOND_MS;
/** The time between two looks for the events of other processes, and for deliveries that are due. */
const TICK_MS = 250;
/** The pause after a round through all endpoints: with many events, a round starts many of them. */
const ROUND_PAUSE_MS = 10;
/** Looks after which skipped events are stored as handled. */
const LOOKS_PER_POSITION = 10;
/** The wait of a shutdown for attempts that are under way. */
const DRAIN_MS = 3_000;
const DRAIN_STEP_MS = 10;

/** Delivers events while the service runs. */
export interface Deliverer {
  report(): DeliveryReport;
  /** Finishes attempts that are under way, or cuts them off after 3 seconds. Frees the webhooks. */
  end(): Promise<void>;
}

/** The parts of a deliverer. */
export interface DelivererParts extends AttemptParts {
  readonly storage: { readonly changes: ChangeLog; readonly deliveries: DeliveryStorage };
  readonly log: {
    info(message: string, facts?: Record<string, unknown>): void;
    warn(message: string, facts?: Record<string, unknown>): void;
    error(message: string, error: unknown): void;
  };
  isFenced(): boolean;
  /** Returns a number from 0 to 1. */
  random(): number;
  readonly time?: WaitTime;
}

/** Starts to deliver. */
export function startDeliverer(parts: DelivererParts): Deliverer {
  const delivering = new Delivering(parts);
  delivering.start();
  return { report: () => delivering.report(), end: () => delivering.end() };
}

/** The endpoints that this process delivers to, and the work that leads to them. */
class Delivering {
  readonly #parts: DelivererParts;
  readonly #time: WaitTime;
  readonly #endpoints = new Map<bigint, Endpoint>();
  readonly #attempts: Record<AttemptOutcome, number>;
  readonly #division: Division;
  readonly #tail: LogTail;
  readonly #slots = createSlots();
  readonly #watch: Watch;
  readonly #recorder: Recorder;
  readonly #report: (error: unknown) => void;
  #stopLooking = () => {};
  #looking: Promise<void> | undefined;
  #states: DeliveryReport['webhooks'];
  #looks = 0;
  #isEnding = false;

  constructor(parts: DelivererParts) {
    const { storage, log, time = systemTime } = parts;
    this.#parts = parts;
    this.#time = time;
    // Every key is set.
    this.#attempts = Object.fromEntries(ATTEMPT_OUTCOMES.map((each) => [each, 0])) as Record<
      AttemptOutcome,
      number
    >;
    this.#report = (error) => {
      if (!isUnavailable(error)) log.error('could not deliver events; trying again', error);
    };
    this.#division = createDivision(storage.deliveries, time, parts.random);
    this.#tail = createLogTail(storage.changes, time.soon);
    const checkLost = () => this.#checkLost();
    this.#watch = createWatch(storage.changes, time, checkLost, () => this.#round(), TICK_MS);
    this.#recorder = createRecorder({
      record: (id, progress) => storage.deliveries.record(id, progress),
      delivererId: this.#division.id,
      lost: (endpoint) => this.#drop(endpoint),
      disabled: (endpoint, reason) => this.#disabled(endpoint, reason),
      report: this.#report,
    });
  }

  start(): void {
    this.#stopLooking = this.#time.every(LOOK_MS, () => this.#lookAlone());
    this.#lookAlone();
  }

  report(): DeliveryReport {
    const endpoints = [...this.#endpoints.values()];
    const now = this.#parts.clock.now();
    const ages = endpoints.map((endpoint) => now - (endpoint.oldestAt() ?? now));
    return {
      webhooks: this.#states,
      held: endpoints.length,
      sending: this.#slots.inUse,
      queued: endpoints.reduce((sum, { size }) => sum + size, 0),
      oldestMs: Math.max(0, ...ages),
      attempts: this.#attempts,
    };
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    this.#stopLooking();
    this.#watch.stop();
    await this.#looking;
    const endsAt = performance.now() + DRAIN_MS;
    while (this.#slots.inUse > 0 && performance.now() < endsAt) await Bun.sleep(DRAIN_STEP_MS);
    // Time to store how the last attempts ended.
    const late = setTimeout(this.#recorder.stop, SECOND_MS);
    await this.#recorder.settled();
    clearTimeout(late);
    this.#dropAll();
    await this.#division.leave().catch(this.#report);
  }

  #lookAlone(): void {
    this.#checkLost();
    if (this.#isEnding || this.#parts.isFenced()) return;
    this.#looking ??= this.#look()
      .catch(this.#report)
      .finally(() => {
        this.#looking = undefined;
      });
  }

  /** Takes and leaves webhooks, and notices what was changed. */
  async #look(): Promise<void> {
    const { own, excess, states } = await this.#division.look();
    this.#states = states;
    if (this.#isEnding) return;
    const ids = new Set(own.map(({ id }) => id));
    for (const endpoint of [...this.#endpoints.values()]) {
      if (!ids.has(endpoint.webhook.id)) this.#drop(endpoint);
    }
    const changed = own.filter(
      ({ id, revision }) => this.#endpoints.get(id)?.revision !== revision,
    );
    await this.#load(changed.map(({ id }) => id));
    await this.#release(excess);
    this.#looks++;
    if (this.#looks % LOOKS_PER_POSITION !== 0) return;
    for (const endpoint of this.#endpoints.values()) this.#recorder.changed(endpoint);
  }

  /** Loads webhooks that are new here, or were changed. */
  async #load(ids: readonly bigint[]): Promise<void> {
    const delivererId = this.#division.id();
    if (delivererId === undefined || ids.length === 0) return;
    await this.#tail.refresh();
    for (const id of ids) this.#endpoints.get(id)?.beginLoad();
    for (const held of await this.#parts.storage.deliveries.load(delivererId, ids)) {
      const { id } = held.webhook;
      const known = this.#endpoints.get(id);
      if (known !== undefined) known.update(held);
      else this.#endpoints.set(id, new Endpoint(held, this.#endpointParts()));
    }
    if (this.#endpoints.size > 0) this.#watch.start();
    this.#startAll();
  }

  #endpointParts(): EndpointParts {
    const { log, isFenced } = this.#parts;
    return {
      ...this.#parts,
      ...{ tail: this.#tail, slots: this.#slots, report: this.#report },
      mayStart: () => !this.#isEnding && !isFenced(),
      changed: this.#recorder.changed,
      ended: (outcome) => {
        if (outcome !== undefined) this.#attempts[outcome]++;
      },
      missed: ({ id }) =>
        log.warn('events were removed before they could be delivered', { webhookId: String(id) }),
    };
  }

  /** Leaves some webhooks to others. */
  async #release(excess: number): Promise<void> {
    const delivererId = this.#division.id();
    if (delivererId === undefined || excess === 0) return;
    const idle = [...this.#endpoints.values()].filter((each) => each.isIdle()).slice(0, excess);
    for (const endpoint of idle) this.#drop(endpoint);
    const ids = idle.map(({ webhook }) => webhook.id);
    if (ids.length > 0) await this.#parts.storage.deliveries.release(delivererId, ids);
  }

  /** Reads new events and starts what is due at every endpoint. */
  async #round(): Promise<void> {
    try {
      while (await this.#tail.refresh()) this.#startAll();
    } catch (error) {
      this.#report(error);
    }
    this.#startAll();
    await Bun.sleep(ROUND_PAUSE_MS);
  }

  /** Starts anywhere, so that nobody is always the last to get a slot. */
  #startAll(): void {
    const endpoints = [...this.#endpoints.values()];
    const first = Math.floor(this.#parts.random() * endpoints.length);
    for (const endpoint of endpoints.slice(first)) endpoint.start();
    for (const endpoint of endpoints.slice(0, first)) endpoint.start();
  }

  /** Others may take the webhooks if this process could not show for some time that it lives. */
  #checkLost(): void {
    if (!this.#division.isLost()) return;
    this.#division.forget();
    this.#dropAll();
  }

  #dropAll(): void {
    for (const endpoint of [...this.#endpoints.values()]) this.#drop(endpoint);
  }

  #drop(endpoint: Endpoint): void {
    endpoint.end();
    const { id } = endpoint.webhook;
    if (this.#endpoints.get(id) === endpoint) this.#endpoints.delete(id);
    if (this.#endpoints.size === 0) this.#watch.stop();
  }

  #disabled(endpoint: Endpoint, reason: DisabledReason): void {
    const { id } = endpoint.webhook;
    this.#parts.log.warn('a webhook was disabled', { webhookId: String(id), reason });
    this.#drop(endpoint);
  }
}
