import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun } from '../conformance/tools.ts';
import { postgresPrograms } from '../support/postgres-server.ts';

/** Not in a home folder: the programs run as another user, who cannot look into root's. */
const CACHE = '/var/cache/petstore-failover';
/** Debian's Python. Another one may be installed in a home folder. */
const PYTHON = '/usr/bin/python3';
const SEARCH_PATH = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`;

/** The programs that these tests need, with Debian's packages. */
const NEEDED = {
  etcd: 'etcd-server',
  ip: 'iproute2',
  unshare: 'util-linux',
  go: 'golang-go',
};

/** The reason why the tests cannot run here; undefined if they can. */
export function missing(): string | undefined {
  if (process.getuid?.() !== 0) return 'Only root may create networks.';
  if (postgresPrograms() === undefined)
    return 'PostgreSQL is missing (apt-get install postgresql).';
  const absent = Object.entries(NEEDED).find(([name]) => findProgram(name) === null);
  return absent && `${absent[0]} is missing (apt-get install ${absent[1]}).`;
}

function findProgram(name: string): string | null {
  return Bun.which(name, { PATH: SEARCH_PATH });
}

/**
 * Installs Patroni from PyPI in exact versions and returns the folder of its programs. `version` is
 * another version of Patroni than that in requirements.txt.
 */
export async function installPatroni(version: string | undefined): Promise<string> {
  const pinned = await Bun.file(join(import.meta.dir, 'requirements.txt')).text();
  const requirements =
    version === undefined ? pinned : pinned.replace(/^patroni==.*$/m, `patroni==${version}`);
  const root = join(CACHE, Bun.SHA256.hash(requirements, 'hex').slice(0, 16));
  // Written last, so that an interrupted installation starts over.
  const complete = join(root, 'complete');
  if (!existsSync(complete)) {
    rmSync(root, { recursive: true, force: true });
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, 'requirements.txt'), requirements);
    await mustRun([PYTHON, '-m', 'venv', 'venv'], root);
    const pip = ['venv/bin/pip', 'install', '--quiet', '--disable-pip-version-check'];
    await mustRun([...pip, '--requirement', 'requirements.txt'], root);
    writeFileSync(complete, '');
  }
  return join(root, 'venv/bin');
}
