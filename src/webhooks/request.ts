import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { RequestOptions } from 'node:https';
import { literalAddress, portOf } from './target-rules.ts';

/** One request to one address. */
interface AddressRequest {
  readonly url: URL;
  /** An address that was checked; nothing else is dialled. */
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for a GET. */
  readonly body: string | undefined;
}

/** Reads a response. It calls `cut` when it has enough, which closes the connection. */
export type ReadMessage<T> = (message: IncomingMessage, cut: () => void) => Promise<T>;

/** The part of a response that is stored. */
export interface ReadResponse {
  readonly status: number;
  /** The header as it arrived, cut to 64 characters. */
  readonly retryAfter?: string;
  /** The first KiB of the body as text, without control characters. */
  readonly body: string;
}

/** No response arrived. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed';
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

const HEADERS_BYTES_MAX = 16_384;
const READ_BYTES_MAX = 16_384;
const KEPT_BYTES = 1_024;
const RETRY_AFTER_LENGTH_MAX = 64;

/** Control characters but tab and line feed, and those that turn the direction of text. */
const CONTROLS = /(?![\t\n])[\p{Cc}\p{Bidi_Control}]/gu;
/** Below are interim responses, and numbers that are no status. */
const FINAL_STATUS_MIN = 200;
/** Interim responses (1xx) that are accepted before the response. */
const INTERIM_MAX = 8;

/**
 * Sends a request to one address and reads the response with `read`. Follows no redirect. `connectMs`
 * limits the time until TLS is established. When the signal aborts, the reading of a response
 * ends. Throws `RequestFailed`.
 *
 * It is `node:https`, because Bun's `fetch` has at most 256 requests in progress in a process, so
 * receivers that hang would hold up all others.
 */
export async function sendTo<T>(
  target: AddressRequest,
  read: ReadMessage<T>,
  connections: Connections,
  signal: AbortSignal,
  connectMs: number,
): Promise<T> {
  const { protocol } = target.url;
  const first = await sendOver(connections.agentFor(protocol), target, read, signal, connectMs);
  if (first !== STALE) return first;
  const fresh = connections.freshAgentFor(protocol);
  const second = await sendOver(fresh, target, read, signal, connectMs);
  if (second === STALE) throw new RequestFailed('ECONNRESET', true);
  return second;
}

/** The receiver has closed an idle connection just when it was used again. */
const STALE = Symbol('stale');

async function sendOver<T>(
  agent: Agent,
  target: AddressRequest,
  read: ReadMessage<T>,
  signal: AbortSignal,
  connectMs: number,
): Promise<T | typeof STALE> {
  const { promise, resolve, reject } = Promise.withResolvers<T | typeof STALE>();
  const isSecure = target.url.protocol === 'https:';
  const { request: send } = isSecure ? await import('node:https') : await import('node:http');
  const request = send(optionsOf(target, agent));
  const end = (code: string) => request.destroy(Object.assign(new Error(code), { code }));
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
      reject(new RequestFailed('HPE_UPGRADE', true));
    })
    .on('response', (message) => {
      const { statusCode = 0 } = message;
      if (statusCode < FINAL_STATUS_MIN) {
        end('HPE_STATUS');
        return;
      }
      hasResponse = true;
      read(message, () => request.destroy()).then(resolve, reject);
    })
    .on('error', (error) => {
      if (hasResponse) return;
      const code = codeOf(error);
      const isStale = request.reusedSocket && STALE_CODES.includes(code);
      if (isStale) resolve(STALE);
      else reject(new RequestFailed(code, isConnected()));
    });
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  else request.end(target.body);
  return promise.finally(() => signal.removeEventListener('abort', abort));
}

