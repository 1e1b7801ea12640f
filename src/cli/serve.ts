import { isatty } from 'node:tty';
import { Command } from 'commander';
import type { Config } from '../config.ts';
import { SECOND_MS } from '../domain/clock.ts';
import { openServer, type PetstoreServer } from '../server.ts';
import { type SettingName, settings } from '../settings.ts';
import { print } from './print.ts';
import { addSettings, configOf } from './setting-options.ts';
import { announceDatabase } from './warnings.ts';

/** The flags of a command that serves: every setting. */
export const SERVE_SETTINGS = Object.keys(settings) as SettingName[];

/** `petstore serve` */
export function serveCommand(): Command {
  const command = new Command('serve').description('serve until SIGTERM or SIGINT');
  addSettings(command, SERVE_SETTINGS);
  return command.action(async () => {
    await serveUntilSignal(configOf(command), async ({ baseUrl, metricsUrl }) => {
      const metrics = metricsUrl === undefined ? '' : `Metrics on ${metricsUrl}\n`;
      // A full disk under the log is no reason not to serve.
      await print(`Serving on ${baseUrl}\n${metrics}`).catch(() => {});
    });
  });
}

/** How long an output that takes nothing may keep a process that has nothing else to do. */
const LINGER_MS = SECOND_MS;

/**
 * Serves; `announce` runs once requests are taken, and ends the service where it fails. Comes back
 * when the service has stopped.
 */
export async function serveUntilSignal(
  config: Config,
  announce: (server: PetstoreServer) => Promise<void>,
): Promise<void> {
  // Warnings that nobody can read are no reason not to serve.
  process.stderr.on('error', () => {});
  try {
    const created = () => announceDatabase(config.database);
    const server = await openServer(config, {}, { created });
    const stopped = stopOnSignal(server);
    try {
      // An announcement that nobody reads keeps the service from nothing.
      await Promise.race([announce(server), stopped]);
    } catch (error) {
      await server.close();
      throw error;
    }
    await stopped;
  } finally {
    // A write that hangs in the system would keep the process for ever.
    setTimeout(() => process.exit(), LINGER_MS).unref();
  }
}

const STANDARD_INPUT = 0;
/** npm hands a signal on that its child has got already, so two within this time are one. */
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
  // Without a certificate, a hang-up of the terminal means that whoever started it has left.
  const endsWithTerminal = isatty(STANDARD_INPUT) && !url.startsWith('https:');
  process.on('SIGHUP', endsWithTerminal ? onSignal : () => void renewCertificate());
  return promise;
}
