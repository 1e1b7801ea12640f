import { type ReadSettings, withoutProblems } from '../settings/config.ts';
import type { EnvFile } from '../settings/env-file.ts';
import { SETTING_NAMES, type SettingName, settings } from '../settings/settings.ts';
import { redactPassword } from '../storage/address.ts';
import { printable, table } from './print.ts';

const MASKED = '***';

/**
 * Returns a table of all settings: variable, value without secrets, and where it comes from. Throws
 * `ConfigProblems` if any of them cannot be used.
 */
export function settingsTable(read: ReadSettings, envFile: EnvFile | undefined): string {
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
