import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** Creates a secret: `whsec_` and base64 of 32 random bytes. */
export function newWebhookSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** The signed content. */
export interface WebhookMessage {
  /** The same at every attempt. */
  readonly id: string;
  /** The time of the attempt, in whole seconds since 1970. Receivers accept five minutes. */
  readonly timestampSeconds: number;
  readonly body: string;
}

/** The headers of Standard Webhooks 1.0. */
export type WebhookSignatureHeaders = Readonly<
  Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>
>;

/** Signs a message with every secret that is valid, the newest first. */
export function webhookHeaders(
  { id, timestampSeconds, body }: WebhookMessage,
  secrets: readonly string[],
): WebhookSignatureHeaders {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    const signed = createHmac('sha256', key).update(`${id}.${timestampSeconds}.${body}`);
    return `v1,${signed.digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': `${timestampSeconds}`,
    'webhook-signature': signatures.join(' '),
  };
}
