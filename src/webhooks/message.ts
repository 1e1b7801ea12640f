import { createHmac } from 'node:crypto';
import { type Clock, SECOND_MS } from '../domain/clock.ts';
import { Failure } from '../domain/failure.ts';
import type { TestOutcome, Webhook } from '../domain/webhook.ts';
import type { SendOutcome, WebhookClient } from './client.ts';
import { type SecretCipher, signingKey, UnreadableSecret } from './secrets.ts';

const USER_AGENT = 'Petstore-Webhooks/1';

/** Tests in progress at once in this process. Each holds a request for up to 15 seconds. */
const TESTS_MAX = 8;
/** The same of one owner, so that nobody takes all places. */
const OWN_TESTS_MAX = 2;
/** After this time a test that is in progress has ended. */
const TEST_RETRY_SECONDS = 15;

/** What a receiver gets. */
interface WebhookMessage {
  /** The same at every attempt. */
  readonly id: string;
  readonly body: string;
}

/** Signs and sends one message. */
export type SendMessage = (
  webhook: Webhook,
  message: WebhookMessage,
  signal?: AbortSignal,
) => Promise<SendOutcome>;

/** Creates the function that signs with every valid secret of a webhook and sends. */
export function createSendMessage(
  client: Pick<WebhookClient, 'send'>,
  cipher: Pick<SecretCipher, 'decrypt'>,
  clock: Clock,
): SendMessage {
  return async (webhook, message, signal) => {
    const now = clock.now();
    let secrets: readonly string[];
    try {
      secrets = secretsOf(webhook, cipher, now);
    } catch (error) {
      if (!(error instanceof UnreadableSecret)) throw error;
      return { failure: 'unreadable_secret', reason: error.message, milliseconds: 0 };
    }
    const timestampSeconds = Math.floor(now / SECOND_MS);
    const headers = {
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      ...webhookHeaders({ ...message, timestampSeconds }, secrets),
    };
    return await client.send({ url: webhook.url, headers, body: message.body }, signal);
  };
}

/** Returns the secrets that sign now, the newest first. */
function secretsOf(
  { id, secret, oldSecret, oldSecretUntil }: Webhook,
  cipher: Pick<SecretCipher, 'decrypt'>,
  now: number,
): readonly string[] {
  const newest = cipher.decrypt(secret, id);
  const isOldValid = oldSecret !== null && oldSecretUntil !== null && now < oldSecretUntil;
  return isOldValid ? [newest, cipher.decrypt(oldSecret, id)] : [newest];
}

/**
 * Returns the headers of Standard Webhooks 1.0, with a signature by each secret. `timestampSeconds` is
 * the time of the attempt since 1970; receivers accept five minutes.
 */
export function webhookHeaders(
  { id, timestampSeconds, body }: WebhookMessage & { readonly timestampSeconds: number },
  secrets: readonly string[],
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const signatures = secrets.map((secret) => {
    const signed = createHmac('sha256', signingKey(secret)).update(
      `${id}.${timestampSeconds}.${body}`,
    );
    return `v1,${signed.digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': `${timestampSeconds}`,
    'webhook-signature': signatures.join(' '),
  };
}

/** Creates the tests of webhooks in this process: one at a time for each webhook, two for each owner. */
export function createWebhookTests(send: SendMessage, clock: Clock) {
  /** The owners of the webhooks that are tested. */
  const inProgress = new Map<bigint, Webhook['ownerId']>();

  /** Throws `service_unavailable` if a test of this webhook cannot start now. */
  function requireSlot({ id, ownerId }: Webhook): void {
    if (inProgress.has(id)) {
      throw unavailable('A test of this webhook is in progress: try again when it has ended.');
    }
    const own = ownerId === null ? [] : [...inProgress.values()].filter((it) => it === ownerId);
    if (own.length >= OWN_TESTS_MAX) {
      throw unavailable(
        `${OWN_TESTS_MAX} tests of yours are in progress: try again when one has ended.`,
      );
    }
    if (inProgress.size >= TESTS_MAX) {
      throw unavailable(`${TESTS_MAX} tests are in progress: try again when one has ended.`);
    }
  }

  return {
    requireSlot,
    /** Sends `webhook.test`. Throws like `requireSlot`. */
    async test(webhook: Webhook): Promise<TestOutcome> {
      requireSlot(webhook);
      inProgress.set(webhook.id, webhook.ownerId);
      try {
        return await sendTest(send, webhook, clock.now());
      } finally {
        inProgress.delete(webhook.id);
      }
    },
  };
}

function unavailable(message: string): Failure {
  return new Failure('service_unavailable', message, { retryAfterSeconds: TEST_RETRY_SECONDS });
}

/** Sends `webhook.test`, which is no event: it has an id of its own, and is in no log. */
async function sendTest(send: SendMessage, webhook: Webhook, now: number): Promise<TestOutcome> {
  const timestamp = new Date(now).toISOString();
  const data = { webhookId: Number(webhook.id) };
  const body = JSON.stringify({ type: 'webhook.test', timestamp, data });
  const outcome = await send(webhook, { id: `test_${crypto.randomUUID()}`, body });
  const { milliseconds } = outcome;
  if ('failure' in outcome) return { isDelivered: false, error: outcome.reason, milliseconds };
  const { status } = outcome;
  if (isSuccess(status)) return { isDelivered: true, status, milliseconds };
  return { isDelivered: false, status, error: rejection(status), milliseconds };
}

/** Returns whether the receiver has accepted a message. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Says that a receiver has not accepted a message. */
export function rejection(status: number): string {
  return `The receiver responded with ${status}.`;
}
