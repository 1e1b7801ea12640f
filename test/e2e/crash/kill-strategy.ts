import { spawnPetstore } from '../../support/command-line.ts';
import { programPath } from '../../support/program.ts';
import type { Random } from './random.ts';

type Child = ReturnType<typeof spawnPetstore>;

/** Decides when a server under load is killed. */
export interface KillStrategy {
  /** Starts the command that will be killed. */
  spawn(args: readonly string[], settings: Readonly<Record<string, string>>): Child;
  /** Resolves once the child is dead; `serves` resolves once it accepts requests, if it ever does. */
  killed(child: Child, serves: Promise<unknown>): Promise<void>;
}

/** Shortest and longest lifetime of a server under load. */
const LIFETIME_MS = [50, 450] as const;
/** Kill the server after this time if the system call never came. */
const LIFETIME_MAX_MS = 5_000;

/** `kill -9` at a random time. */
export function killAtRandomTime(random: Random): KillStrategy {
  return {
    spawn: spawnPetstore,
    async killed(child, serves) {
      await serves;
      await Bun.sleep(LIFETIME_MS[0] + random.below(LIFETIME_MS[1] - LIFETIME_MS[0]));
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}

/**
 * System calls with which SQLite writes a transaction to disk: the frames of the write-ahead log
 * and the pages of the database, then the fsync that commits them. And the call that sends a
 * response to its client.
 */
export const KILL_POINTS = ['pwrite64', 'fsync', 'sendto'] as const;
export type KillPoint = (typeof KILL_POINTS)[number];

/**
 * Kills the server as it enters the nth system call of one kind: an exact point before, inside or
 * after a commit, or between commit and response.
 */
export function killAtSystemCall(call: KillPoint, nth: number): KillStrategy {
  return {
    spawn(args, settings) {
      const strace = programPath('strace', 'strace');
      const inject = ['-e', `trace=${call}`, '-e', `inject=${call}:signal=SIGKILL:when=${nth}`];
      // `-f`: all threads; `-D`: the server stays our child, and strace is not its parent.
      const watch = [strace, '-f', '-qq', '-D', '-o', '/dev/null', ...inject];
      return spawnPetstore(args, settings, watch);
    },
    async killed(child) {
      const late = setTimeout(() => child.kill('SIGKILL'), LIFETIME_MAX_MS);
      await child.exited;
      clearTimeout(late);
    },
  };
}
