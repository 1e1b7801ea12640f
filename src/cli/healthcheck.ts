import { get, type IncomingMessage } from 'node:http';
import { get as getSecurely } from 'node:https';
import { Command } from 'commander';
import { SECOND_MS } from '../domain/clock.ts';
import type { Config } from '../settings/config.ts';
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
    const url = healthUrl(configOf(command), live ? '/livez' : '/readyz');
    const { status, text } = await ask(url).catch((error) => {
      throw new CommandFailure(`${url} does not answer: ${error.message}`);
    });
    if (status !== 200) throw new CommandFailure(`${url} answers ${status}: ${text}`);
    await print(`${url} answers ${status}: ${text}\n`);
  });
}

/** Addresses that stand for all of the machine, of which one answers here. */
const OWN: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

function healthUrl({ host, port, tlsCert }: Config, path: string): string {
  if (port === 0) {
    throw new CommandFailure(`${settings.port.variable} is 0, so the port is not known: set it.`);
  }
  const address = OWN[host] ?? host;
  const shown = address.includes(':') ? `[${address}]` : address;
  return `${tlsCert === undefined ? 'http' : 'https'}://${shown}:${port}${path}`;
}

/** Asks directly: `fetch` would go through the proxy that HTTP_PROXY names. */
function ask(url: string): Promise<{ readonly status: number | undefined; readonly text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  // The certificate names the public host, and the service is asked without a key.
  const request = url.startsWith('https:')
    ? getSecurely(url, { rejectUnauthorized: false, signal }, resolve)
    : get(url, { signal }, resolve);
  const late = new Error(`nothing came within ${TIMEOUT_MS / SECOND_MS} s`);
  request.on('error', (error) => reject(signal.aborted ? late : error));
  return promise.then(async (response) => {
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    return { status: response.statusCode, text: text.trim() };
  });
}
