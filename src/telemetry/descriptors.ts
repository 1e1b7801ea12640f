import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import type { Log } from './log.ts';

/** Descriptors held in reserve: without them, the log could not be loaded to report the shortage. */
const SPARE = 8;
/** Descriptors that must be free, the reserve included, to end a shortage. */
const ENOUGH = 2 * SPARE;
/** Looks in a row that must find enough before a shortage is over, so that it is reported once. */
const LOOKS_OF_RELIEF = 40;

/** Detects that the process has no file descriptor left for another connection. */
export interface DescriptorWatch {
  /** Checks for a shortage. Costs two system calls unless there is one. */
  look(): void;
  /** Closes the reserved descriptors. */
  end(): void;
}

/** Logs one line when descriptors run out, and one when they are free again. */
export function watchDescriptors(log: Pick<Log, 'warn' | 'info'>): DescriptorWatch {
  let spare = open(SPARE);
  let isShort = false;
  let looksWithEnough = 0;

  function lookWhileShort(): void {
    const taken = open(ENOUGH);
    looksWithEnough = taken.length === ENOUGH ? looksWithEnough + 1 : 0;
    taken.forEach(closeSync);
    if (looksWithEnough < LOOKS_OF_RELIEF) return;
    spare = open(SPARE);
    isShort = false;
    log.info('there are free file descriptors again');
  }

  return {
    look() {
      if (isShort) {
        lookWhileShort();
        return;
      }
      const [one] = open(1);
      if (one !== undefined) {
        closeSync(one);
        return;
      }
      spare.forEach(closeSync);
      spare = [];
      isShort = true;
      looksWithEnough = 0;
      log.warn(
        'there are no free file descriptors: no new connections are accepted, open ones are served; ' +
          'raise the limit of open files (LimitNOFILE, ulimit -n)',
      );
    },
    end() {
      spare.forEach(closeSync);
      spare = [];
    },
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
