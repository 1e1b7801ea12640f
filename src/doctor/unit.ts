import { existsSync } from 'node:fs';
import { SECOND_MS } from '../domain/clock.ts';
import { ConfigProblems } from '../settings/config.ts';
import { readEnvFile } from '../settings/env-file.ts';
import { readLine, UnusableFile } from '../settings/small-file.ts';
import { type Finding, findingsOf } from './finding.ts';

const { good, advice, bad } = findingsOf('settings');

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

/** How systemd runs a unit; texts are empty where it says nothing. */
interface ServiceUser {
  readonly user: string;
  readonly group: string;
  readonly workingDirectory: string;
  /** With such capabilities a user may do more than can be tried here. */
  readonly capabilities: string;
}

/**
 * Makes this process the user of a unit, in its folder, until it ends: root may use files that the service may not, and
 * relative paths are meant from that folder. Never throws.
 */
export function becomeServiceUser(unit: ServiceUser): Finding[] {
  const findings = enterFolder(unit.workingDirectory.replace(/^[!-]/, '') || '/');
  const user = unit.user || 'root';
  const [uid] = idsOf('-u', user);
  if (uid === process.getuid?.()) return findings;
  const asOther = (why: string) =>
    advice(`${why}: whether ${user} may use the files was not checked.`, 'Try it as that user.');
  if (process.getuid?.() !== 0)
    return [...findings, asOther('Only root can check as another user')];
  const [gid] = idsOf('-g', user);
  if (uid === undefined || gid === undefined) {
    return [...findings, asOther(`This machine knows no user ${user} now`)];
  }
  if (unit.capabilities !== '') {
    return [...findings, asOther(`The unit has capabilities (${unit.capabilities})`)];
  }
  try {
    process.setgroups?.(idsOf('-G', user));
    process.setgid?.(unit.group || gid);
    process.setuid?.(uid);
    return [...findings, good(`All else was checked as the user of the service, ${user}.`)];
  } catch (error) {
    return [...findings, asOther(String(error))];
  }
}

function enterFolder(folder: string): Finding[] {
  try {
    process.chdir(folder);
    return [];
  } catch (error) {
    const found = `The service starts in ${folder}, which cannot be used: ${String(error)}.`;
    return [bad(found, 'Make that folder, or correct WorkingDirectory.')];
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
 * Replaces variables that name credentials of a service that does not run, by what systemd would load: the files
 * are not there then, and that is not wrong. `sources` has lines `ID:PATH`.
 */
function withCredentials(
  variables: Readonly<Partial<Record<string, string>>>,
  sources: readonly string[],
): { variables: Partial<Record<string, string>>; findings: Finding[] } {
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
      if (!name.endsWith('_FILE') || !path.startsWith('/'))
        throw new UnusableFile(path, 'is no setting');
      read[name.slice(0, -'_FILE'.length)] = readLine(path);
    } catch (error) {
      if (!(error instanceof UnusableFile)) throw error;
      const found = `${name} names a credential that systemd gives to the service when it starts.`;
      findings.push(advice(`${found} It was not checked.`, 'Run this while the service runs.'));
      // A certificate alone would be wrong.
      if (name.startsWith('PETSTORE_TLS_')) {
        delete read['PETSTORE_TLS_CERT'];
        delete read['PETSTORE_TLS_KEY'];
      }
    }
  }
  return { variables: read, findings };
}
