import { type JsonValue, parseJson } from '../../src/http/json.ts';
import { expectDocumented, type SeenExchange } from '../contract/violations.ts';

/** The response to a request. */
export interface ClientResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The body as received. */
  readonly text: string;
  /** The body as JSON, with each number as text. */
  json(): JsonValue;
}

/** Headers to send, by name. */
export type SentHeaders = Readonly<Record<string, string>>;

export interface ClientRequest {
  readonly headers?: SentHeaders;
  readonly body?: Bun.BodyInit;
}

/** Sends requests as one caller. Paths are relative to the server's root: `/v1/pets`. */
export interface Client {
  /** The API key it sends; undefined for the anonymous client. */
  readonly key: string | undefined;
  send(method: string, path: string, request?: ClientRequest): Promise<ClientResponse>;
  get(path: string, headers?: SentHeaders): Promise<ClientResponse>;
  head(path: string, headers?: SentHeaders): Promise<ClientResponse>;
  /** Sends a body as `application/json`: a text as is, anything else as its JSON. */
  post(path: string, body: unknown, headers?: SentHeaders): Promise<ClientResponse>;
  /** The same as `application/merge-patch+json`, unless the headers say otherwise. */
  patch(path: string, body: unknown, headers?: SentHeaders): Promise<ClientResponse>;
  delete(path: string, headers?: SentHeaders): Promise<ClientResponse>;
}

/**
 * `address` is read for each request, since a restarted server has a new one. `check` validates
 * each response; behind a proxy, that is not against the document. Without `keepalive` each request has
 * its own connection. A reused one may be closed by the server, because it was idle, just as a request is sent.
 */
export function createClient(
  address: () => string,
  key?: string,
  check: (seen: SeenExchange) => void = expectDocumented,
  keepalive = true,
): Client {
  async function send(method: string, path: string, request: ClientRequest = {}) {
    const headers = new Headers(request.headers);
    if (key !== undefined && !headers.has('authorization')) {
      headers.set('authorization', `Bearer ${key}`);
    }
    const response = await fetch(address() + path, {
      method,
      headers,
      redirect: 'manual',
      keepalive,
      ...(request.body !== undefined && { body: request.body }),
    });
    const text = await response.text();
    const { status } = response;
    // The path as sent: `fetch` resolves dots in paths.
    const target = response.url.slice(address().length);
    check({ method, target, status, headers: response.headers, text });
    return {
      status,
      headers: response.headers,
      text,
      json: () => parseJson(text),
    };
  }

  return {
    key,
    send,
    get: (path, headers = {}) => send('GET', path, { headers }),
    head: (path, headers = {}) => send('HEAD', path, { headers }),
    post: (path, body, headers = {}) =>
      send('POST', path, {
        headers: { 'content-type': 'application/json', ...headers },
        body: textOf(body),
      }),
    patch: (path, body, headers = {}) =>
      send('PATCH', path, {
        headers: { 'content-type': 'application/merge-patch+json', ...headers },
        body: textOf(body),
      }),
    delete: (path, headers = {}) => send('DELETE', path, { headers }),
  };
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}
