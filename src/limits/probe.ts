import { endpointOf } from './endpoint.ts';

/** Who is at an address: nobody, a silent server, one that asks for a password, or another one. */
export type Presence = 'nobody' | 'silent' | 'password' | 'other';

const NEEDS_PASSWORD = /^-(?:NOAUTH|WRONGPASS)\b/;

/** Sends a PING by hand, because the client reports every failure only as "closed". */
export async function probe(address: string, patienceMs: number): Promise<Presence> {
  const { host: hostname, port, isEncrypted: tls } = endpointOf(address);
  const { promise, resolve } = Promise.withResolvers<Presence>();
  const late = setTimeout(resolve, patienceMs, 'silent');
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
