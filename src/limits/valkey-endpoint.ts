import { connect } from 'node:tls';

/** The address of an engine. */
interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly isEncrypted: boolean;
}

const DEFAULT_PORT = 6_379;

/** Returns where the engine with this address listens. */
function endpointOf(address: string): Endpoint {
  const { protocol, hostname, port } = new URL(address);
  return {
    // Sockets take an IPv6 address without the brackets of a URL.
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? DEFAULT_PORT : Number(port),
    isEncrypted: protocol === 'rediss:',
  };
}

/**
 * Returns why the certificate of an engine is not trusted. Undefined if it is trusted, if
 * there is no TLS (`redis://`), or if the check takes too long.
 */
export function certificateProblem(address: string, boundMs: number): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const { host, port, isEncrypted } = endpointOf(address);
  if (!isEncrypted) return Promise.resolve(undefined);
  // Checks the trust itself, so that no other error is mistaken for it.
  const socket = connect({ host, port, rejectUnauthorized: false });
  const late = setTimeout(resolve, boundMs, undefined);
  socket.once('error', () => resolve(undefined));
  socket.once('secureConnect', () => {
    const problem = socket.authorizationError;
    resolve(socket.authorized ? undefined : `its certificate is not trusted: ${problem}`);
  });
  return promise.finally(() => {
    clearTimeout(late);
    socket.destroy();
  });
}

/** Who is at an address: nobody, a silent server, one that asks for a password, or another one. */
export type Presence = 'nobody' | 'silent' | 'password' | 'other';

const NEEDS_PASSWORD = /^-(?:NOAUTH|WRONGPASS)\b/;

/** Sends a PING by hand, because the client reports every failure only as "closed". */
export async function probe(address: string, timeoutMs: number): Promise<Presence> {
  const { host: hostname, port, isEncrypted: tls } = endpointOf(address);
  const { promise, resolve } = Promise.withResolvers<Presence>();
  const late = setTimeout(resolve, timeoutMs, 'silent');
  const connecting = Bun.connect({
    hostname,
    port,
    tls,
    socket: {
      open: (socket) => void socket.write('PING\r\n'),
      data: (_socket, response) =>
        resolve(NEEDS_PASSWORD.test(response.toString()) ? 'password' : 'other'),
      close: () => resolve('other'),
      connectError: () => resolve('nobody'),
    },
  });
  connecting.catch(() => resolve('nobody'));
  const presence = await promise;
  clearTimeout(late);
  connecting.then(
    (socket) => socket.terminate(),
    () => undefined,
  );
  return presence;
}
