import { eventText } from './api/resources/events.ts';
import { createSendMessage, type SendMessage, sendTest } from './changes/webhooks/attempt.ts';
import { type Deliverer, startDeliverer } from './changes/webhooks/deliverer.ts';
import { encryptStoredSecrets } from './changes/webhooks/encrypt-stored.ts';
import { createSchedule } from './changes/webhooks/schedule.ts';
import { createSecretCipher } from './changes/webhooks/secret-cipher.ts';
import { createWebhookSender } from './changes/webhooks/sender.ts';
import { newWebhookSecret } from './changes/webhooks/signature.ts';
import { createTestSlots } from './changes/webhooks/test-slots.ts';
import type { Config } from './config.ts';
import type { Clock } from './domain/clock.ts';
import type { Storage } from './domain/storage.ts';
import type { WebhookSending } from './domain/webhook.ts';
import type { Log } from './telemetry/log.ts';

/** The sending of webhooks; one for each process. */
export interface Sending extends WebhookSending {
  /** Signs and sends one message. */
  readonly send: SendMessage;
  close(): void;
}

/** Creates the sending that the settings describe. */
export function createSending(config: Config, clock: Clock): Sending {
  const sender = createWebhookSender(config);
  const cipher = createSecretCipher(config.secretKeys);
  const send = createSendMessage(sender, cipher, clock);
  const tests = createTestSlots();
  return {
    send,
    problemOf: sender.problemOf,
    newSecret: newWebhookSecret,
    seal: cipher.encrypt,
    isReadable: cipher.isReadable,
    requireTestSlot: tests.require,
    test: (webhook) => tests.run(webhook.id, () => sendTest(send, webhook, clock.now())),
    close: sender.close,
  };
}

interface DeliveryParts {
  readonly webhooks: Pick<Sending, 'send'>;
  readonly storage: Storage;
  readonly fence: { isFenced(): boolean };
  readonly clock: Clock;
  readonly log: Log;
}

/** Starts to deliver events to webhooks. */
export function startDelivery(
  config: Config,
  { webhooks, storage, fence, clock, log }: DeliveryParts,
): Deliverer {
  const random = Math.random;
  return startDeliverer({
    ...{ send: webhooks.send, storage, clock, log, random },
    schedule: createSchedule(config.webhookScheduleMs, random),
    bodyOf: eventText,
    isFenced: fence.isFenced,
  });
}

/**
 * Encrypts secrets that were stored before `PETSTORE_SECRET_KEY` was set or changed. A failure is
 * logged: the secrets stay readable, and the next start tries again.
 */
export async function encryptSecrets(
  { secretKeys }: Pick<Config, 'secretKeys'>,
  { storage, log }: Pick<DeliveryParts, 'storage' | 'log'>,
): Promise<void> {
  try {
    const cipher = createSecretCipher(secretKeys);
    const { encrypted, unreadable } = await encryptStoredSecrets(storage.webhooks, cipher);
    if (encrypted > 0) {
      log.info('secrets of webhooks were encrypted with the first PETSTORE_SECRET_KEY', {
        webhooks: encrypted,
      });
    }
    if (unreadable.length > 0) {
      log.warn('webhooks get no events: PETSTORE_SECRET_KEY does not decrypt their secrets', {
        webhookIds: unreadable.map(String),
      });
    }
  } catch (error) {
    log.error('could not encrypt the secrets of webhooks', error);
  }
}
