import { availableParallelism } from 'node:os';

/** Programs that the benchmarks need besides Bun: how to get them, and their purpose. */
const PROGRAMS = {
  taskset: 'taskset (Linux, package util-linux): pins each program',
  wrk: 'wrk (Debian: apt install wrk): sends the load',
  nginx: 'nginx (Debian: apt install nginx-light): what we compare with',
};

/** Paths of programs by name. */
export type Programs<Name extends keyof typeof PROGRAMS> = Readonly<Record<Name, string>>;

/** Includes folders of servers, which the path of an ordinary user often lacks. */
const SEARCH_PATH = `${process.env['PATH'] ?? ''}:/usr/local/sbin:/usr/sbin:/sbin`;

/** Finds the required programs. Lists those that are missing and exits if there are any. */
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
  // None is missing.
  return Object.fromEntries(found) as Programs<Name>;
}

/** Returns the versions of the measured programs and of the tools. */
export function versionsText({ wrk, nginx }: Programs<'wrk' | 'nginx'>): string {
  return [
    `bun ${Bun.version}`,
    `nginx ${numberIn([nginx, '-v'])}`,
    `wrk ${numberIn([wrk, '-v'])}`,
  ].join(', ');
}

/** Returns the first version number that a command prints. */
function numberIn(command: string[]): string {
  const { stdout, stderr } = Bun.spawnSync(command);
  return /[0-9]+(?:\.[0-9]+)+/.exec(`${stdout}${stderr}`)?.[0] ?? 'of unknown version';
}
