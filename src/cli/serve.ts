import { isatty } from 'node:tty';
import { Command } from 'commander';
import type { Config } from '../config.ts';
import { SECOND_MS } from '../domain/clock.ts';
import { openServer, type PetstoreServer } from '../server.ts';
import { type SettingName, settings } from '../settings.ts';
import { print } from './print.ts';
import { addSettings, configOf } from './setting-options.ts';
import { announceDatabase } from './warnings.ts';

/** A command that serves takes every setting. */
export const SERVE_SETTINGS = Object.keys(settings) as SettingName[];

/** `petstore serve` */
export function serveCommand(): Command {
  const command = new Command('serve').description('run the service until SIGTERM or SIGINT');
  addSettings(command, SERVE_SETTINGS);
  return command.action(async () => {
    await serveUntilSignal(configOf(command), async ({ baseUrl, metricsUrl }) => {
      const metrics = metricsUrl === undefined ? '' : `Metrics on ${metricsUrl}\n`;
      // Keep serving even if the output cannot be written.
      await print(`Serving on ${baseUrl}\n${metrics}`).catch(() => {});
    });
  });
}

/** The longest delay of the exit by a blocked output. */
const LINGER_MS = SECOND_MS;

/**
 * Serves until a signal arrives. `announce` runs once the server accepts requests; if it fails, the
 * service stops.
 */
export async function serveUntilSignal(
  config: Config,
  announce: (server: PetstoreServer) => Promise<void>,
): Promise<void> {
  // Keep serving even if warnings cannot be written.
  process.stderr.on('error', () => {});
  try {
    const created = () => announceDatabase(config.database);
    const server = await openServer(config, {}, { created });
    const stopped = stopOnSignal(server);
    try {
      // An announcement that nobody reads must not delay the shutdown.
      await Promise.race([announce(server), stopped]);
    } catch (error) {
      await server.close();
      throw error;
    }
    await stopped;
  } finally {
    // A write that hangs in the kernel would keep the process alive forever.
    setTimeout(() => process.exit(), LINGER_MS).unref();
  }
}

const STANDARD_INPUT = 0;
/** npm repeats a signal that its child has already received, so two within this time are one. */
const SAME_SIGNAL_MS = SECOND_MS;

function stopOnSignal(server: PetstoreServer): Promise<void> {
  const { url, renewCertificate, close, abandon } = server;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let firstAt: number | undefined;
  const onSignal = () => {
    const now = performance.now();
    if (firstAt === undefined) {
      firstAt = now;
      close().then(resolve, reject);
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
  return promise;
}
