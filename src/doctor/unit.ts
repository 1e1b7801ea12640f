import { SECOND_MS } from '../domain/clock.ts';
import { ConfigProblems } from '../settings/config.ts';
import { readEnvFile } from '../settings/env-file.ts';
import { type Finding, findingsOf } from './finding.ts';
import { type ServiceUser, withCredentials } from './service-user.ts';

const { good, bad } = findingsOf('settings');

/** What systemd gives to a service that it starts. */
export interface UnitSettings {
  readonly variables: Readonly<Partial<Record<string, string>>>;
  /** The words after the program in its command line. */
  readonly words: readonly string[];
  readonly findings: readonly Finding[];
  readonly runs: ServiceUser;
}

const PROPERTIES = [
  ...['LoadState', 'Environment', 'EnvironmentFiles', 'ExecStart', 'LoadCredential'],
  ...['User', 'Group', 'WorkingDirectory', 'AmbientCapabilities'],
];
const TIMEOUT_MS = 5 * SECOND_MS;
/** A word, or a text in double quotes where a backslash escapes. */
const QUOTED_WORDS = /"((?:[^"\\]|\\[\s\S])*)"|(\S+)/g;
/** A leading minus of the unit becomes `ignore_errors=yes`. */
const ENVIRONMENT_FILE = /^(.*) \(ignore_errors=(yes|no)\)$/;

/**
 * Asks systemd for the settings of a unit: its variables, its files of variables and its command line.
 * Returns undefined without systemd, and for a unit that it does not know.
 */
export async function findUnit(unit: string): Promise<UnitSettings | undefined> {
  const systemctl = Bun.which('systemctl');
  if (systemctl === null) return undefined;
  const command = [systemctl, 'show', unit, ...PROPERTIES.map((name) => `--property=${name}`)];
  const child = Bun.spawn(command, { stdin: 'ignore', stderr: 'ignore', timeout: TIMEOUT_MS });
  const lines = (await child.stdout.text()).split('\n');
  const valuesOf = (name: string) =>
    lines.flatMap((line) => (line.startsWith(`${name}=`) ? [line.slice(name.length + 1)] : []));
  if (valuesOf('LoadState')[0] !== 'loaded') return undefined;

  const own = valuesOf('Environment').flatMap(words).map(assignment);
  const files = valuesOf('EnvironmentFiles').map(readListed);
  const [, commandLine = ''] = /argv\[\]=\S+ ?(.*?) ; /.exec(valuesOf('ExecStart')[0] ?? '') ?? [];
  const { variables, findings } = withCredentials(
    Object.assign(Object.fromEntries(own), ...files.map((file) => file.variables)),
    valuesOf('LoadCredential').flatMap((line) => line.split(' ')),
  );
  const textOf = (name: string) => valuesOf(name)[0] ?? '';
  return {
    variables,
    words: commandLine.split(' '),
    findings: [
      good(`The settings are those of ${unit}, as systemd knows them.`),
      ...files.flatMap(({ problems }) => problems),
      ...findings,
    ],
    runs: {
      user: textOf('User'),
      group: textOf('Group'),
      workingDirectory: textOf('WorkingDirectory'),
      capabilities: textOf('AmbientCapabilities'),
    },
  };
}

function words(list: string): string[] {
  return [...list.matchAll(QUOTED_WORDS)].map(
    ([, quoted, plain = '']) => quoted?.replace(/\\([\s\S])/g, '$1') ?? plain,
  );
}

function assignment(word: string): [string, string] {
  const at = word.indexOf('=');
  return [word.slice(0, at), word.slice(at + 1)];
}

function readListed(listed: string) {
  const [, path = listed, mayBeAbsent] = ENVIRONMENT_FILE.exec(listed) ?? [];
  try {
    return { variables: readEnvFile(path).variables, problems: [] };
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error;
    const isAbsent = mayBeAbsent === 'yes' && / ENOENT: /.test(error.message);
    const todo = 'Correct it; if it must not be readable by others, run this as root.';
    const problem = bad(error.message, todo);
    return { variables: {}, problems: isAbsent ? [] : [problem] };
  }
}
