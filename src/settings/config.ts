import { redactPassword } from '../storage/address.ts';
import { SETTING_NAMES, type SettingName, settings } from './settings.ts';
import { passwordsIn, portProblems, WrongSetting } from './values.ts';

/** Settings that cannot be used. The message names all of them. */
export class ConfigProblems extends Error {}

/** The values of all settings. Frozen: nothing changes them while the service runs. */
export type Config = { readonly [N in SettingName]: ReturnType<(typeof settings)[N]['read']> };

/** Returns the passwords and keys in these settings, in every form that an error might repeat. */
export function passwordsOf(config: Config): readonly string[] {
  return SETTING_NAMES.flatMap((name) => {
    const { holdsSecret } = settings[name];
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
  for (const name of SETTING_NAMES) {
    const setting = settings[name];
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
  return withoutProblems(readSettings(flags, environment));
}

/** Returns settings that can all be used. Throws `ConfigProblems`. */
export function withoutProblems({ values, problems }: ReadSettings): Config {
  if (problems.length > 0) throw new ConfigProblems(problems.join('\n'));
  // Without problems every setting has its value.
  return Object.freeze(values) as Config;
}

const PREFIX = 'PETSTORE_';
/** Not a setting: clients in the guides read their key from it. */
const OF_CLIENTS = 'PETSTORE_API_KEY';

/** A variable that looks like a setting but is none, probably a typo. */
export interface UnknownVariable {
  readonly name: string;
  /** The setting with the most similar name. */
  readonly nearest: string;
}

/** Finds variables that start with `PETSTORE_` but belong to no setting. */
export function unknownVariables(variables: Texts): readonly UnknownVariable[] {
  const known = SETTING_NAMES.map((name) => settings[name].variable);
  return Object.keys(variables)
    .filter((name) => name.startsWith(PREFIX) && name !== OF_CLIENTS && !known.includes(name))
    .map((name) => ({ name, nearest: nearest(name, known) }));
}

function nearest(name: string, known: readonly string[]): string {
  return known.reduce((best, each) =>
    editDistance(name, each) < editDistance(name, best) ? each : best,
  );
}

/** The Levenshtein distance. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [row, letter] of [...from].entries()) {
    const current = [row + 1];
    for (const [column, other] of [...to].entries()) {
      const replaced = (previous[column] ?? 0) + (letter === other ? 0 : 1);
      const inserted = (current[column] ?? 0) + 1;
      const deleted = (previous[column + 1] ?? 0) + 1;
      current.push(Math.min(replaced, inserted, deleted));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}
