import { existsSync } from 'node:fs';
import { SECOND_MS } from '../domain/clock.ts';
import { ConfigProblems } from '../settings/config.ts';
import { readEnvFile } from '../settings/env-file.ts';
import { readLine, UnusableFile } from '../settings/small-file.ts';
import { type Finding, findingsOf } from './finding.ts';

const { good, advice, bad } = findingsOf('settings');

type Variables = Readonly<Partial<Record<string, string>>>;

/** What systemd gives to a service that it starts. Texts are empty where it says nothing. */
export interface UnitSettings {
  readonly variables: Variables;
  /** The words after the program in its command line. */
  readonly words: readonly string[];
  readonly findings: readonly Finding[];
  readonly user: string;
  readonly group: string;
  readonly workingDirectory: string;
  /** With such capabilities a user may do more than can be tried here. */
  readonly capabilities: string;
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
  const textOf = (name: string) => valuesOf(name)[0] ?? '';
  if (textOf('LoadState') !== 'loaded') return undefined;

  const own = valuesOf('Environment').flatMap(words).map(assignment);
  const files = valuesOf('EnvironmentFiles').map(readListed);
  const [, commandLine = ''] = /argv\[\]=\S+ ?(.*?) ; /.exec(textOf('ExecStart')) ?? [];
  const given = Object.assign(Object.fromEntries(own), ...files.map((file) => file.variables));
  const sources = valuesOf('LoadCredential').flatMap((line) => line.split(' '));
  const { variables, findings } = withCredentials(given, sources);
  return {
    variables,
    words: commandLine.split(' '),
    findings: [
      good(`The settings are those of ${unit}, as systemd knows them.`),
      ...files.flatMap(({ problems }) => problems),
      ...findings,
    ],
    user: textOf('User'),
    group: textOf('Group'),
    workingDirectory: textOf('WorkingDirectory'),
    capabilities: textOf('AmbientCapabilities'),
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
    const problem = bad(`${error.message}
      → Correct it; if it must not be readable by others, run this as root.`);
    return { variables: {}, problems: isAbsent ? [] : [problem] };
  }
}

/**
 * Makes this process run as the user of a unit, in its folder, until it ends: root may use files that the service may not,
 * and relative paths start in that folder. Never throws.
 */
export function* becomeServiceUser(unit: UnitSettings): Generator<Finding> {
  const folder = unit.workingDirectory.replace(/^[!-]/, '') || '/';
  try {
    process.chdir(folder);
  } catch (error) {
    yield bad(`The service starts in ${folder}, which cannot be used: ${String(error)}.
      → Make that folder, or correct WorkingDirectory.`);
  }
  const user = unit.user || 'root';
  const [uid] = idsOf('-u', user);
  if (uid === process.getuid?.()) return;
  const reason = becomeUser(user, uid, unit);
  yield reason === undefined
    ? good(`All else was checked as the user of the service, ${user}.`)
    : advice(`${reason}: whether ${user} may use the files was not checked.
        → Try it as that user.`);
}

/** Returns why this process cannot become a user; undefined once it is. */
function becomeUser(
  user: string,
  uid: number | undefined,
  { group, capabilities }: UnitSettings,
): string | undefined {
  if (process.getuid?.() !== 0) return 'Only root can check as another user';
  const [gid] = idsOf('-g', user);
  if (uid === undefined || gid === undefined) return `This machine knows no user ${user} now`;
  if (capabilities !== '') return `The unit has capabilities (${capabilities})`;
  try {
    process.setgroups?.(idsOf('-G', user));
    process.setgid?.(group || gid);
    process.setuid?.(uid);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/** Asks the system for numbers of a user; none for one that it does not know. */
function idsOf(flag: string, user: string): number[] {
  const program = Bun.which('id', { PATH: '/usr/bin:/bin' });
  if (program === null) return [];
  const { stdout } = Bun.spawnSync([program, flag, user], { stderr: 'ignore' });
  const text = stdout.toString().trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

const CREDENTIAL = /^\/run\/credentials\/[^/]+\/(.+)$/;

/**
 * Replaces variables that name credentials by what systemd would load. While the service does not run, the files of its
 * credentials rightly do not exist. `sources` has lines `ID:PATH`.
 */
function withCredentials(
  variables: Variables,
  sources: readonly string[],
): { variables: Variables; findings: Finding[] } {
  const pathOf = new Map(
    sources.map((line) => [line.split(':')[0], line.slice(line.indexOf(':') + 1)]),
  );
  const read: Partial<Record<string, string>> = { ...variables };
  const findings: Finding[] = [];
  for (const [name, value = ''] of Object.entries(variables)) {
    const [, id] = CREDENTIAL.exec(value) ?? [];
    if (id === undefined || existsSync(value)) continue;
    delete read[name];
    const path = pathOf.get(id) ?? '';
    try {
      if (!name.endsWith('_FILE') || !path.startsWith('/')) throw new UnusableFile(path, '');
      read[name.slice(0, -'_FILE'.length)] = readLine(path);
    } catch (error) {
      if (!(error instanceof UnusableFile)) throw error;
      findings.push(
        advice(`${name} names a credential that systemd gives to the service when it starts. It was not checked.
          → Run this while the service runs.`),
      );
      // A certificate alone would be wrong.
      if (name.startsWith('PETSTORE_TLS_')) {
        delete read['PETSTORE_TLS_CERT'];
        delete read['PETSTORE_TLS_KEY'];
      }
    }
  }
  return { variables: read, findings };
}
