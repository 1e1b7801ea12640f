import { existsSync } from 'node:fs';
import { readLine, UnusableFile } from '../settings/small-file.ts';
import { type Finding, findingsOf } from './finding.ts';

const { good, advice, bad } = findingsOf('settings');

/** How systemd runs a unit; texts are empty where it says nothing. */
export interface ServiceUser {
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
export function withCredentials(
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
