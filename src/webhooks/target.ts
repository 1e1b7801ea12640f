import type { ChangeType } from '../domain/change-log.ts';
import { DAY_MS } from '../domain/clock.ts';
import type {
  AttemptOutcome,
  AttemptRecord,
  LoadedWebhook,
  NextDelivery,
} from '../domain/delivery.ts';
import type { Webhook } from '../domain/webhook.ts';
import type { Target } from '../jobs/line.ts';
import { type AttemptParts, attemptDelivery, type WebhookResult } from './attempt.ts';

/** An endpoint without a success for this long is disabled. */
const FAILING_MAX_MS = 5 * DAY_MS;

/** The endpoint of a webhook, while this process delivers to it. */
export class WebhookTarget implements Target {
  webhook: Webhook;
  revision: bigint;
  /** Every event up to this one has a delivery, or is not wanted. */
  position: bigint;
  /** The position that is stored. */
  savedPosition: bigint;
  readonly #parts: AttemptParts;
  readonly #count: (outcome: AttemptOutcome) => void;
  #disable: AttemptRecord['disable'];

  constructor(
    { webhook, revision, position }: LoadedWebhook,
    parts: AttemptParts,
    count: (outcome: AttemptOutcome) => void,
  ) {
    this.webhook = webhook;
    this.revision = revision;
    this.position = position;
    this.savedPosition = position;
    this.#parts = parts;
    this.#count = count;
  }

  get address(): string {
    return this.webhook.url;
  }

  wants(type: ChangeType): boolean {
    return this.webhook.types?.includes(type) ?? true;
  }

  attempt(delivery: NextDelivery, signal: AbortSignal): Promise<WebhookResult | undefined> {
    return attemptDelivery(this.#parts, this.webhook, delivery, signal);
  }

  attempted({ outcome }: WebhookResult): void {
    this.#count(outcome);
  }

  note({ delivery, isGone }: WebhookResult, now: number): void {
    if (delivery.status === 'delivered') {
      this.webhook = { ...this.webhook, lastSuccessAt: now, failingSince: null };
      return;
    }
    const failingSince = this.webhook.failingSince ?? now;
    this.webhook = { ...this.webhook, failingSince };
    if (isGone) this.#disable = { reason: 'gone', at: now };
    else if (now - failingSince >= FAILING_MAX_MS) this.#disable ??= { reason: 'failing', at: now };
  }

  health(): ReturnType<Target['health']> {
    const { lastSuccessAt, failingSince } = this.webhook;
    return { lastSuccessAt, failingSince, disable: this.#disable };
  }
}
