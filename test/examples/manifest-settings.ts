import { expect } from 'bun:test';
import { basename } from 'node:path';
import { type Config, readConfig } from '../../src/settings/config.ts';
import { runHere } from '../support/command-line.ts';

/** The variables of a container. */
type Variables = Readonly<Record<string, string>>;

/** Returns the variables of a container as they are where its secrets are the files of this folder. */
export function withSecretsIn(folder: string, variables: Variables): Variables {
  const entries = Object.entries(variables).map(([name, value]) => [
    name,
    value.startsWith('/run/secrets/') ? `${folder}/${basename(value)}` : value,
  ]);
  return Object.fromEntries(entries);
}

/** Runs the commands before `docker` in the first lines of a file, in a folder of its own. */
export function makeSecrets(text: string, cwd: string): void {
  const [head = ''] = text.split(/^# {3}docker /m);
  const lines = [...head.matchAll(/^# {3,}(.*)$/gm)].map(([, line]) => line);
  const command = ['sh', '-ec', `umask 077\n${lines.join('\n')}`];
  expect(Bun.spawnSync(command, { cwd }).stderr.toString()).toBe('');
}

/** Returns the settings of a container, which must start with them and without a warning. */
export async function quietConfigOf(variables: Variables): Promise<Config> {
  const { exitCode, stderr } = await runHere(['serve', '--print-settings'], variables);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return readConfig({}, variables);
}
