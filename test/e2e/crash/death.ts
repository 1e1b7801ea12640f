import { spawnPetstore } from '../../support/command-line.ts';
import type { Random } from './random.ts';

type Child = ReturnType<typeof spawnPetstore>;

/** A way in which a server comes to its end under load. */
export interface Death {
  /** Starts the command that is to die. */
  spawn(args: readonly string[], settings: Readonly<Record<string, string>>): Child;
  /** Comes back when it has been killed; `serves` when it takes requests, if it ever does. */
  killed(child: Child, serves: Promise<unknown>): Promise<void>;
}

/** The shortest and longest life of a server under load. */
const LIFE_MS = [50, 450] as const;
/** By then it has been killed, or its system call never came. */
const LIFE_MAX_MS = 5_000;

/** `kill -9` at a moment by chance. */
export function deathAtAnyMoment(random: Random): Death {
  return {
    spawn: spawnPetstore,
    async killed(child, serves) {
      await serves;
      await Bun.sleep(LIFE_MS[0] + random.below(LIFE_MS[1] - LIFE_MS[0]));
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}

/**
 * System calls by which SQLite brings a transaction to the disk: the frames of the write-ahead log
 * and the pages of the database, then the fsync that makes a commit of them. And the one that
 * carries an answer to its client.
 */
export const DEADLY_CALLS = ['pwrite64', 'fsync', 'sendto'] as const;
export type DeadlyCall = (typeof DEADLY_CALLS)[number];

const STRACE = Bun.which('strace');

/** Why tests that kill at system calls are left out here; undefined where they can run. */
export const NO_STRACE =
  STRACE === null && process.env['CI'] !== 'true' ? 'strace is not installed' : undefined;

/**
 * Killed as it enters a system call, the nth of its kind: before, inside and after a commit, and
 * between commit and answer, at exactly that point.
 */
export function deathAtCall(call: DeadlyCall, nth: number): Death {
  return {
    spawn(args, settings) {
      if (STRACE === null) throw new Error('install strace');
      const inject = ['-e', `trace=${call}`, '-e', `inject=${call}:signal=SIGKILL:when=${nth}`];
      // `-f`: all threads; `-D`: the server is our child, and strace watches from aside.
      const watch = [STRACE, '-f', '-qq', '-D', '-o', '/dev/null', ...inject];
      return spawnPetstore(args, settings, watch);
    },
    async killed(child) {
      const late = setTimeout(() => child.kill('SIGKILL'), LIFE_MAX_MS);
      await child.exited;
      clearTimeout(late);
    },
  };
}
