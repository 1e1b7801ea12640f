import { Command } from 'commander';
import { SECOND_MS } from '../domain/clock.ts';
import { openServer, type PetstoreServer } from '../server/server.ts';
import { stopOnSignal } from '../server/signals.ts';
import { startProblems, unresolvedSettings } from '../server/start-problems.ts';
import {
  type Config,
  type ReadSettings,
  readSettings,
  withoutProblems,
} from '../settings/config.ts';
import type { EnvFile } from '../settings/env-file.ts';
import { SETTING_NAMES, type SettingName, settings } from '../settings/settings.ts';
import { redactPassword } from '../storage/address.ts';
import { printable, printPieces, table } from './print.ts';
import { addSettings, envFileOf, flagsOf, noticesOf } from './setting-options.ts';

const FILE_NOTES = `
Instead of a variable, one with _FILE at its end may name a file that holds the value, such as
PETSTORE_DATABASE_FILE. --env-file FILE sets variables from a file, as systemd does.`;

/** `petstore serve` */
export function serveCommand(): Command {
  const command = new Command('serve')
    .description('run the service until SIGTERM or SIGINT')
    .option('--print-settings', 'print every setting, secrets masked, and do not serve')
    .addHelpText('after', FILE_NOTES);
  addSettings(command, SETTING_NAMES);
  return command.action(async ({ printSettings }: { readonly printSettings?: true }) => {
    if (printSettings) {
      const read = await readServingSettings(command);
      return await printPieces([`${settingsTable(read, envFileOf(command))}\n`]);
    }
    await serveUntilSignal(await servingConfigOf(command), async ({ baseUrl, metricsUrl }) => {
      const metrics = metricsUrl === undefined ? '' : `Metrics on ${metricsUrl}\n`;
      // Standard output is the log.
      process.stderr.write(`Serving on ${baseUrl}\n${metrics}`);
    });
  });
}

/**
 * Reads the settings from the flags of a command and from variables, and tries what they name. Throws
 * `ConfigProblems`, which names all that is wrong.
 */
export async function servingConfigOf(
  command: Command,
  variables: Readonly<Partial<Record<string, string>>> = process.env,
): Promise<Config> {
  const read = await readServingSettings(command, variables);
  const config = withoutProblems(read);
  // Not awaited: the start does not need the servers for limits and mails.
  void unresolvedSettings(read).then((problems) => {
    for (const problem of problems) process.stderr.write(`petstore: warning: ${problem}\n`);
  });
  return config;
}

async function readServingSettings(
  command: Command,
  variables: Readonly<Partial<Record<string, string>>> = process.env,
): Promise<ReadSettings> {
  const read = readSettings(flagsOf(command), variables);
  return { ...read, problems: [...read.problems, ...(await startProblems(read))] };
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
    const server = await openServer(config, {}, noticesOf(config.database));
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

const MASKED = '***';

/**
 * Returns a table of all settings: variable, value without secrets, and where it comes from. Throws
 * `ConfigProblems` if any of them cannot be used.
 */
function settingsTable(read: ReadSettings, envFile: EnvFile | undefined): string {
  withoutProblems(read);
  const rows = SETTING_NAMES.map((name) => rowOf(name, read.given, envFile));
  return table([['SETTING', 'VALUE', 'FROM'], ...rows]);
}

function rowOf(
  name: SettingName,
  given: ReadSettings['given'],
  envFile: EnvFile | undefined,
): string[] {
  const { variable, holdsSecret, fallback } = settings[name];
  const { text, source, file } = given[name] ?? { text: fallback, source: undefined };
  const shown = holdsSecret === 'whole' ? text && MASKED : redactPassword(text);
  const places = [file, source && envFile && source in envFile.variables && envFile.path];
  const from = [source ?? 'default', ...places.filter((place) => place)].join(' in ');
  return [variable, shown === '' ? '-' : printable(shown), from];
}
