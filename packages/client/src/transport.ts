import { addressOf, reasonOf, unreachable } from './address.ts';
import { PetstoreError } from './error.ts';
import { readJson, writeJson } from './json.ts';
import { responseError } from './response-error.ts';
import {
  aborted,
  type OnRetry,
  type RetryOptions,
  systemTime,
  type Time,
  withRetries,
} from './retry.ts';

/** Where the service is, who calls it, how long a call may take and how often it is tried. */
export interface PetstoreOptions extends Partial<RetryOptions> {
  /** The address up to and with `/v1`. In a browser it may be a path. */
  readonly baseUrl: string;
  /** Left out if a server in between adds the key. */
  readonly apiKey?: string | undefined;
  /** Replaces the `fetch` of the runtime. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Called before each wait for another attempt. */
  readonly onRetry?: OnRetry | undefined;
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
  /** Tries again for ever, unless the key is banned. */
  readonly endless?: boolean;
  /** Instead of that of the client. */
  readonly onRetry?: OnRetry | undefined;
}

/** A successful response. */
export interface Reply {
  /** The parsed body; undefined if there is none. */
  readonly body: unknown;
  readonly headers: Headers;
}

/** Sends requests, again if needed. */
export class Transport {
  readonly time: Time;
  readonly #options: PetstoreOptions;
  readonly #address: URL;
  /** Without the slash at its end. */
  readonly #baseUrl: string;

  constructor(options: PetstoreOptions, time = systemTime) {
    this.#address = addressOf(options.baseUrl, options.fetch !== undefined);
    this.#baseUrl = String(options.baseUrl).replace(/\/$/, '');
    this.#options = options;
    this.time = time;
  }

  /** Sends a request. Throws a `PetstoreError` if there is no success. */
  async send(call: Call, { signal, timeout }: CallOptions = {}): Promise<Reply> {
    const { method, idempotencyKey, wait = 0, endless = false } = call;
    const { retries = 2, deadline = 60_000, maxWait = 30_000 } = this.#options;
    const init = this.#init(call);
    const isRepeatable = method === 'GET' || idempotencyKey !== undefined;
    const longest = (timeout ?? this.#options.timeout ?? 10_000) + wait;
    return withRetries(
      (left) => this.#attempt(call.target, init, Math.min(longest, left), signal),
      {
        retries: isRepeatable ? retries : 0,
        // The client's deadline must not cut a call that may take longer.
        deadline: Math.max(deadline, timeout ?? 0) + wait,
        maxWait,
        endless,
        onRetry: call.onRetry ?? this.#options.onRetry,
        signal,
      },
      this.time,
    );
  }

  #init({ method, body, ifMatch, idempotencyKey }: Call): RequestInit {
    const { apiKey } = this.#options;
    const headers: Record<string, string> = {};
    if (apiKey) {
      headers['authorization'] = `Bearer ${apiKey}`;
      // A misspelled filter would list everything. Without a key, browsers need no preflight for a GET.
      headers['prefer'] = 'handling=strict';
    }
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
    let response: Response | undefined;
    try {
      const send = this.#options.fetch ?? fetch;
      response = await send(this.#baseUrl + target, { ...init, signal: ending.signal });
      const text = await response.text();
      if (!response.ok) throw responseError(response, text);
      return { headers: response.headers, body: text === '' ? undefined : readJson(text) };
    } catch (cause) {
      if (cause instanceof PetstoreError) throw cause;
      if (signal?.aborted) throw aborted(signal);
      const host = this.#address.host;
      throw ending.signal.aborted
        ? new PetstoreError(`No response arrived in time from ${host}.`, { code: 'timeout', cause })
        : new PetstoreError(
            response
              ? `No whole response in JSON arrived from ${host}: ${reasonOf(cause)}`
              : unreachable(this.#address, cause),
            { code: 'connection_lost', cause },
          );
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
