import type { Event } from './generated/types.ts';
import { readJson } from './json.ts';

/** What a webhook delivers: an event as `events.list` shows it, or the one of a test. */
export type WebhookEvent = Event | { readonly type: 'webhook.test'; readonly timestamp: string };

/** Headers as `fetch` has them. */
interface FetchHeaders {
  get(name: string): string | null;
}

/** The headers of a request: of `fetch`, or of Node. */
export type WebhookHeaders =
  | FetchHeaders
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request that the service did not send, or not just now. Respond with 400 and do nothing. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

const TOLERANCE_S = 300;

/**
 * Checks that a request comes from the service, as Standard Webhooks 1.0 says, and returns its event.
 * `body` is exactly what arrived; `secret` starts with `whsec_`. Throws `WebhookVerificationError`.
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secret: string,
): Promise<WebhookEvent> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  const age = Date.now() / 1000 - Number(timestamp);
  // Not a number is no recent time either.
  if (!(Math.abs(age) <= TOLERANCE_S)) {
    throw new WebhookVerificationError('The timestamp is not of the last or next five minutes.');
  }
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  const key = await crypto.subtle.importKey('raw', bytes, HMAC, false, ['verify']);
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const signature of signatures.split(' ')) {
    const [version, value = ''] = signature.split(',');
    // It compares in constant time.
    if (version === 'v1' && (await crypto.subtle.verify('HMAC', key, fromBase64(value), signed))) {
      // The signature says that it comes from the service.
      return readJson(text) as WebhookEvent;
    }
  }
  throw new WebhookVerificationError('No signature fits the body and the secret.');
}

const HMAC = { name: 'HMAC', hash: 'SHA-256' };

function isHeaders(headers: WebhookHeaders): headers is FetchHeaders {
  return typeof headers.get === 'function';
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = isHeaders(headers) ? headers.get(name) : [headers[name]].flat()[0];
  if (value) return value;
  throw new WebhookVerificationError(`The header ${name} is missing.`);
}

/** The bytes of base64; none if it is not base64. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
