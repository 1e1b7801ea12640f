import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import type { Log } from './log.ts';

/** Descriptors that must be free to end a shortage. */
const ENOUGH = 16;
/** Checks in a row that must find enough before a shortage is over, so that it is reported once. */
const RECOVERY_CHECKS = 40;

/**
 * Creates a check whether the process has a file descriptor left for another connection. It logs one line when there
 * is none, and one when there are enough again. Costs two system calls, more during a shortage.
 */
export function createDescriptorCheck(log: Pick<Log, 'warn' | 'info'>): () => void {
  let isShort = false;
  let checksWithEnough = 0;

  return () => {
    const wanted = isShort ? ENOUGH : 1;
    const taken = open(wanted);
    taken.forEach(closeSync);
    const isEnough = taken.length === wanted;
    if (!isShort && !isEnough) {
      isShort = true;
      log.warn(
        'there are no free file descriptors: no new connections are accepted, open ones are served; ' +
          'raise the limit of open files (LimitNOFILE, ulimit -n)',
      );
    } else if (isShort) {
      checksWithEnough = isEnough ? checksWithEnough + 1 : 0;
      if (checksWithEnough < RECOVERY_CHECKS) return;
      isShort = false;
      checksWithEnough = 0;
      log.info('there are free file descriptors again');
    }
  };
}

/** Opens `count` descriptors, or as many as possible. */
function open(count: number): number[] {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync(devNull, 'r'));
  } catch {
    // The limit of the process or the system is reached.
  }
  return opened;
}
