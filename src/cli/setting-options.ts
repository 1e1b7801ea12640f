import { type Command, Option } from 'commander';
import { type Config, readConfig } from '../config.ts';
import type { Storage } from '../domain/storage.ts';
import { DATABASE_SETTINGS, type SettingName, settings } from '../settings.ts';
import { openStorage } from '../storage/open.ts';
import type { Access } from '../storage/opening.ts';
import { announceDatabase } from './warnings.ts';

/** Adds the flags of these settings to a command. */
export function addSettings(command: Command, names: readonly SettingName[]): Command {
  for (const name of names) {
    const { flag, variable, value, help, fallback } = settings[name];
    const note = fallback === '' ? variable : `${variable}; ${fallback}`;
    const option = new Option(`${flag} <${value}>`, `${help} (${note})`);
    command.addOption(option);
  }
  return command;
}

/** Adds the flags that select a database. */
export function addDatabaseSettings(command: Command): Command {
  return addSettings(command, DATABASE_SETTINGS);
}

/** Reads the settings from the flags of a command and from variables. Throws `ConfigProblems`. */
export function configOf(
  command: Command,
  variables: Readonly<Partial<Record<string, string>>> = process.env,
): Config {
  return readConfig(flagsOf(command), variables);
}

/** Returns the flags of a command by the names of the settings. */
export function flagsOf(command: Command): Readonly<Partial<Record<SettingName, string>>> {
  const given = command.optsWithGlobals();
  // Commander names a value after its flag, which can differ from the name of the setting.
  const flags = (Object.keys(settings) as SettingName[]).map((name) => [
    name,
    given[new Option(settings[name].flag).attributeName()],
  ]);
  return Object.fromEntries(flags);
}

/**
 * Opens the storage that a command names with `access`, runs `work` on it, and always closes it.
 */
export async function withStorage<T>(
  command: Command,
  access: Access,
  work: (storage: Storage, config: Config) => Promise<T>,
): Promise<T> {
  const config = configOf(command);
  const { database, environment } = config;
  const created = () => announceDatabase(database);
  const storage = await openStorage(database, environment, { access, created });
  try {
    return await work(storage, config);
  } finally {
    await storage.close();
  }
}
