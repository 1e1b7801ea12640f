import { PetstoreError } from './error.ts';
import { readJson, writeJson } from './json.ts';
import { responseError } from './response-error.ts';
import { aborted, type Patience, withRetries } from './retry.ts';

/** Where the service is, who calls it, and with how much patience. */
export interface PetstoreOptions extends Partial<Patience> {
  /** The address up to and with `/v1`. In a browser it may be a path. */
  readonly baseUrl: string;
  /** Left out if a server in between adds the key. */
  readonly apiKey?: string | undefined;
  /** Replaces the `fetch` of the runtime. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** Options of every call. */
export interface CallOptions {
  /** Ends the call with the code `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** The time for one attempt, in milliseconds, instead of that of the client. */
  readonly timeout?: number | undefined;
}

/** A request without address and key. */
export interface Call {
  readonly method: string;
  /** The path after the base address, with its query. */
  readonly target: string;
  readonly body?: unknown;
  readonly ifMatch?: string | undefined;
  /** With a key, a write may be tried again. */
  readonly idempotencyKey?: string | undefined;
  /** Milliseconds that the service may wait before it responds. */
  readonly wait?: number;
}

/** A successful response. */
export interface Reply {
  /** The parsed body; undefined if there is none. */
  readonly body: unknown;
  readonly headers: Headers;
}

/** Sends requests, again if needed. */
export class Transport {
  readonly patience: Patience;
  readonly #options: PetstoreOptions;

  constructor(options: PetstoreOptions) {
    const { retries = 2, timeout = 10_000, deadline = 60_000, maxWait = 30_000 } = options;
    this.patience = { retries, timeout, deadline, maxWait };
    this.#options = options;
  }

  /** Sends a request. Throws a `PetstoreError` if there is no success. */
  async send(call: Call, { signal, timeout }: CallOptions = {}): Promise<Reply> {
    const wait = call.wait ?? 0;
    const init = this.#init(call);
    // The client's deadline must not cut a call that may take longer.
    const deadline = Math.max(this.patience.deadline, timeout ?? 0) + wait;
    const patience = { ...this.patience, deadline };
    if (call.method !== 'GET' && call.idempotencyKey === undefined) patience.retries = 0;
    const longest = (timeout ?? patience.timeout) + wait;
    return withRetries(
      (left) => this.#attempt(call.target, init, Math.min(longest, left), signal),
      patience,
      signal,
    );
  }

  #init({ method, body, ifMatch, idempotencyKey }: Call): RequestInit {
    const { apiKey } = this.#options;
    const headers: Record<string, string> = {};
    if (apiKey) headers['authorization'] = `Bearer ${apiKey}`;
    if (ifMatch) headers['if-match'] = ifMatch;
    if (idempotencyKey) headers['idempotency-key'] = idempotencyKey;
    // A redirected POST would become a GET.
    const init: RequestInit = { method, headers, redirect: 'manual' };
    if (body instanceof Blob) {
      headers['content-type'] = body.type;
      init.body = body;
    } else if (body !== undefined) {
      headers['content-type'] = 'application/json';
      init.body = writeJson(body) ?? null;
    }
    return init;
  }

  async #attempt(
    target: string,
    init: RequestInit,
    timeout: number,
    signal: AbortSignal | undefined,
  ): Promise<Reply> {
    if (signal?.aborted) throw aborted(signal);
    const ending = new AbortController();
    const end = () => ending.abort();
    const timer = setTimeout(() => ending.abort(timedOut()), timeout);
    signal?.addEventListener('abort', end);
    try {
      const send = this.#options.fetch ?? fetch;
      const url = this.#options.baseUrl.replace(/\/$/, '') + target;
      const response = await send(url, { ...init, signal: ending.signal });
      const text = await response.text();
      if (!response.ok) throw responseError(response, text);
      return { headers: response.headers, body: text === '' ? undefined : readJson(text) };
    } catch (cause) {
      if (cause instanceof PetstoreError) throw cause;
      if (signal?.aborted) throw aborted(signal);
      throw ending.signal.aborted
        ? new PetstoreError('No response arrived in time.', { code: 'timeout', cause })
        : new PetstoreError('No whole response in JSON arrived.', {
            code: 'connection_lost',
            cause,
          });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    }
  }
}

/** The reason of a signal that aborts at the end of the time, so that `fetch` can tell it. */
function timedOut(): DOMException {
  return new DOMException('The time is over.', 'TimeoutError');
}
