import type { Certificate } from './certificate.ts';
import { SECOND_MS } from './domain/clock.ts';
import { type MaybePromise, thenDo } from './domain/maybe-promise.ts';

/** Answers a request. */
export type Handler = (request: Request) => MaybePromise<Response>;

/** What to listen on, and how long to wait for clients. */
export interface ListenerOptions {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  readonly idleTimeoutMs: number;
  readonly bodyTimeoutMs: number;
  readonly certificate: Certificate | undefined;
}

/** An address that is bound. Requests are answered with an empty 503 until it is told how. */
export interface Listener {
  /** The root address as really bound, without a path. */
  readonly url: string;
  serve(handler: Handler): void;
  /** The address that opened the connection of a request. */
  peerOf(request: Request): string;
  /** Requests that have come and are not answered yet. */
  pending(): number;
  /** Shows another certificate to whoever connects from now on. Connections that are open stay. */
  renew(certificate: Certificate): Promise<void>;
  /** Takes no new connection, and waits for what is under way, but not for ever. */
  drain(): Promise<void>;
}

export type Socket = Bun.Server<undefined>;

/** How long requests under way may take to finish at the end. */
const DRAIN_MS = 10 * SECOND_MS;
/** What is left to answer a request when its body has taken as long as it may, in seconds. */
const ANSWERING_S = 10;
/** How long connections to the certificate before may end with an answer. */
const HANDOVER_MS = SECOND_MS;

/**
 * The runtime answers a body over its bound by itself and without a body. So the bound stands
 * where nobody meets it, and reading stops at our own: see http/body.ts.
 */
const RUNTIME_BODY_BYTES_MAX = 2 ** 40;

/**
 * The cipher suites of TLS 1.2: those with forward secrecy and authenticated encryption. Every suite
 * of TLS 1.3 has both, and stands in no list.
 */
const TLS_1_2_CIPHERS = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** How a socket is bound. */
interface Binding {
  readonly hostname: string;
  readonly port: number;
  readonly idleTimeoutMs: number;
  readonly certificate?: Certificate | undefined;
  /** Whether another socket of ours may have the same port. */
  readonly shared?: boolean;
}

/** Takes an address: the only caller of `Bun.serve`. Throws the runtime's error where it cannot. */
export function bind({ hostname, port, idleTimeoutMs, certificate, shared }: Binding): Socket {
  return Bun.serve({
    hostname,
    port,
    idleTimeout: Math.ceil(idleTimeoutMs / SECOND_MS),
    maxRequestBodySize: RUNTIME_BODY_BYTES_MAX,
    development: false,
    // With `development: false` the runtime would share a port that is taken already.
    reusePort: shared === true,
    ...(certificate && {
      tls: { cert: certificate.cert, key: certificate.key, ciphers: TLS_1_2_CIPHERS },
    }),
    fetch: () => new Response(null, { status: 503 }),
  });
}

/** Listens. Throws the runtime's error for an address that it cannot bind. */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const { host: hostname, idleTimeoutMs, bodyTimeoutMs, certificate } = options;
  const sending = Math.ceil(bodyTimeoutMs / SECOND_MS) + ANSWERING_S;
  let socket = await bindFirst(options);
  const { port = 0 } = socket;
  const retiring = new Set<Promise<void>>();
  let fetch: (request: Request, server: Socket) => MaybePromise<Response>;

  function serve(handler: Handler): void {
    fetch = (request, server) => {
      // The runtime ends a request by its idle timeout, which says nothing of bodies.
      if (request.method !== 'GET') server.timeout(request, sending);
      const response = handler(request);
      if (certificate === undefined) return response;
      return thenDo(response, (ready) => (server === socket ? ready : endingConnection(ready)));
    };
    socket.reload({ fetch });
  }

  async function renew(renewed: Certificate): Promise<void> {
    const before = socket;
    socket = bind({ hostname, port, idleTimeoutMs, certificate: renewed, shared: true });
    socket.reload({ fetch });
    await Bun.sleep(HANDOVER_MS);
    const retired = drain(before).finally(() => retiring.delete(retired));
    retiring.add(retired);
  }

  return {
    url: addressOf(certificate ? 'https' : 'http', hostname, port),
    serve,
    peerOf: (request) => socket.requestIP(request)?.address ?? '',
    pending: () => socket.pendingRequests,
    renew,
    drain: async () => void (await Promise.all([drain(socket), ...retiring])),
  };
}

/**
 * Binds the first socket. With a certificate the port is shared, so that one with another can be
 * bound beside it; a port that somebody else has is found by asking for it alone first.
 */
async function bindFirst({ host, port, idleTimeoutMs, certificate }: ListenerOptions) {
  const alone = bind({ hostname: host, port, idleTimeoutMs });
  if (certificate === undefined) return alone;
  const { port: bound = port } = alone;
  await alone.stop(true);
  return bind({ hostname: host, port: bound, idleTimeoutMs, certificate, shared: true });
}

function endingConnection(response: Response): Response {
  response.headers.set('connection', 'close');
  return response;
}

/** Takes no new connection, and waits for what is under way, but not for ever. */
async function drain(socket: Socket): Promise<void> {
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(late.resolve, DRAIN_MS, 'late');
  const finished = await Promise.race([socket.stop(), late.promise]);
  clearTimeout(timer);
  if (finished === 'late') await socket.stop(true);
}

/** The address of a socket, without a path. */
export function addressOf(scheme: 'http' | 'https', host: string, port: number): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
