import { connect } from 'node:tls';
import { endpointOf } from './endpoint.ts';

/**
 * Says why the certificate of an engine is not trusted; undefined where it is, where there is no TLS
 * (`redis://`), and where that is not to be found out in time.
 */
export function certificateProblem(address: string, boundMs: number): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const { host, port, isEncrypted } = endpointOf(address);
  if (!isEncrypted) return Promise.resolve(undefined);
  // Whether it is trusted is asked for rather than left to fail, so that no other error is taken
  // for this one.
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
