import type { ChangeLog } from '../domain/change-log.ts';
import {
  ATTEMPT_OUTCOMES,
  type AttemptOutcome,
  type DeliveryReport,
  type DeliverySnapshot,
  type DeliveryStorage,
  WEBHOOK_STATES,
  type WebhookVersion,
} from '../domain/delivery.ts';
import type { DisabledReason, Webhook } from '../domain/webhook.ts';
import { systemTime, type WaitTime } from '../events/watch.ts';
import type { Line, Target } from '../jobs/line.ts';
import type { Kind, Runner } from '../jobs/runner.ts';
import type { AttemptParts } from './attempt.ts';
import { fanOut } from './fan-out.ts';
import { createDeliveryQueue, type DeliveryQueue } from './queue.ts';
import { WebhookTarget } from './target.ts';

/** The parts of the delivery. */
export interface DeliveryParts extends AttemptParts {
  readonly storage: { readonly changes: ChangeLog; readonly deliveries: DeliveryStorage };
  readonly log: { warn(message: string, facts?: Record<string, unknown>): void };
  readonly time?: WaitTime | undefined;
}

type RunnerOf = Pick<Runner, 'lines' | 'drop' | 'refresh' | 'term'>;

/** Events for webhooks: a line for each of them that is enabled. */
export class Deliveries implements Kind {
  readonly #parts: DeliveryParts;
  readonly #targets = new Map<bigint, WebhookTarget>();
  readonly #attempts = new Map<AttemptOutcome, number>();
  readonly #queue: DeliveryQueue;
  #runner: RunnerOf | undefined;
  #states: DeliveryReport['webhooks'];
  /** Changes by this process, which may be newer than what is being read. */
  #ownChanges = 0;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    this.#queue = createDeliveryQueue(
      parts.storage.deliveries,
      () => this.#runner?.term,
      parts.clock.now,
    );
  }

  /** Names the runner, which is told of what this process changes. */
  runBy(runner: RunnerOf): void {
    this.#runner = runner;
  }

  report(): DeliveryReport {
    const lines = [...this.#targets.keys()].flatMap((id) => this.#runner?.lines.get(id) ?? []);
    const now = this.#parts.clock.now();
    const sumOf = (count: (line: Line) => number) =>
      lines.reduce((sum, line) => sum + count(line), 0);
    const attempts = ATTEMPT_OUTCOMES.map((each) => [each, this.#attempts.get(each) ?? 0]);
    return {
      webhooks: this.#states,
      held: lines.length,
      sending: sumOf(({ inProgress }) => inProgress),
      queued: sumOf(({ pending }) => pending),
      oldestMs: Math.max(0, ...lines.map(({ oldestAt = now }) => now - oldestAt)),
      // Every key is set.
      attempts: Object.fromEntries(attempts) as DeliveryReport['attempts'],
    };
  }

  /** Applies a change of a webhook that this process has made; undefined if it was removed. */
  changed(id: bigint, webhook: Webhook | undefined): void {
    this.#ownChanges++;
    const target = this.#targets.get(id);
    if (webhook?.disabledReason !== null) this.#drop(id);
    else if (target === undefined) this.#runner?.refresh();
    else {
      target.webhook = webhook;
      this.#runner?.lines.get(id)?.lookForMore();
    }
  }

  isNeeded({ webhooks }: DeliverySnapshot): boolean {
    this.#states = statesOf(webhooks);
    return webhooks.some(({ disabledReason }) => disabledReason === null);
  }

  async targets(
    term: bigint,
    { webhooks }: DeliverySnapshot,
  ): Promise<ReadonlyMap<bigint, WebhookTarget>> {
    const wanted = webhooks.filter(({ disabledReason }) => disabledReason === null);
    const orphans = wanted.filter(({ isOrphan }) => isOrphan).map(({ id }) => id);
    if (orphans.length > 0) await this.#disableOrphans(term, orphans);
    const enabled = wanted.filter(({ isOrphan }) => !isOrphan);
    const ids = new Set(enabled.map(({ id }) => id));
    for (const id of [...this.#targets.keys()]) if (!ids.has(id)) this.#drop(id);
    await this.#load(
      enabled.filter(({ id, revision }) => this.#targets.get(id)?.revision !== revision),
    );
    return this.#targets;
  }

  /** Disables webhooks whose keys have ended, or may no longer have events sent. */
  async #disableOrphans(term: bigint, ids: readonly bigint[]): Promise<void> {
    const { storage, clock } = this.#parts;
    for (const id of ids) this.#drop(id);
    await storage.deliveries.disableOrphans(term, ids, clock.now());
    for (const id of ids) this.#logDisabled(id, 'key');
  }

  /** Loads webhooks that are new here, or were changed. */
  async #load(versions: readonly WebhookVersion[]): Promise<void> {
    if (versions.length === 0) return;
    const ownChanges = this.#ownChanges;
    const loaded = await this.#parts.storage.deliveries.load(versions.map(({ id }) => id));
    // Otherwise some may be older than what this process has stored since.
    if (ownChanges !== this.#ownChanges) return;
    const count = (outcome: AttemptOutcome) =>
      void this.#attempts.set(outcome, (this.#attempts.get(outcome) ?? 0) + 1);
    const parts = { ...this.#parts, queue: this.#queue, count };
    for (const each of loaded) {
      const known = this.#targets.get(each.webhook.id);
      if (known === undefined) {
        this.#targets.set(each.webhook.id, new WebhookTarget(each, parts));
        continue;
      }
      known.webhook = each.webhook;
      known.revision = each.revision;
      this.#runner?.lines.get(each.webhook.id)?.lookForMore();
    }
  }

  add(term: bigint, lines: ReadonlyMap<bigint, Line>): Promise<boolean> {
    const { storage, log, time = systemTime } = this.#parts;
    return fanOut({ storage, log, term, soon: time.soon }, this.#targets, lines);
  }

  async save(term: bigint): Promise<void> {
    const moved = [...this.#targets.values()].filter(
      ({ position, savedPosition }) => position !== savedPosition,
    );
    if (moved.length === 0) return;
    const positions = moved.map(({ webhook, position }) => ({ webhookId: webhook.id, position }));
    await this.#parts.storage.deliveries.savePositions(term, positions);
    moved.forEach((target, n) => {
      target.savedPosition = positions[n]?.position ?? target.savedPosition;
    });
  }

  disabled(target: Target): void {
    if (!(target instanceof WebhookTarget)) return;
    const { disable } = target;
    if (disable !== undefined) this.#logDisabled(target.webhook.id, disable.reason);
    this.#targets.delete(target.webhook.id);
  }

  forget(): void {
    this.#targets.clear();
  }

  #drop(id: bigint): void {
    this.#targets.delete(id);
    this.#runner?.drop(this.#runner.lines.get(id));
  }

  #logDisabled(id: bigint, reason: DisabledReason): void {
    this.#parts.log.warn('a webhook was disabled', { webhookId: String(id), reason });
  }
}

function statesOf(webhooks: readonly WebhookVersion[]): DeliveryReport['webhooks'] {
  const states = Map.groupBy(webhooks, ({ disabledReason }) => disabledReason ?? 'enabled');
  const counts = WEBHOOK_STATES.map((state) => [state, states.get(state)?.length ?? 0]);
  return Object.fromEntries(counts);
}
