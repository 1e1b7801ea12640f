import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createRawServer,
  type Server as RawServer,
  type Socket,
} from 'node:net';

/** A server of a test. */
export interface Receiver extends AsyncDisposable {
  readonly port: number;
  /** Connections that were accepted. */
  readonly connections: () => number;
}

/** A receiver that speaks HTTP. */
export interface HttpReceiver extends Receiver {
  readonly requests: readonly ReceivedRequest[];
}

export interface ReceivedRequest {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** The port of the client, which differs for each connection. */
  readonly clientPort: number | undefined;
}

const OK: RequestListener = (_, response) => response.end('ok');

/** Certificate and key in PEM. */
export interface ReceiverTls {
  readonly cert: string;
  readonly key: string;
}

/** Starts a receiver on this address; a free port unless one is given. */
export async function startReceiver(
  host: string,
  respond: RequestListener = OK,
  { port = 0, tls }: { readonly port?: number; readonly tls?: ReceiverTls } = {},
): Promise<HttpReceiver> {
  const requests: ReceivedRequest[] = [];
  const listener: RequestListener = (request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const { method, url: path, headers, socket } = request;
      requests.push({ method, path, headers, body, clientPort: socket.remotePort });
      respond(request, response);
    });
  };
  const server = tls === undefined ? createServer(listener) : createSecureServer(tls, listener);
  return { ...(await listening(server, host, port)), requests };
}

/** Starts a receiver that does with a connection what it likes. */
export function startRawReceiver(
  host: string,
  serve: (socket: Socket) => void,
  port = 0,
): Promise<Receiver> {
  return listening(createRawServer(serve), host, port);
}

async function listening(
  server: Server | RawServer,
  host: string,
  port: number,
): Promise<Receiver> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port, // It listens on TCP.
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
