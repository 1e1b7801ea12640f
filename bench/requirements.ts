import { availableParallelism } from 'node:os';

/** The programs that benches need besides Bun: how each is got, and what it does here. */
const PROGRAMS = {
  taskset: 'taskset (Linux, package util-linux): pins each program',
  wrk: 'wrk (Debian: apt install wrk): sends the load',
  nginx: 'nginx (Debian: apt install nginx-light): what we compare with',
};

/** Where programs are, by their names. */
export type Programs<Name extends keyof typeof PROGRAMS> = Readonly<Record<Name, string>>;

/** Where servers are installed, which the path of an ordinary user often leaves out. */
const SEARCH_PATH = `${process.env['PATH'] ?? ''}:/usr/local/sbin:/usr/sbin:/sbin`;

/** Finds what a bench needs. Where something is missing, writes all that is and exits by itself. */
export function findPrograms<Name extends keyof typeof PROGRAMS>(
  ...names: readonly Name[]
): Programs<Name> {
  const found = new Map(names.map((name) => [name, Bun.which(name, { PATH: SEARCH_PATH })]));
  const missing = names.filter((name) => found.get(name) === null).map((name) => PROGRAMS[name]);
  if (availableParallelism() < 2) missing.push('a second core: servers and load need one each');
  if (missing.length > 0) {
    process.stderr.write(`The bench needs:\n- ${missing.join('\n- ')}\n`);
    process.exit(1);
  }
  // Each was found.
  return Object.fromEntries(found) as Programs<Name>;
}

/** The versions of what is measured and what it is measured with. */
export function versionsText({ wrk, nginx }: Programs<'wrk' | 'nginx'>): string {
  return [
    `bun ${Bun.version}`,
    `nginx ${numberIn([nginx, '-v'])}`,
    `wrk ${numberIn([wrk, '-v'])}`,
  ].join(', ');
}

/** The first version number that a command prints. */
function numberIn(command: string[]): string {
  const { stdout, stderr } = Bun.spawnSync(command);
  return /[0-9]+(?:\.[0-9]+)+/.exec(`${stdout}${stderr}`)?.[0] ?? 'of unknown version';
}
