import { passwordsIn, portProblems, WrongSetting } from './setting-values.ts';
import { type Setting, type SettingName, settings } from './settings.ts';
import { redactPassword } from './storage/address.ts';

/** Settings that cannot be used. The message names all of them. */
export class ConfigProblems extends Error {}

/** The values of all settings. Frozen: nothing changes them while the service runs. */
export type Config = { readonly [N in SettingName]: ReturnType<(typeof settings)[N]['read']> };

/** Returns the passwords and keys in these settings, in every form that an error might repeat. */
export function passwordsOf(config: Config): readonly string[] {
  const entries = Object.entries(settings) as [SettingName, Setting<unknown>][];
  return entries.flatMap(([name, { holdsSecret }]) => {
    const texts = [config[name]].flat().map(String);
    if (holdsSecret === 'whole') return texts;
    return holdsSecret === 'password' ? texts.flatMap(passwordsIn) : [];
  });
}

/** Texts by the name of a setting or of a variable. */
type Texts = Readonly<Partial<Record<string, string>>>;

/** The settings that can be used, and the problems of the others. */
export interface ReadSettings {
  readonly values: Partial<Config>;
  /** One sentence each, without passwords. */
  readonly problems: readonly string[];
}

/**
 * Reads the settings one by one. A flag wins over a variable, and a variable over the fallback. An
 * empty variable counts as unset.
 */
export function readSettings(flags: Texts, environment: Texts): ReadSettings {
  const problems: string[] = [];
  const values: Partial<Record<SettingName, unknown>> = {};
  for (const [name, setting] of Object.entries(settings) as [SettingName, Setting<unknown>][]) {
    const fromFlag = flags[name];
    const given = fromFlag ?? environment[setting.variable];
    try {
      values[name] = setting.read(given === undefined || given === '' ? setting.fallback : given);
    } catch (error) {
      if (!(error instanceof WrongSetting)) throw error;
      const source = fromFlag === undefined ? setting.variable : setting.flag;
      const shown =
        setting.holdsSecret === 'whole' ? '' : ` (it is "${redactPassword(given ?? '')}")`;
      problems.push(`${source} ${error.message}${shown}.`);
    }
  }
  // Each value comes from the `read` of its own setting, so it has the type of that setting.
  const read = values as Partial<Config>;
  problems.push(...portProblems(read));
  return { values: read, problems };
}

/** Reads all settings. Throws `ConfigProblems`. */
export function readConfig(flags: Texts, environment: Texts): Config {
  const { values, problems } = readSettings(flags, environment);
  if (problems.length > 0) throw new ConfigProblems(problems.join('\n'));
  // Without problems every setting has its value.
  return Object.freeze(values) as Config;
}
