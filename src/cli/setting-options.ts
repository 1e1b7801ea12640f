import { type Command, Option } from 'commander';
import type { Storage } from '../domain/storage.ts';
import { type Config, readConfig, unknownVariables } from '../settings/config.ts';
import type { EnvFile } from '../settings/env-file.ts';
import {
  DATABASE_SETTINGS,
  SETTING_NAMES,
  type SettingName,
  settings,
} from '../settings/settings.ts';
import { addressName } from '../storage/address.ts';
import { openStorage } from '../storage/open.ts';
import { type Access, LOST_LOG, type OpeningNotices } from '../storage/opening.ts';

/** Adds the flags of these settings to a command. */
export function addSettings(command: Command, names: readonly SettingName[]): Command {
  for (const name of names) {
    const { variable, help, fallback } = settings[name];
    const note = fallback === '' ? variable : `${variable}; ${fallback}`;
    const option = new Option(flagsText(name), `${help} (${note})`);
    command.addOption(option);
  }
  return command;
}

const flagsText = (name: SettingName) => `${settings[name].flag} <${settings[name].placeholder}>`;

/** Adds the flags that select a database. */
export function addDatabaseSettings(command: Command): Command {
  return addSettings(command, DATABASE_SETTINGS);
}

/** Reads the settings from the flags of a command and from variables. Throws `ConfigProblems`. */
export function configOf(command: Command): Config {
  return readConfig(flagsOf(command), process.env);
}

/** Returns the file that `--env-file` names; undefined if it is not given. */
export function envFileOf(command: Command): EnvFile | undefined {
  return command.optsWithGlobals()['envFile'];
}

/** Returns the flags of a command by the names of the settings. */
export function flagsOf(command: Command): Readonly<Partial<Record<SettingName, string>>> {
  const given = command.optsWithGlobals();
  const own = new Map(command.options.map((option) => [option.attributeName(), option.flags]));
  // Commander names a value after its flag, which lacks the unit of a duration.
  const flags = SETTING_NAMES.map((name) => {
    const attribute = new Option(settings[name].flag).attributeName();
    // Another flag may be called as a setting: `export --photos DIR`.
    const isOther = own.has(attribute) && own.get(attribute) !== flagsText(name);
    return [name, isOther ? undefined : given[attribute]];
  });
  return Object.fromEntries(flags);
}

/** What commander gives to a command: its arguments, and then its options. */
export type Given = Parameters<Parameters<Command['action']>[0]>;

/** Adds the flags that select a database to a command, and what it does with the storage there: see `withStorage`. */
export function onStorage(
  command: Command,
  access: Access,
  work: (storage: Storage, config: Config, ...given: Given) => Promise<void>,
): Command {
  return addDatabaseSettings(command).action((...given: Given) =>
    withStorage(command, access, (storage, config) => work(storage, config, ...given)),
  );
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
  const storage = await openStorage(database, environment, { access, ...noticesOf(database) });
  try {
    return await work(storage, config);
  } finally {
    await storage.close();
  }
}

/**
 * Reports on standard error what an opening did: a new database may be in the wrong place, and one that was migrated is
 * lost for earlier releases.
 */
export function noticesOf(address: string): OpeningNotices {
  const say = (text: string) => void process.stderr.write(`petstore: ${text}\n`);
  return {
    created: () => say(`new, empty database at ${addressName(address)}`),
    lostLog: () => say(`${addressName(address)}: ${LOST_LOG}`),
    migrated: (from, to) => say(`migrated ${addressName(address)} from schema ${from} to ${to}`),
  };
}

/** Warns on standard error about variables that look like settings but are not. */
export function warnOfUnknownVariables(variables: Readonly<Partial<Record<string, string>>>): void {
  for (const { name, nearest } of unknownVariables(variables)) {
    process.stderr.write(
      `petstore: warning: ${name} is not a setting, so it has no effect; did you mean ${nearest}?\n`,
    );
  }
}
