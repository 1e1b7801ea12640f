import { availableParallelism } from 'node:os';

/** The programs that a run needs besides Bun. */
export interface Programs {
  readonly taskset: string;
  readonly wrk: string;
  readonly nginx: string;
}

/** Something that a run needs is not there; the message says what, and how to get it. */
export class MissingRequirement extends Error {}

/** Where servers are installed, which the path of an ordinary user often leaves out. */
const SEARCH_PATH = `${process.env['PATH'] ?? ''}:/usr/local/sbin:/usr/sbin:/sbin`;

/** Names everything that is missing at once. */
export function findPrograms(): Programs {
  const find = (name: string) => Bun.which(name, { PATH: SEARCH_PATH });
  const [taskset, wrk, nginx] = [find('taskset'), find('wrk'), find('nginx')];
  const missing: string[] = [];
  if (taskset === null) missing.push('taskset (Linux, package util-linux): pins each program');
  if (wrk === null) missing.push('wrk (Debian: apt install wrk): sends the load');
  if (nginx === null) missing.push('nginx (Debian: apt install nginx-light): what we compare with');
  if (availableParallelism() < 2) missing.push('a second core: servers and load need one each');
  if (taskset === null || wrk === null || nginx === null || missing.length > 0) {
    throw new MissingRequirement(`The bench needs:\n- ${missing.join('\n- ')}`);
  }
  return { taskset, wrk, nginx };
}

/** The versions of what is measured and what it is measured with. */
export function versionsText({ wrk, nginx }: Programs): string {
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
