import { redactPassword } from '../storage/address.ts';
import { SETTING_NAMES, type Setting, type SettingName, settings } from './settings.ts';
import { readLine, UnusableFile } from './small-file.ts';
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

/** The text of a setting, before it is read. */
interface Given {
  readonly text: string;
  /** The flag or variable that it comes from; undefined for the fallback. */
  readonly source: string | undefined;
  /** The file that the variable names, if it names one. */
  readonly file?: string;
}

/** The settings that can be used, and the problems of the others. */
export interface ReadSettings {
  readonly values: Partial<Config>;
  /** One sentence each, without passwords. */
  readonly problems: readonly string[];
  /** What each setting was read from, unless that failed. */
  readonly given: Readonly<Partial<Record<SettingName, Given>>>;
}

/**
 * Reads the settings one by one. A flag wins over variables, and a variable over the fallback. An
 * empty variable counts as unset. `PETSTORE_PORT_FILE` names a file that holds the port, and so on.
 */
export function readSettings(flags: Texts, environment: Texts): ReadSettings {
  const problems: string[] = [];
  const values: Partial<Record<SettingName, unknown>> = {};
  const allGiven: Partial<Record<SettingName, Given>> = {};
  for (const name of SETTING_NAMES) {
    try {
      const given = givenTo(settings[name], flags[name], environment);
      values[name] = readGiven(settings[name], given);
      allGiven[name] = given;
    } catch (error) {
      if (!(error instanceof WrongSetting)) throw error;
      problems.push(`${error.message}.`);
    }
  }
  // Each value comes from the `read` of its own setting, so it has the type of that setting.
  const read = values as Partial<Config>;
  problems.push(...portProblems(read));
  return { values: read, problems, given: allGiven };
}

/** Finds the text of a setting. Throws `WrongSetting` with a whole sentence. */
function givenTo(
  { flag, variable, fallback, holdsSecret }: Setting<unknown>,
  fromFlag: string | undefined,
  environment: Texts,
): Given {
  if (fromFlag) return { text: fromFlag, source: flag };
  const text = environment[variable];
  const source = fileVariable(variable);
  const file = environment[source];
  // An empty flag means the fallback too, whatever the variables are.
  if (fromFlag === '' || (!text && !file)) return { text: fallback, source: undefined };
  if (!file) return { text: text ?? fallback, source: variable };
  if (text) {
    throw new WrongSetting(`${variable} and ${source} are both set: unset one, or leave it empty`);
  }
  try {
    return { text: readLine(file), source, file };
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    // A secret may stand where its file should be named.
    const path = holdsSecret ? 'the file that it names' : file;
    throw new WrongSetting(`${source} cannot be used: ${path} ${error.problem}`);
  }
}

/** Reads the text of a setting. Throws `WrongSetting` with a whole sentence. */
function readGiven({ read, holdsSecret, variable }: Setting<unknown>, given: Given): unknown {
  try {
    return read(given.text);
  } catch (error) {
    if (!(error instanceof WrongSetting)) throw error;
    const { text, source = variable, file } = given;
    if (file !== undefined) {
      // A wrong path may lead to any secret, so nothing is quoted.
      const problem = error.message.replace(/".*"/, '…');
      throw new WrongSetting(`${source} ${problem} (it is in ${file})`);
    }
    // Only a valid value shows where its password is.
    const shown = holdsSecret ? '' : ` (it is "${redactPassword(text)}")`;
    throw new WrongSetting(`${source} ${error.message}${shown}`);
  }
}

/** Returns the flag or the variable that a setting came from, or could come from. */
export function sourceOf({ given }: Pick<ReadSettings, 'given'>, name: SettingName): string {
  return given[name]?.source ?? settings[name].variable;
}

/** Returns the variable that names a file with the value of another. */
export function fileVariable(variable: string): string {
  return `${variable}_FILE`;
}

/** Reads all settings. Throws `ConfigProblems`. */
export function readConfig(flags: Texts, environment: Texts): Config {
  return withoutProblems(readSettings(flags, environment));
}

/** Returns settings that can all be used. Throws `ConfigProblems`. */
export function withoutProblems({
  values,
  problems,
}: Pick<ReadSettings, 'values' | 'problems'>): Config {
  if (problems.length > 0) throw new ConfigProblems(problems.join('\n'));
  // Without problems every setting has its value.
  return Object.freeze(values) as Config;
}

const PREFIX = 'PETSTORE_';
/** Not a setting: clients in the guides read their key from it. */
const OF_CLIENTS = 'PETSTORE_API_KEY';

/** Returns whether a variable looks like a setting. */
export function isOfService(name: string): boolean {
  return name.startsWith(PREFIX) && name !== OF_CLIENTS;
}

/** A variable that looks like a setting but is none, probably a typo. */
interface UnknownVariable {
  readonly name: string;
  /** The setting with the most similar name. */
  readonly nearest: string;
}

/** Finds variables that start with `PETSTORE_` but belong to no setting. */
export function unknownVariables(variables: Texts): readonly UnknownVariable[] {
  const known = SETTING_NAMES.flatMap((name) => {
    const { variable } = settings[name];
    return [variable, fileVariable(variable)];
  });
  return Object.keys(variables)
    .filter((name) => isOfService(name) && !known.includes(name))
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
