import { Command } from 'commander';
import { type Config, type SettingName, settings } from '../config.ts';
import { SECOND_MS } from '../domain/clock.ts';
import type { Later } from '../domain/later.ts';
import { openServer, type PetstoreServer } from '../server.ts';
import { addSettings, configOf } from './setting-options.ts';
import { announceDatabase } from './warnings.ts';

/** The flags of a command that serves: every setting. */
export const SERVE_SETTINGS = Object.keys(settings) as SettingName[];

/** `petstore serve` */
export function serveCommand(): Command {
  const command = new Command('serve').description('serve until SIGTERM or SIGINT');
  addSettings(command, SERVE_SETTINGS);
  return command.action(async () => {
    await serveUntilSignal(configOf(command), ({ baseUrl, metricsUrl }) => {
      const metrics = metricsUrl === undefined ? '' : `Metrics on ${metricsUrl}\n`;
      process.stdout.write(`Serving on ${baseUrl}\n${metrics}`);
    });
  });
}

/**
 * Serves; `announce` runs once requests are taken, and ends the service where it fails. Comes back
 * when the service has stopped.
 */
export async function serveUntilSignal(
  config: Config,
  announce: (server: PetstoreServer) => Later<void>,
): Promise<void> {
  const created = () => announceDatabase(config.database);
  const server = await openServer(config, {}, { created });
  const stopped = stopOnSignal(server);
  try {
    await announce(server);
  } catch (error) {
    await server.close();
    throw error;
  }
  await stopped;
}

/** npm hands a signal on that its child has got already, so two within this time are one. */
const SAME_SIGNAL_MS = SECOND_MS;

function stopOnSignal({ url, renewCertificate, close }: PetstoreServer): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let firstAt: number | undefined;
  const onSignal = () => {
    const now = performance.now();
    if (firstAt === undefined) {
      firstAt = now;
      close().then(resolve, reject);
    } else if (now - firstAt > SAME_SIGNAL_MS) {
      process.exit(1);
    }
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  if (url.startsWith('https:')) process.on('SIGHUP', () => void renewCertificate());
  return promise;
}
