import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { Config } from '../../settings/config.ts';
import { databaseAddress } from '../../storage/address.ts';

/** The most workers that `auto` starts: the thread that writes would be the limit before. */
const AUTO_MAX = 16;
const QUOTA_FILE = '/sys/fs/cgroup/cpu.max';

/** The number of workers to start. */
export interface WorkerCount {
  readonly workers: number;
  /** Why there is one worker although the settings ask for more. */
  readonly reason?: string;
}

/** The machine, as far as the number of workers depends on it. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  /** The cores that this process may use. */
  readonly cores: number;
}

/** Returns the number of workers that these settings ask for and that can serve. */
export function countWorkers(
  { workers, database }: Pick<Config, 'workers' | 'database'>,
  { platform, cores }: Machine = thisMachine(),
): WorkerCount {
  const asked = workers === 'auto' ? Math.min(cores, AUTO_MAX) : workers;
  if (asked === 1) return { workers: 1 };
  if (platform !== 'linux') {
    return { workers: 1, reason: 'this system does not spread connections over several listeners' };
  }
  const address = databaseAddress(database);
  if (address.engine === 'sqlite' && address.path === ':memory:') {
    return { workers: 1, reason: 'a database in memory belongs to one thread' };
  }
  return { workers: asked };
}

/** Returns the facts of this machine. */
export function thisMachine(): Machine {
  const cores = Math.min(availableParallelism(), readQuota() ?? Number.POSITIVE_INFINITY);
  return { platform: process.platform, cores };
}

/** Returns the cores that the quota of a container allows; undefined without a quota. */
function readQuota(): number | undefined {
  try {
    return coresOfQuota(readFileSync(QUOTA_FILE, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Reads `QUOTA PERIOD` of a control group, at least one core; undefined for `max`. */
export function coresOfQuota(text: string): number | undefined {
  const [quota, period] = text.trim().split(' ').map(Number);
  if (quota === undefined || period === undefined || !(quota / period > 0)) return undefined;
  return Math.max(1, Math.floor(quota / period));
}
