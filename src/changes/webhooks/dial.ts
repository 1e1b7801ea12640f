import type { Agent, ClientRequest } from 'node:http';
import type { RequestOptions } from 'node:https';
import type { Connections } from './connections.ts';
import { type ReadResponse, readResponse } from './response-reader.ts';
import { literalAddress, portOf } from './target-rules.ts';

/** One request to one address. */
export interface Call {
  readonly url: URL;
  /** An address that was checked; nothing else is dialled. */
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** No response arrived. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  /** The code of the runtime or OpenSSL, such as `ECONNREFUSED`. */
  readonly code: string;
  /** False if the receiver cannot have got anything of the request. */
  readonly connected: boolean;

  constructor(code: string, connected: boolean) {
    super(code);
    this.code = code;
    this.connected = connected;
  }
}

/** A reason of ours to end a request. */
class Ended extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

const HEADERS_BYTES_MAX = 16_384;
/** Below are interim responses, and numbers that are no status. */
const FINAL_STATUS_MIN = 200;
/** Interim responses (1xx) that are accepted before the response. */
const INTERIM_MAX = 8;

/**
 * Sends a POST to one address and reads the start of the response. Follows no redirect. `connectMs`
 * limits the time until TLS is established. When the signal aborts, returns what has arrived of a
 * response. Throws `CallFailed`.
 *
 * It is `node:https`, because Bun's `fetch` has at most 256 requests in progress in a process, so
 * receivers that hang would hold up all others.
 */
export async function dial(
  call: Call,
  connections: Connections,
  signal: AbortSignal,
  connectMs: number,
): Promise<ReadResponse> {
  const first = await attempt(call, connections.agentFor(call.url.protocol), signal, connectMs);
  if (first !== STALE) return first;
  const second = await attempt(
    call,
    connections.freshAgentFor(call.url.protocol),
    signal,
    connectMs,
  );
  if (second === STALE) throw new CallFailed('ECONNRESET', true);
  return second;
}

/** The receiver has closed an idle connection just when it was used again. */
const STALE = Symbol('stale');

async function attempt(
  call: Call,
  agent: Agent,
  signal: AbortSignal,
  connectMs: number,
): Promise<ReadResponse | typeof STALE> {
  const { promise, resolve, reject } = Promise.withResolvers<ReadResponse | typeof STALE>();
  const isSecure = call.url.protocol === 'https:';
  const { request: send } = isSecure ? await import('node:https') : await import('node:http');
  const request = send(optionsOf(call, agent));
  const end = (code: string) => request.destroy(new Ended(code));
  const abort = () => end('ABORTED');
  const isConnected = limitConnect(request, connectMs, () => end('ETIMEDOUT'));
  let interim = 0;
  let hasResponse = false;
  request
    .on('information', () => {
      interim += 1;
      if (interim > INTERIM_MAX) end('HPE_INTERIM');
    })
    .on('upgrade', (_, socket) => {
      // The request no longer handles the socket, so its errors would end the process.
      socket.on('error', () => {}).destroy();
      reject(new CallFailed('HPE_UPGRADE', true));
    })
    .on('response', (message) => {
      const { statusCode = 0 } = message;
      if (statusCode < FINAL_STATUS_MIN) {
        end('HPE_STATUS');
        return;
      }
      hasResponse = true;
      readResponse(message, () => request.destroy()).then(resolve, reject);
    })
    .on('error', (error) => {
      if (hasResponse) return;
      const code = codeOf(error);
      const isStale = request.reusedSocket && STALE_CODES.includes(code);
      if (isStale) resolve(STALE);
      else reject(new CallFailed(code, isConnected()));
    });
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  else request.end(call.body);
  return promise.finally(() => signal.removeEventListener('abort', abort));
}

const STALE_CODES = ['ECONNRESET', 'EPIPE'];

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function optionsOf({ url, address, headers, body }: Call, agent: Agent): RequestOptions {
  return {
    agent,
    host: address,
    port: portOf(url),
    // The certificate is checked for this name; without one, for the address.
    servername: literalAddress(url) === undefined ? url.hostname : '',
    method: 'POST',
    path: `${url.pathname}${url.search}`,
    headers: {
      ...headers,
      host: url.host,
      'content-length': Buffer.byteLength(body),
      'accept-encoding': 'identity',
    },
    maxHeaderSize: HEADERS_BYTES_MAX,
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED would change the default.
    rejectUnauthorized: true,
  };
}

/** Calls `expire` unless the request is connected in time. Returns whether it is connected. */
function limitConnect(request: ClientRequest, connectMs: number, expire: () => void) {
  let connected = false;
  const timer = setTimeout(expire, connectMs);
  const succeed = () => {
    connected = true;
    clearTimeout(timer);
  };
  request.on('socket', (socket) => {
    if (request.reusedSocket) succeed();
    else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', succeed);
  });
  request.on('close', () => clearTimeout(timer));
  return () => connected;
}
