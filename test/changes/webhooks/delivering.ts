import type { WaitTime } from '../../../src/changes/watch.ts';
import type { SendMessage } from '../../../src/changes/webhooks/attempt.ts';
import { type Deliverer, startDeliverer } from '../../../src/changes/webhooks/deliverer.ts';
import { createSchedule } from '../../../src/changes/webhooks/schedule.ts';
import type { WebhookOutcome } from '../../../src/changes/webhooks/sender.ts';
import type { ChangeType } from '../../../src/domain/change-log.ts';
import type { Storage } from '../../../src/domain/storage.ts';
import type { Webhook } from '../../../src/domain/webhook.ts';
import { openSubject, type Subject } from '../../storage/subject.ts';
import { createTestClock, type TestClock } from '../../support/clock.ts';
import type { TestEngine } from '../../support/engines.ts';

/** A message that arrived at a test receiver. */
export interface Arrived {
  readonly webhookId: bigint;
  readonly url: string;
  /** The id of the event. */
  readonly id: string;
}

/** What a test receiver responds; a promise lets it hang. */
export type Respond = (message: Arrived) => WebhookOutcome | Promise<WebhookOutcome>;

export const OK: WebhookOutcome = { status: 200, body: '', milliseconds: 1 };
export const ERROR: WebhookOutcome = { status: 500, body: 'no', milliseconds: 1 };

/** A deliverer with its database, whose messages arrive in this process. */
export interface Delivering extends AsyncDisposable {
  readonly subject: Subject;
  readonly storage: Storage;
  readonly clock: TestClock;
  readonly arrived: Arrived[];
  readonly warnings: string[];
  respond: Respond;
  deliverer: Deliverer;
  webhook(types?: readonly ChangeType[]): Promise<Webhook>;
  /** Starts another deliverer on the same database. */
  another(storage: Storage, time?: WaitTime): Deliverer;
}

/** Starts a deliverer. The waits of its schedule are 5 and 60 seconds of the test clock. */
export async function startDelivering(engine: TestEngine): Promise<Delivering> {
  const subject = await openSubject(engine);
  const clock = createTestClock();
  const arrived: Arrived[] = [];
  const warnings: string[] = [];
  const send: SendMessage = async ({ id: webhookId, url }, { id }, signal) => {
    const message = { webhookId, url, id };
    arrived.push(message);
    const cutOff = new Promise<WebhookOutcome>((resolve) => {
      const end = () => resolve({ failure: 'aborted', reason: 'stopping', milliseconds: 1 });
      signal?.addEventListener('abort', end);
    });
    return await Promise.race([delivering.respond(message), cutOff]);
  };
  const another: Delivering['another'] = (storage, time) =>
    startDeliverer({
      ...{ storage, send, clock, ...(time && { time }) },
      random: Math.random,
      schedule: createSchedule([5_000, 60_000], () => 0),
      bodyOf: ({ id }) => String(id),
      isFenced: () => false,
      log: {
        info() {},
        warn: (message, facts) => void warnings.push(`${message} ${JSON.stringify(facts)}`),
        error: (message, error) => void warnings.push(`${message} ${error}`),
      },
    });
  const delivering: Delivering = {
    ...{ subject, clock, arrived, warnings, another },
    storage: subject.storage,
    respond: () => OK,
    deliverer: another(subject.storage),
    webhook: async (types) =>
      await subject.storage.webhooks.create(
        {
          url: 'https://partner.example/events',
          types: types ?? null,
          description: null,
          createdAt: clock.now(),
        },
        () => 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      ),
    async [Symbol.asyncDispose]() {
      await delivering.deliverer.end();
      await subject[Symbol.asyncDispose]();
    },
  };
  return delivering;
}
