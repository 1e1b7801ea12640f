import { type ClientResponse, createClient, type SentHeaders } from './client.ts';

/** Somebody with the console open in a browser, who sends what a page of the console would. */
export interface Visitor {
  /** The Cookie header that the browser would send; undefined without a cookie. */
  cookie(): string | undefined;
  /** Signs in and out as the console does, and stores the cookie as a browser does. */
  signIn(key: string | undefined, headers?: SentHeaders): Promise<ClientResponse>;
  signOut(headers?: SentHeaders): Promise<ClientResponse>;
  get(path: string, headers?: SentHeaders): Promise<ClientResponse>;
  post(path: string, body: unknown, headers?: SentHeaders): Promise<ClientResponse>;
  send(method: string, path: string, body?: string, headers?: SentHeaders): Promise<ClientResponse>;
}

const SESSION_PATH = '/console/session';

/** Creates a visitor of the service at `address`, which is read for each request. */
export function createVisitor(address: () => string): Visitor {
  const client = createClient(address);
  let cookie: string | undefined;

  async function send(method: string, path: string, body?: string, headers: SentHeaders = {}) {
    const response = await client.send(method, path, {
      headers: {
        'sec-fetch-site': 'same-origin',
        ...(cookie !== undefined && { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
    const set = response.headers.get('set-cookie');
    if (set !== null) cookie = set.includes('Max-Age=0') ? undefined : set.split(';')[0];
    return response;
  }

  return {
    cookie: () => cookie,
    signIn: (key, headers) => send('POST', SESSION_PATH, JSON.stringify({ key }), headers),
    signOut: (headers) => send('DELETE', SESSION_PATH, undefined, headers),
    get: (path, headers) => send('GET', path, undefined, headers),
    post: (path, body, headers) => send('POST', path, JSON.stringify(body), headers),
    send,
  };
}