const STALE_CODES = ['ECONNRESET', 'EPIPE'];

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function optionsOf({ url, address, headers, body }: AddressRequest, agent: Agent): RequestOptions {
  return {
    agent,
    host: address,
    port: portOf(url),
    // The certificate is checked for this name; without one, for the address.
    servername: literalAddress(url) === undefined ? url.hostname : '',
    method: body === undefined ? 'GET' : 'POST',
    path: `${url.pathname}${url.search}`,
    headers: {
      ...headers,
      host: url.host,
      ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
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

/**
 * Reads a response to its end, or 16 KiB of its body and calls `cut`, which must close the connection.
 * If the connection ends before, returns what has arrived: the status has said whether it succeeded.
 */
export const readStart: ReadMessage<ReadResponse> = (message, cut) => {
  const { promise, resolve } = Promise.withResolvers<ReadResponse>();
  const decoder = new TextDecoder();
  let read = 0;
  let body = '';
  const finish = () => {
    const { 'retry-after': retryAfter } = message.headers;
    resolve({
      status: message.statusCode ?? 0,
      ...(retryAfter === undefined
        ? {}
        : { retryAfter: plain(retryAfter).slice(0, RETRY_AFTER_LENGTH_MAX) }),
      body: plain(body),
    });
  };
  message
    .on('data', (chunk: Buffer) => {
      const room = Math.max(0, KEPT_BYTES - read);
      // A character that is cut in two stays in the decoder and is dropped.
      if (room > 0) body += decoder.decode(chunk.subarray(0, room), { stream: true });
      read += chunk.length;
      if (read < READ_BYTES_MAX) return;
      finish();
      cut();
    })
    .on('end', finish)
    .on('error', finish)
    .on('close', finish);
  return promise;
};

/** A file of a response. */
export interface ReadFile {
  readonly status: number;
  /** Undefined without success, and for a file that is too long. */
  readonly bytes: Buffer | undefined;
}

/** Reads the whole body of a response that succeeds. Throws `RequestFailed` if it does not arrive whole. */
export function readWhole(bytesMax: number): ReadMessage<ReadFile> {
  return async (message, cut) => {
    const status = message.statusCode ?? 0;
    const parts: Buffer[] = [];
    let read = 0;
    const isWanted = status === 200 && !(Number(message.headers['content-length']) > bytesMax);
    const { promise, resolve, reject } = Promise.withResolvers<ReadFile>();
    const stop = () => {
      resolve({ status, bytes: undefined });
      cut();
    };
    message
      .on('data', (chunk: Buffer) => {
        read += chunk.length;
        if (read > bytesMax) stop();
        else parts.push(chunk);
      })
      .on('end', () => resolve({ status, bytes: Buffer.concat(parts) }))
      .on('error', () => reject(new RequestFailed('ECONNRESET', true)))
      .on('close', () => reject(new RequestFailed('ECONNRESET', true)));
    if (!isWanted) stop();
    return promise;
  };
}

function plain(text: string): string {
  return text.replace(CONTROLS, '\ufffd');
}

/** Idle connections kept for reuse, in total. */
const IDLE_MAX = 256;
/** And to one receiver. */
const IDLE_EACH_MAX = 4;
/** Below what common servers wait (Node 5 s, Apache 5 s), so that few are closed under a request. */
const IDLE_MS = 4_000;

const LIMITS = { keepAlive: true, maxFreeSockets: IDLE_EACH_MAX, timeout: IDLE_MS } as const;

/** The connections to receivers. They are reused for the same address, port and TLS name only. */
export type Connections = Awaited<ReturnType<typeof openConnections>>;

/**
 * Creates the connections. `authority` is the only one to trust, as PEM; or those of the runtime. What
 * they need is loaded now, because a service without webhooks would start 15 ms later with it.
 */
export async function openConnections(authority?: string) {
  const { Agent: HttpAgent } = await import('node:http');
  const { Agent: HttpsAgent } = await import('node:https');
  const tls = authority === undefined ? {} : { ca: authority };
  const plain = new HttpAgent(LIMITS);
  const secure = new HttpsAgent({ ...LIMITS, ...tls });
  const fresh = { plain: new HttpAgent(), secure: new HttpsAgent(tls) };
  for (const agent of [plain, secure]) limitIdle(agent, () => idle(plain) + idle(secure));
  return {
    agentFor: (protocol: string): Agent => (protocol === 'https:' ? secure : plain),
    /** For one request, on a new connection. */
    freshAgentFor: (protocol: string): Agent =>
      protocol === 'https:' ? fresh.secure : fresh.plain,
    /** Closes all of them. */
    close(): void {
      plain.destroy();
      secure.destroy();
    },
  };
}

function idle({ freeSockets }: Agent): number {
  return Object.values(freeSockets).reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0);
}

/** Closes a connection instead of keeping it when there are enough idle ones to all receivers. */
function limitIdle(agent: Agent, count: () => number): void {
  const keepSocketAlive = agent.keepSocketAlive.bind(agent);
  agent.keepSocketAlive = (socket) => count() < IDLE_MAX && keepSocketAlive(socket);
}
