import type { Random } from '../../e2e/crash/random.ts';
import type { SentHeaders } from '../../support/client.ts';
import type { Times } from './history.ts';
import type { Instance } from './instances.ts';

/** An answer, and when it was. */
export interface Answer {
  readonly times: Times;
  readonly status: number;
  readonly etag: string | null;
  /** The target of the page after this one, where a list has more. */
  readonly next: string | undefined;
  /** The body; undefined where there is none. */
  readonly json: unknown;
}

/** One of several that ask at the same time. */
export interface Client {
  readonly number: number;
  readonly random: Random;
  /** Asks any instance. Gives when it asked in vain, where no answer came or none that tells. */
  ask(method: string, target: string, body?: object, headers?: SentHeaders): Promise<Reply>;
  /** The same under an idempotency key: asks one instance after the other until one tells. */
  askOnce(target: string, body: object): Promise<Reply>;
}

/** `untold` is what may have had an effect, `unsent` what had none. */
export type Reply = Answer | { readonly times: Times; readonly status: 'untold' | 'unsent' };

/** Whether the answer came, and tells whether there was an effect. */
export function isAnswer(reply: Reply): reply is Answer {
  return typeof reply.status === 'number';
}

const TRIES_MAX = 50;
const PAUSE_MS = 20;
/** An instance must answer within 2 s, whatever its database does. */
const PATIENCE_MS = 10_000;
const NEXT_PAGE = /<https?:\/\/[^/]+([^>]+)>; rel="next"/;
let keys = 0;

/** Makes a client that chooses one of the instances for each request. */
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
    const all = new Headers(headers);
    all.set('authorization', `Bearer ${key}`);
    if (body !== undefined) all.set('content-type', 'application/json');
    try {
      // A connection that was used before could be found closed; then the runtime would by itself
      // ask a second time, and a DELETE that succeeded would be answered with 404.
      const options = { method, headers: all, keepalive: false };
      const response = await fetch(url + target, {
        ...options,
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      const text = await response.text();
      // A 503 does not tell whether there was an effect.
      if (response.status === 503) return { times: untold(times()), status: 'untold' } as const;
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
      return { times: untold(times()), status: unsent ? 'unsent' : 'untold' } as const;
    }
  }

  async function askOnce(target: string, body: object): Promise<Reply> {
    const headers = { 'idempotency-key': `${number}-${++keys}` };
    let first: Times | undefined;
    let wasSent = false;
    for (let tries = 1; ; tries++) {
      const reply = await send('POST', target, body, headers);
      first ??= reply.times;
      const times = { ...reply.times, call: first.call };
      if (reply.status !== 'unsent') wasSent = true;
      if (isAnswer(reply) && !isUnderWay(reply)) return { ...reply, times };
      if (tries === TRIES_MAX)
        return { times: untold(times), status: wasSent ? 'untold' : 'unsent' };
      await Bun.sleep(PAUSE_MS);
    }
  }

  return { number, random, ask: send, askOnce };
}

function untold(times: Times): Times {
  return { ...times, return: null };
}

/** Whether another instance is still at work on a request with the same key. */
function isUnderWay({ status, json }: Answer): boolean {
  return status === 409 && (json as { readonly code?: string }).code === 'idempotency_in_progress';
}
