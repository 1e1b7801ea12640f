import { SECOND_MS } from '../domain/clock.ts';
import type { Certificate } from './certificate.ts';

/** Handles a request. */
type Handler = (request: Request) => Response | Promise<Response>;

/** The address to listen on, and timeouts for clients. */
interface ListenerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly idleTimeoutMs: number;
  readonly bodyTimeoutMs: number;
  readonly certificate: Certificate | undefined;
}

/** A bound address. Answers every request with an empty 503 until `serve` is called. */
export interface Listener {
  /** The root address as actually bound, without a path. */
  readonly url: string;
  serve(handler: Handler): void;
  /** Returns the address that opened the connection of a request. */
  peerOf(request: Request): string;
  /** Keeps the connection of a request open for this long although nothing is sent on it. */
  keepOpen(request: Request, milliseconds: number): void;
  /** The number of requests without a response yet. */
  pending(): number;
  /** Lets every further response end its connection. */
  announceEnd(): void;
  /** Returns whether the end was announced. */
  isEnding(): boolean;
  /** Uses this certificate for new connections. Open connections stay. Does nothing once draining. */
  renew(certificate: Certificate): Promise<void>;
  /** Stops accepting connections and waits for requests in progress, but not forever. */
  drain(): Promise<void>;
}

export type Socket = Bun.Server<undefined>;

/** Requests in progress may take this long to finish at shutdown. */
const DRAIN_MS = 10 * SECOND_MS;
/** The same after a new certificate, when requests that wait for events keep waiting. */
const RETIRING_MS = 45 * SECOND_MS;
/** Time to respond after a body or a wait has used up its own time, in seconds. */
const ANSWERING_S = 10;
/** Connections with the previous certificate may still end with a response for this long. */
const HANDOVER_MS = SECOND_MS;

/**
 * The runtime itself refuses a body over its bound, with an empty response. So its bound is set out
 * of reach, and our own applies: see http/body.ts.
 */
const RUNTIME_BODY_BYTES_MAX = 2 ** 40;

/**
 * The cipher suites of TLS 1.2 with forward secrecy and authenticated encryption. Every suite of
 * TLS 1.3 has both and needs no list.
 */
const TLS_1_2_CIPHERS = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

interface Binding {
  readonly hostname: string;
  readonly port: number;
  readonly idleTimeoutMs: number;
  readonly certificate?: Certificate | undefined;
  /** Lets another socket of this process bind the same port. */
  readonly shared?: boolean;
}

/** Binds an address: the only caller of `Bun.serve`. Throws the runtime's error if it cannot. */
export function bind({ hostname, port, idleTimeoutMs, certificate, shared }: Binding): Socket {
  try {
    return Bun.serve({
      hostname,
      port,
      idleTimeout: Math.ceil(idleTimeoutMs / SECOND_MS),
      maxRequestBodySize: RUNTIME_BODY_BYTES_MAX,
      development: false,
      // With `development: false` the runtime would share a port that is already taken.
      reusePort: shared === true,
      ...(certificate && {
        tls: { cert: certificate.cert, key: certificate.key, ciphers: TLS_1_2_CIPHERS },
      }),
      fetch: () => new Response(null, { status: 503 }),
    });
  } catch (error) {
    // The runtime does not say which address it could not bind.
    throw Object.assign(error instanceof Error ? error : new Error(String(error)), {
      address: `${hostname}:${port}`,
    });
  }
}

/** Starts to listen. Throws the runtime's error for an address that it cannot bind. */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const { host: hostname, idleTimeoutMs, bodyTimeoutMs, certificate } = options;
  const sending = Math.ceil(bodyTimeoutMs / SECOND_MS) + ANSWERING_S;
  let socket = await bindFirst(options);
  const { port = 0 } = socket;
  /** Sockets with an earlier certificate that may still have requests in progress. */
  const retiring = new Set<Socket>();
  let isEnding = false;
  let isDraining = false;
  let fetch: (request: Request, server: Socket) => Response | Promise<Response>;

  function serve(handler: Handler): void {
    fetch = (request, server) => {
      // The runtime's idle timeout would cut off slow bodies.
      if (request.method !== 'GET') server.timeout(request, sending);
      const response = handler(request);
      if (response instanceof Promise) return response.then((ready) => finished(ready, server));
      return finished(response, server);
    };
    socket.reload({ fetch });
  }

  /** Returns a response, which ends its connection if there will be no more on it. */
  function finished(response: Response, server: Socket): Response {
    if (isEnding || server !== socket) response.headers.set('connection', 'close');
    return response;
  }

  async function renew(renewed: Certificate): Promise<void> {
    if (isDraining) return;
    const before = socket;
    socket = bind({ hostname, port, idleTimeoutMs, certificate: renewed, shared: true });
    socket.reload({ fetch });
    retiring.add(before);
    await Bun.sleep(HANDOVER_MS);
    void drain(before, RETIRING_MS).finally(() => retiring.delete(before));
  }

  return {
    url: addressOf(certificate ? 'https' : 'http', hostname, port),
    serve,
    peerOf: (request) => socket.requestIP(request)?.address ?? '',
    keepOpen: (request, milliseconds) =>
      socket.timeout(request, Math.ceil(milliseconds / SECOND_MS) + ANSWERING_S),
    pending: () => socket.pendingRequests,
    isEnding: () => isEnding,
    announceEnd() {
      isEnding = true;
    },
    renew,
    async drain() {
      isDraining = true;
      await Promise.all([socket, ...retiring].map((open) => drain(open, DRAIN_MS)));
    },
  };
}

/** Binds the first socket. With a certificate, a socket with the next one can be bound beside it. */
async function bindFirst(options: ListenerOptions): Promise<Socket> {
  const { host: hostname, idleTimeoutMs, certificate } = options;
  if (certificate === undefined) return bind({ hostname, port: options.port, idleTimeoutMs });
  const port = await findPort(options);
  return bind({ hostname, port, idleTimeoutMs, certificate, shared: true });
}

/**
 * Returns a port that sockets of this process can share: the configured one, or a free one. Throws
 * the runtime's error if others use it, which binding a shared socket would not detect.
 */
async function findPort({
  host: hostname,
  port,
  idleTimeoutMs,
}: Pick<ListenerOptions, 'host' | 'port' | 'idleTimeoutMs'>): Promise<number> {
  const exclusive = bind({ hostname, port, idleTimeoutMs });
  const { port: bound = port } = exclusive;
  await exclusive.stop(true);
  return bound;
}

async function drain(socket: Socket, timeoutMs: number): Promise<void> {
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(late.resolve, timeoutMs, 'late');
  const finished = await Promise.race([socket.stop(), late.promise]);
  clearTimeout(timer);
  if (finished === 'late') await socket.stop(true);
}

/** Returns the address of a socket, without a path. */
export function addressOf(scheme: 'http' | 'https', host: string, port: number): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
