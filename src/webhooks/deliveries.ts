import type { ChangeLog } from '../domain/change-log.ts';
import { SECOND_MS } from '../domain/clock.ts';
import {
  ATTEMPT_OUTCOMES,
  type AttemptOutcome,
  type DeliveryReport,
  type DeliveryStorage,
  type LoadedWebhook,
  WEBHOOK_STATES,
  type WebhookVersion,
} from '../domain/delivery.ts';
import { isUnavailable } from '../domain/failure.ts';
import type { DisabledReason, Webhook } from '../domain/webhook.ts';
import { createWatch, systemTime, type WaitTime, type Watch } from '../events/watch.ts';
import { type AttemptParts, Slots } from './attempt.ts';
import { createBatchedStorage } from './batched-storage.ts';
import { Endpoint, type EndpointParts } from './endpoint.ts';
import { fanOut } from './fan-out.ts';
import { OwnLease } from './lease.ts';

/** The time between two reads of the webhooks: a change takes effect on every process within a second. */
const REFRESH_MS = 500;
/** After this number of them positions are saved. After a crash, events are read again from there. */
const REFRESHES_PER_SAVE = 20;
/** The time between two checks for events of other processes, and for deliveries that are due. */
const TICK_MS = 250;
/** The pause after all new events were read: with many events, more of them are read at once. */
const ROUND_PAUSE_MS = 10;
/** Attempts in progress, of all endpoints and of those whose last attempt failed. */
const SLOTS = 512;
const FAILING_SLOTS = 256;
/** The wait of a shutdown for attempts in progress, and then for their storage. */
const DRAIN_MS = 3_000;
const RECORD_MS = SECOND_MS;
const DRAIN_STEP_MS = 10;

/** The delivery of events while the service runs. */
export type RunningDeliveries = Pick<Deliveries, 'report' | 'changed' | 'end'>;

/** The parts of the delivery. */
export interface DeliveryParts extends AttemptParts {
  readonly storage: { readonly changes: ChangeLog; readonly deliveries: DeliveryStorage };
  readonly log: {
    warn(message: string, facts?: Record<string, unknown>): void;
    error(message: string, error: unknown): void;
  };
  isFenced(): boolean;
  readonly time?: WaitTime;
}

/** Starts to deliver, while this process is the leader. */
export function startDeliveries(parts: DeliveryParts): RunningDeliveries {
  const deliveries = new Deliveries(parts);
  deliveries.start();
  return {
    report: () => deliveries.report(),
    changed: (id, webhook) => deliveries.changed(id, webhook),
    end: () => deliveries.end(),
  };
}

/** The endpoints that this process delivers to: all while it is the leader, else none. */
class Deliveries {
  readonly #parts: DeliveryParts;
  readonly #time: WaitTime;
  readonly #lease: OwnLease;
  readonly #watch: Watch;
  readonly #endpointParts: EndpointParts;
  readonly #endpoints = new Map<bigint, Endpoint>();
  readonly #attempts = new Map<AttemptOutcome, number>();
  #states: DeliveryReport['webhooks'];
  #stopRefreshing = () => {};
  #refreshing: Promise<void> | undefined;
  #refreshes = 0;
  /** Changes by this process, which may be newer than what is being read. */
  #ownChanges = 0;
  #isEnding = false;

