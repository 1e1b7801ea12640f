import { connect } from 'node:tls';
import { endpointOf } from './endpoint.ts';

/**
 * Returns why the certificate of an engine is not trusted. Undefined if it is, if there is no TLS
 * (`redis://`), and if the check takes too long.
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
