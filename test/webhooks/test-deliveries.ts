import type { ChangeType } from '../../src/domain/change-log.ts';
import type { Storage } from '../../src/domain/storage.ts';
import type { Webhook } from '../../src/domain/webhook.ts';
import type { WaitTime } from '../../src/events/watch.ts';
import { createSchedule } from '../../src/jobs/schedule.ts';
import { type RunningDeliveries, startDeliveries } from '../../src/server/webhooks.ts';
import type { SendOutcome } from '../../src/webhooks/client.ts';
import type { SendMessage } from '../../src/webhooks/message.ts';
import { openSubject, type Subject } from '../storage/subject.ts';
import { createTestClock, type TestClock } from '../support/clock.ts';
import type { TestEngine } from '../support/engines.ts';

/** A message that arrived at a test receiver. */
export interface Arrived {
  readonly webhookId: bigint;
  readonly url: string;
  /** The id of the event. */
  readonly id: string;
}

/** What a test receiver responds; a promise lets it hang. */
export type Respond = (message: Arrived) => SendOutcome | Promise<SendOutcome>;

export const OK: SendOutcome = { status: 200, body: '', milliseconds: 1 };
export const ERROR: SendOutcome = { status: 500, body: 'no', milliseconds: 1 };

/** Deliveries with their database, whose messages arrive in this process. */
export interface TestDeliveries extends AsyncDisposable {
  readonly subject: Subject;
  readonly storage: Storage;
  readonly clock: TestClock;
  readonly arrived: Arrived[];
  readonly warnings: string[];
  respond: Respond;
  running: RunningDeliveries;
  webhook(types?: readonly ChangeType[]): Promise<Webhook>;
  /** Starts them once more on the same database. */
  another(storage: Storage, time?: WaitTime): RunningDeliveries;
}

/** Starts deliveries. The waits of its schedule are 5 and 60 seconds of the test clock. */
export async function startTestDeliveries(engine: TestEngine): Promise<TestDeliveries> {
  const subject = await openSubject(engine);
  const clock = createTestClock();
  const arrived: Arrived[] = [];
  const warnings: string[] = [];
  const send: SendMessage = async ({ id: webhookId, url }, { id }, signal) => {
    const message = { webhookId, url, id };
    arrived.push(message);
    const cutOff = new Promise<SendOutcome>((resolve) => {
      const end = () => resolve({ failure: 'aborted', reason: 'stopping', milliseconds: 1 });
      signal?.addEventListener('abort', end);
    });
    return await Promise.race([deliveries.respond(message), cutOff]);
  };
  const another: TestDeliveries['another'] = (storage, time) =>
    startDeliveries({
      storage,
      send,
      clock,
      ...(time && { time }),
      schedule: createSchedule([5_000, 60_000], () => 0),
      bodyOf: ({ id }) => String(id),
      isFenced: () => false,
      log: {
        warn: (message, facts) => void warnings.push(`${message} ${JSON.stringify(facts)}`),
        error: (message, error) => void warnings.push(`${message} ${error}`),
      },
    });
  const deliveries: TestDeliveries = {
    subject,
    clock,
    arrived,
    warnings,
    another,
    storage: subject.storage,
    respond: () => OK,
    running: another(subject.storage),
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
      await deliveries.running.end();
      await subject[Symbol.asyncDispose]();
    },
  };
  return deliveries;
}