  constructor(parts: DeliveryParts) {
    const { storage, time = systemTime } = parts;
    this.#parts = parts;
    this.#time = time;
    this.#lease = new OwnLease(storage.deliveries, time);
    this.#watch = createWatch(
      storage.changes,
      time,
      () => {},
      () => this.#round(),
      TICK_MS,
    );
    this.#endpointParts = this.#createEndpointParts();
  }

  start(): void {
    this.#stopRefreshing = this.#time.every(REFRESH_MS, () => this.#refreshAlone());
    this.#refreshAlone();
  }

  report(): DeliveryReport {
    const endpoints = [...this.#endpoints.values()];
    const now = this.#parts.clock.now();
    const sumOf = (count: (endpoint: Endpoint) => number) =>
      endpoints.reduce((sum, endpoint) => sum + count(endpoint), 0);
    const attempts = ATTEMPT_OUTCOMES.map((each) => [each, this.#attempts.get(each) ?? 0]);
    return {
      webhooks: this.#states,
      held: endpoints.length,
      sending: sumOf(({ inProgress }) => inProgress),
      queued: sumOf(({ pending }) => pending),
      oldestMs: Math.max(0, ...endpoints.map(({ oldestAt = now }) => now - oldestAt)),
      // Every key is set.
      attempts: Object.fromEntries(attempts) as DeliveryReport['attempts'],
    };
  }

  /** Applies a change of a webhook that this process has made; undefined if it was removed. */
  changed(id: bigint, webhook: Webhook | undefined): void {
    this.#ownChanges++;
    const endpoint = this.#endpoints.get(id);
    if (webhook?.disabledReason !== null) this.#drop(endpoint);
    else if (endpoint === undefined) this.#refreshAlone();
    else endpoint.update({ webhook, revision: endpoint.revision });
  }

  /** Finishes attempts in progress, or cuts them off after 3 seconds. Gives the lease back. */
  async end(): Promise<void> {
    this.#isEnding = true;
    this.#stopRefreshing();
    this.#watch.stop();
    await this.#refreshing;
    await this.#drain(DRAIN_MS, ({ inProgress }) => inProgress);
    for (const endpoint of this.#endpoints.values()) endpoint.end();
    await this.#drain(RECORD_MS, ({ unfinished }) => unfinished);
    try {
      await this.#savePositions();
      await this.#lease.release();
    } catch (error) {
      this.#report(error);
    }
    this.#dropAll();
  }

  async #drain(timeoutMs: number, count: (endpoint: Endpoint) => number): Promise<void> {
    const endsAt = performance.now() + timeoutMs;
    const isBusy = () => [...this.#endpoints.values()].some((each) => count(each) > 0);
    while (isBusy() && performance.now() < endsAt) await Bun.sleep(DRAIN_STEP_MS);
  }

  #isLeader(): boolean {
    return this.#lease.term !== undefined && !this.#parts.isFenced();
  }

  #refreshAlone(): void {
    if (!this.#isLeader()) this.#dropAll();
    if (this.#isEnding || this.#parts.isFenced()) return;
    this.#refreshing ??= this.#refresh()
      .catch((error) => this.#report(error))
      .finally(() => {
        this.#refreshing = undefined;
      });
  }

  /** Renews or takes the lease, and takes over changes of the webhooks. */
  async #refresh(): Promise<void> {
    const { storage, clock } = this.#parts;
    const { lease, webhooks } = await storage.deliveries.snapshot(clock.now());
    this.#states = statesOf(webhooks);
    const wanted = webhooks.filter(({ disabledReason }) => disabledReason === null);
    const enabled = wanted.filter(({ isOrphan }) => !isOrphan);
    if (wanted.length === 0) await this.#lease.release();
    else await this.#lease.renewOrTake(lease);
    if (!this.#isLeader() || this.#isEnding) return this.#dropAll();
    await this.#disableOrphans(wanted.filter(({ isOrphan }) => isOrphan));
    const ids = new Set(enabled.map(({ id }) => id));
    for (const endpoint of [...this.#endpoints.values()]) {
      if (!ids.has(endpoint.webhook.id) || endpoint.hasEnded) this.#drop(endpoint);
    }
    await this.#load(
      enabled.filter(({ id, revision }) => this.#endpoints.get(id)?.revision !== revision),
    );
    this.#refreshes++;
    if (this.#refreshes % REFRESHES_PER_SAVE === 0) await this.#savePositions();
  }

  /** Disables webhooks whose keys have ended, or may no longer have events sent. */
  async #disableOrphans(orphans: readonly WebhookVersion[]): Promise<void> {
    const { term } = this.#lease;
    const { storage, clock } = this.#parts;
    if (orphans.length === 0 || term === undefined) return;
    const ids = orphans.map(({ id }) => id);
    for (const id of ids) this.#drop(this.#endpoints.get(id));
    await storage.deliveries.disableOrphans(term, ids, clock.now());
    for (const id of ids) this.#logDisabled(id, 'key');
  }

  #logDisabled(id: bigint, reason: DisabledReason): void {
    this.#parts.log.warn('a webhook was disabled', { webhookId: String(id), reason });
  }

  /** Loads webhooks that are new here, or were changed. */
  async #load(versions: readonly WebhookVersion[]): Promise<void> {
    if (versions.length === 0) return;
    const ownChanges = this.#ownChanges;
    const loaded = await this.#parts.storage.deliveries.load(versions.map(({ id }) => id));
    // Otherwise some may be older than what this process has stored since.
    if (ownChanges !== this.#ownChanges || !this.#isLeader()) return;
    for (const each of loaded) {
      const known = this.#endpoints.get(each.webhook.id);
      if (known === undefined) this.#add(each);
      else known.update(each);
    }
    this.#watch.start();
  }

  #add(loaded: LoadedWebhook): void {
    this.#endpoints.set(loaded.webhook.id, new Endpoint(loaded, this.#endpointParts));
  }

  #createEndpointParts(): EndpointParts {
    const { storage, clock } = this.#parts;
    const term = () => this.#lease.term;
    const report = (error: unknown) => this.#report(error);
    return {
      ...this.#parts,
      storage: createBatchedStorage(storage.deliveries, term, clock.now, report),
      slots: new Slots(SLOTS),
      failingSlots: new Slots(FAILING_SLOTS),
      mayAttempt: () => !this.#isEnding && this.#isLeader(),
      attempted: (outcome) => {
        this.#attempts.set(outcome, (this.#attempts.get(outcome) ?? 0) + 1);
      },
      disabled: (endpoint, reason) => {
        this.#logDisabled(endpoint.webhook.id, reason);
        this.#drop(endpoint);
      },
      report,
    };
  }

  #fanOut(): Promise<boolean> {
    const { storage, log } = this.#parts;
    const term = () => this.#lease.term;
    return fanOut({ storage, log, term, soon: this.#time.soon }, this.#endpoints);
  }

  /** Adds deliveries of new events, and lets endpoints continue that have something due. */
  async #round(): Promise<void> {
    try {
      while (!this.#isEnding && (await this.#fanOut()));
    } catch (error) {
      this.#report(error);
    }
    const now = this.#parts.clock.now();
    for (const endpoint of this.#endpoints.values()) endpoint.wakeIfDue(now);
    await Bun.sleep(ROUND_PAUSE_MS);
  }

  async #savePositions(): Promise<void> {
    const { term } = this.#lease;
    const moved = [...this.#endpoints.values()].filter(
      ({ position, savedPosition }) => position !== savedPosition,
    );
    if (term === undefined || moved.length === 0) return;
    const positions = moved.map(({ webhook, position }) => ({ webhookId: webhook.id, position }));
    await this.#parts.storage.deliveries.savePositions(term, positions);
    moved.forEach((endpoint, n) => {
      endpoint.savedPosition = positions[n]?.position ?? endpoint.savedPosition;
    });
  }

  #dropAll(): void {
    for (const endpoint of [...this.#endpoints.values()]) this.#drop(endpoint);
  }

  #drop(endpoint: Endpoint | undefined): void {
    if (endpoint === undefined) return;
    endpoint.end();
    const { id } = endpoint.webhook;
    if (this.#endpoints.get(id) === endpoint) this.#endpoints.delete(id);
    if (this.#endpoints.size === 0) this.#watch.stop();
  }

  #report(error: unknown): void {
    if (!isUnavailable(error)) {
      this.#parts.log.error('could not deliver events; trying again', error);
    }
  }
}

function statesOf(webhooks: readonly WebhookVersion[]): DeliveryReport['webhooks'] {
  const states = Map.groupBy(webhooks, ({ disabledReason }) => disabledReason ?? 'enabled');
  const counts = WEBHOOK_STATES.map((state) => [state, states.get(state)?.length ?? 0]);
  return Object.fromEntries(counts);
}
