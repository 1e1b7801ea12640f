import type { ChangeType } from '../domain/change-log.ts';
import { DAY_MS } from '../domain/clock.ts';
import type { AttemptOutcome, AttemptRecord, LoadedWebhook } from '../domain/delivery.ts';
import type { Webhook } from '../domain/webhook.ts';
import type { PendingJobs, Target } from '../jobs/line.ts';
import { type AttemptParts, attemptDelivery, type WebhookResult } from './attempt.ts';
import type { DeliveryQueue } from './queue.ts';

/** An endpoint without a success for this long is disabled. */
const FAILING_MAX_MS = 5 * DAY_MS;

/** What the endpoints of all webhooks share. */
interface TargetParts extends AttemptParts {
  readonly queue: DeliveryQueue;
  count(outcome: AttemptOutcome): void;
}

/** The endpoint of a webhook, while this process delivers to it. */
export class WebhookTarget implements Target {
  webhook: Webhook;
  revision: bigint;
  /** Every event up to this one has a delivery, or is not wanted. */
  position: bigint;
  /** The position that is stored. */
  savedPosition: bigint;
  /** Why it gets no more attempts. */
  disable: AttemptRecord['disable'];
  readonly #parts: TargetParts;

  constructor({ webhook, revision, position }: LoadedWebhook, parts: TargetParts) {
    this.webhook = webhook;
    this.revision = revision;
    this.position = position;
    this.savedPosition = position;
    this.#parts = parts;
  }

  get address(): string {
    return this.webhook.url;
  }

  wants(type: ChangeType): boolean {
    return this.webhook.types?.includes(type) ?? true;
  }

  isDisabled(): boolean {
    return this.disable !== undefined;
  }

  async pending(unfinished: number): Promise<PendingJobs | undefined> {
    const found = await this.#parts.queue.pending({ id: this.webhook.id, unfinished });
    const next = found?.next.map((delivery) => ({
      id: delivery.eventId,
      nextAttemptAt: delivery.nextAttemptAt,
      attempt: async (signal: AbortSignal) => {
        const result = await attemptDelivery(this.#parts, this.webhook, delivery, signal);
        return result && { ...result, status: result.delivery.status };
      },
    }));
    return found && { ...found, next: next ?? [] };
  }

  async record({ outcome, delivery }: WebhookResult, hasRecovered: boolean): Promise<boolean> {
    const { queue, count } = this.#parts;
    const { id, lastSuccessAt, failingSince } = this.webhook;
    const health = { lastSuccessAt, failingSince, disable: this.disable };
    const isStored = await queue.record({ webhookId: id, delivery, ...health, hasRecovered });
    count(outcome);
    return isStored;
  }

  note({ delivery, isGone }: WebhookResult, now: number): void {
    if (delivery.status === 'delivered') {
      this.webhook = { ...this.webhook, lastSuccessAt: now, failingSince: null };
      return;
    }
    const failingSince = this.webhook.failingSince ?? now;
    this.webhook = { ...this.webhook, failingSince };
    if (isGone) this.disable = { reason: 'gone', at: now };
    else if (now - failingSince >= FAILING_MAX_MS) this.disable ??= { reason: 'failing', at: now };
  }
}
