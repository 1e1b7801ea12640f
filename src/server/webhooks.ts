import { eventText } from '../api/resources/events.ts';
import type { ChangeLog, LoggedChange } from '../domain/change-log.ts';
import { type Clock, SECOND_MS } from '../domain/clock.ts';
import { Failure } from '../domain/failure.ts';
import type { MailReport } from '../domain/mail.ts';
import type { Storage } from '../domain/storage.ts';
import type { Webhook, WebhookService } from '../domain/webhook.ts';
import { Runner, type RunnerParts } from '../jobs/runner.ts';
import { createSchedule } from '../jobs/schedule.ts';
import type { Mails } from '../mail/mails.ts';
import type { Config } from '../settings/config.ts';
import type { Log } from '../telemetry/log.ts';
import { createWebhookClient, type SendOutcome, type WebhookClient } from '../webhooks/client.ts';
import { Deliveries, type DeliveryParts as KindParts } from '../webhooks/deliveries.ts';
import { createSendMessage, createWebhookTests, type SendMessage } from '../webhooks/message.ts';
import {
  createSecretCipher,
  encryptStoredSecrets,
  newWebhookSecret,
  type Secretive,
  type SecretiveStorage,
} from '../webhooks/secrets.ts';
import { waitFor } from './import-photos.ts';

/** What this process needs of webhooks besides their storage. */
export interface RunningWebhookService extends WebhookService {
  /** Signs and sends one message. */
  readonly send: SendMessage;
  readonly getFile: WebhookClient['getFile'];
  close(): void;
}

/** Creates the service that the settings describe. Tells `changed` of changes of webhooks. */
export function createWebhookService(
  config: Config,
  clock: Clock,
  changed: WebhookService['changed'] = () => {},
): RunningWebhookService {
  const client = createWebhookClient(config);
  const cipher = createSecretCipher(config.secretKey);
  const send = createSendMessage(client, cipher, clock);
  const tests = createWebhookTests(send, clock);
  return {
    send,
    getFile: client.getFile,
    problemOf: client.problemOf,
    newSecret: newWebhookSecret,
    encrypt: cipher.encrypt,
    isReadable: cipher.isReadable,
    requireTestSlot: tests.requireSlot,
    test: tests.test,
    changed,
    close: client.close,
  };
}

interface DeliveryParts {
  readonly webhooks: Pick<RunningWebhookService, 'send'>;
  readonly storage: Storage;
  readonly fence: { isFenced(): boolean };
  readonly clock: Clock;
  readonly log: Log;
}

/** What is sent while the service runs. */
export interface RunningDeliveries extends Pick<Deliveries, 'report' | 'changed'> {
  /** The mails; undefined if none are sent. */
  mails(): MailReport | undefined;
  end(): Promise<void>;
}

/** Starts to deliver events to webhooks, and mails. */
export function startConfiguredDeliveries(
  config: Config,
  { webhooks, ...parts }: DeliveryParts,
  mails: Mails | undefined,
): RunningDeliveries {
  const given = {
    ...parts,
    send: webhooks.send,
    schedule: createSchedule(config.webhookScheduleMs, Math.random),
    bodyOf: eventText,
    isFenced: parts.fence.isFenced,
  };
  return startDeliveries(given, mails);
}

/** Starts to deliver, while this process is the leader. */
export function startDeliveries(parts: KindParts & RunnerParts, mails?: Mails): RunningDeliveries {
  const deliveries = new Deliveries(parts);
  const runner = new Runner(parts, [deliveries, ...(mails === undefined ? [] : [mails])]);
  deliveries.runBy(runner);
  mails?.runBy(runner);
  runner.start();
  return {
    report: () => deliveries.report(),
    mails: () => mails?.report(),
    changed: (id, webhook) => deliveries.changed(id, webhook),
    end: () => runner.end(),
  };
}

/**
 * Encrypts secrets that were stored before `PETSTORE_SECRET_KEY` was set or changed. A failure is
 * logged: the secrets stay readable, and the next start tries again.
 */
export async function encryptSecrets(
  { secretKey }: Pick<Config, 'secretKey'>,
  { storage, log }: Pick<DeliveryParts, 'storage' | 'log'>,
): Promise<void> {
  async function encrypt<Row extends Secretive>(
    record: 'webhook' | 'channel',
    get: string,
    records: SecretiveStorage<Row>,
  ): Promise<void> {
    try {
      const cipher = createSecretCipher(secretKey, record);
      const { encrypted, unreadable } = await encryptStoredSecrets(records, cipher);
      if (encrypted > 0) {
        log.info(`secrets of ${record}s were encrypted with the first PETSTORE_SECRET_KEY`, {
          [`${record}s`]: encrypted,
        });
      }
      if (unreadable.length > 0) {
        log.warn(`${record}s get no ${get}: PETSTORE_SECRET_KEY does not decrypt their secrets`, {
          [`${record}Ids`]: unreadable.map(String),
        });
      }
    } catch (error) {
      log.error(`could not encrypt the secrets of ${record}s`, error);
    }
  }
  await encrypt('webhook', 'events', storage.webhooks);
  await encrypt('channel', 'files', storage.channels);
}

/** How often the log is read for events that happened meanwhile. */
const PAUSE_MS = SECOND_MS / 2;
const EVENTS_MAX = 100;

/** What forwarding needs. */
interface ForwardingParts {
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
    await waitFor(PAUSE_MS, signal);
  }
}
