import { endpointOf } from './endpoint.ts';

/** What stands at an address: nobody, somebody who is silent or asks for a password, or another. */
export type Presence = 'nobody' | 'silent' | 'password' | 'other';

const NEEDS_PASSWORD = /^-(?:NOAUTH|WRONGPASS)\b/;

/** Asks an address for a sign of life, by hand: the client says of a failure no more than "closed". */
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
