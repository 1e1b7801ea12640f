import type { Random } from '../../e2e/crash/random.ts';
import type { SentHeaders } from '../../support/client.ts';
import type { Times } from './history.ts';
import type { Instance } from './instances.ts';

/** A response that came, with its times. */
export interface ReceivedResponse {
  readonly times: Times;
  readonly status: number;
  readonly etag: string | null;
  /** The target of the next page; undefined on the last page. */
  readonly next: string | undefined;
  /** The parsed body; undefined if empty. */
  readonly json: unknown;
}

/** One of several clients that send requests at the same time. */
export interface Client {
  readonly number: number;
  readonly random: Random;
  /** Sends a request to a random instance. */
  send(method: string, target: string, body?: object, headers?: SentHeaders): Promise<Outcome>;
  /** POSTs under an idempotency key, and retries on other instances until the outcome is known. */
  sendOnce(target: string, body: object): Promise<Outcome>;
}

/** An `unknown` request may have taken effect; an `unsent` one has not. */
export type Outcome =
  | ReceivedResponse
  | { readonly times: Times; readonly status: 'unknown' | 'unsent' };

/** Returns whether a response came that shows whether the request took effect. */
export function isResponse(outcome: Outcome): outcome is ReceivedResponse {
  return typeof outcome.status === 'number';
}

const TRIES_MAX = 50;
const PAUSE_MS = 20;
/** An instance responds within 2 s, whatever its database does. */
const RESPONSE_TIMEOUT_MS = 10_000;
const NEXT_PAGE = /<https?:\/\/[^/]+([^>]+)>; rel="next"/;
let keys = 0;

/** Creates a client that picks a random instance for each request. */
export function createClient(
  number: number,
  instances: readonly Instance[],
  key: string,
  random: Random,
): Client {
  async function send(method: string, target: string, body?: object, headers?: SentHeaders) {
    const call = Bun.nanoseconds();
    const times = () => ({ client: number, call, return: Bun.nanoseconds() });
    const url = random.one(instances.filter((instance) => instance.url !== undefined))?.url;
    if (url === undefined) {
      await Bun.sleep(PAUSE_MS);
      return { times: times(), status: 'unsent' } as const;
    }
    const sent = new Headers(headers);
    sent.set('authorization', `Bearer ${key}`);
    if (body !== undefined) sent.set('content-type', 'application/json');
    try {
      // On a reused connection that turns out to be closed, the runtime retries by itself: a
      // DELETE that succeeded would then get a 404.
      const options = { method, headers: sent, keepalive: false };
      const response = await fetch(url + target, {
        ...options,
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
      });
      const text = await response.text();
      // After a 503 the request may or may not have taken effect.
      if (response.status === 503) {
        return { times: withoutReturn(times()), status: 'unknown' } as const;
      }
      return {
        times: times(),
        status: response.status,
        etag: response.headers.get('etag'),
        next: NEXT_PAGE.exec(response.headers.get('link') ?? '')?.[1],
        json: (text === '' ? undefined : JSON.parse(text)) as unknown,
      };
    } catch (error) {
      const unsent =
        error instanceof Error && 'code' in error && error.code === 'ConnectionRefused';
      return { times: withoutReturn(times()), status: unsent ? 'unsent' : 'unknown' } as const;
    }
  }

  async function sendOnce(target: string, body: object): Promise<Outcome> {
    const headers = { 'idempotency-key': `${number}-${++keys}` };
    let first: Times | undefined;
    let wasSent = false;
    for (let tries = 1; ; tries++) {
      const outcome = await send('POST', target, body, headers);
      first ??= outcome.times;
      const times = { ...outcome.times, call: first.call };
      if (outcome.status !== 'unsent') wasSent = true;
      if (isResponse(outcome) && !isInProgress(outcome)) return { ...outcome, times };
      if (tries === TRIES_MAX) {
        return { times: withoutReturn(times), status: wasSent ? 'unknown' : 'unsent' };
      }
      await Bun.sleep(PAUSE_MS);
    }
  }

  return { number, random, send, sendOnce };
}

/** The operation may take effect at any later time. */
function withoutReturn(times: Times): Times {
  return { ...times, return: null };
}

/** Returns whether another instance is still processing a request with the same key. */
function isInProgress({ status, json }: ReceivedResponse): boolean {
  return status === 409 && (json as { readonly code?: string }).code === 'idempotency_in_progress';
}
