import { isatty } from 'node:tty';
import { SECOND_MS } from '../domain/clock.ts';
import type { PetstoreServer } from './server.ts';
import { findServiceManager } from './service-manager.ts';

const STANDARD_INPUT = 0;
/** npm repeats a signal that its child has already received, so two within this time are one. */
const SAME_SIGNAL_MS = SECOND_MS;

/**
 * Stops the server at the first SIGTERM or SIGINT; resolves once it is closed. A later signal ends the
 * process at once. SIGHUP reads the certificate again. SIGUSR1 and SIGUSR2 are ignored, instead of ending the
 * process. A service manager such as systemd is told that the server is ready and, later, that it stops.
 */
export function stopOnSignal(server: PetstoreServer): Promise<void> {
  const { url, baseUrl, renewCertificate, close, abandon } = server;
  const manager = findServiceManager(process.env, (problem) => {
    process.stderr.write(`petstore: warning: ${problem}\n`);
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let firstAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    const now = performance.now();
    if (firstAt === undefined) {
      firstAt = now;
      void manager.stopping();
      close(signal).then(resolve, reject);
    } else if (now - firstAt > SAME_SIGNAL_MS) {
      abandon();
      process.exit(1);
    }
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  // On a terminal and without a certificate, SIGHUP means that the terminal was closed.
  const endsWithTerminal = isatty(STANDARD_INPUT) && !url.startsWith('https:');
  const onHangUp = () => {
    if (firstAt === undefined) void renewCertificate();
  };
  process.on('SIGHUP', endsWithTerminal ? onSignal : onHangUp);
  for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) process.on(signal, () => {});
  void manager.ready(`Serving on ${baseUrl}`);
  return promise;
}
