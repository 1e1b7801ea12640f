import { accessSync, constants, statSync } from 'node:fs';
import { systemClock } from '../domain/clock.ts';
import { resolveHost, unresolvedHosts } from '../domain/network-list.ts';
import { bucketAddress } from '../photos/bucket.ts';
import { type ReadSettings, sourceOf } from '../settings/config.ts';
import { readCertificate, UnusableCertificate } from './certificate.ts';

/**
 * Returns what keeps a service with these settings from starting, besides the settings that are wrong in themselves:
 * one sentence each. It changes nothing.
 */
export async function startProblems(read: ReadSettings): Promise<readonly string[]> {
  const problems = [
    ...(await hostProblems(read)),
    await certificateProblem(read.values),
    backupProblem(read),
  ];
  return problems.filter((problem) => problem !== undefined);
}

async function certificateProblem(values: ReadSettings['values']): Promise<string | undefined> {
  const { tlsCert, tlsKey } = values;
  try {
    await readCertificate({ tlsCert, tlsKey }, systemClock.now());
    return undefined;
  } catch (error) {
    if (error instanceof UnusableCertificate) return error.message;
    throw error;
  }
}

/** Returns a sentence for each address to listen on that this machine does not have. */
export async function hostProblems(read: ReadSettings): Promise<readonly string[]> {
  const found = await Promise.all([
    listeningProblem(read, 'host'),
    read.values.opsPort?.number === undefined ? undefined : listeningProblem(read, 'opsHost'),
  ]);
  return found.filter((problem) => problem !== undefined);
}

/** Tries the address with a free port: the runtime names neither the setting nor, for a name, the cause. */
async function listeningProblem(
  read: ReadSettings,
  name: 'host' | 'opsHost',
): Promise<string | undefined> {
  const host = read.values[name];
  if (host === undefined) return undefined;
  const todo = `set it to an address of this machine${name === 'host' ? ', or to 0.0.0.0 for all' : ''}.`;
  const address = await resolveHost(host);
  if (address === undefined) {
    return `${sourceOf(read, name)} is the name "${host}", which does not resolve: ${todo}`;
  }
  try {
    Bun.listen({ hostname: address, port: 0, socket: { data() {} } }).stop(true);
    return undefined;
  } catch {
    const shown = address === host ? address : `${host} (${address})`;
    return `${sourceOf(read, name)} is ${shown}, which is no address of this machine: ${todo}`;
  }
}

/** A bucket is not asked: it may be out of reach for a while. */
function backupProblem(read: ReadSettings): string | undefined {
  const { backup } = read.values;
  if (backup === undefined || bucketAddress(backup) !== undefined) return undefined;
  const source = sourceOf(read, 'backup');
  const todo = 'create it, mount its disk, or unset it.';
  try {
    if (!statSync(backup).isDirectory()) return `${source} names a file, not a folder: ${todo}`;
    accessSync(backup, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const why = isMissing ? 'that does not exist' : 'that this user may not write to';
    return `${source} names a folder ${why}: ${todo}`;
  }
}

const WITH_HOSTS = ['database', 'limits', 'smtp'] as const;

/** Returns a sentence for each setting with the address of a server whose host does not resolve. */
export async function unresolvedSettings(read: ReadSettings): Promise<readonly string[]> {
  const problems = WITH_HOSTS.map(async (name) => {
    const unresolved = await unresolvedHosts(read.values[name] ?? '');
    if (unresolved.length === 0) return [];
    const hosts = unresolved.map((host) => `"${host}"`).join(' and ');
    const verb = unresolved.length === 1 ? 'does' : 'do';
    return `${sourceOf(read, name)} names ${hosts}, which ${verb} not resolve: correct it, or the DNS of this machine.`;
  });
  return (await Promise.all(problems)).flat();
}
