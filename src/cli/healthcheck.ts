import { Command } from 'commander';
import { ask, ownUrl } from '../doctor/ports.ts';
import { SECOND_MS } from '../domain/clock.ts';
import { settings } from '../settings/settings.ts';
import { CommandFailure } from './explain.ts';
import { print } from './print.ts';
import { addSettings, configOf } from './setting-options.ts';

/** The service itself waits for its database for up to two seconds. */
const TIMEOUT_MS = 4 * SECOND_MS;

/** `petstore healthcheck`, for an image without any other program. */
export function healthcheckCommand(): Command {
  const command = new Command('healthcheck')
    .description('ask the service on this machine whether it is ready; exit 1 if not')
    .option('--live', 'ask only whether its process answers');
  addSettings(command, ['host', 'port', 'tlsCert']);
  return command.action(async ({ live }: { readonly live?: true }) => {
    const { host, port, tlsCert } = configOf(command);
    if (port === 0) {
      throw new CommandFailure(`${settings.port.variable} is 0, so the port is not known: set it.`);
    }
    const scheme = tlsCert === undefined ? 'http' : 'https';
    const url = ownUrl(scheme, host, port, live ? '/livez' : '/readyz');
    const { status, text } = await ask(url, TIMEOUT_MS).catch((error) => {
      throw new CommandFailure(`${url} does not answer: ${error.message}`);
    });
    if (status !== 200) throw new CommandFailure(`${url} answers ${status}: ${text}`);
    await print(`${url} answers ${status}: ${text}\n`);
  });
}
