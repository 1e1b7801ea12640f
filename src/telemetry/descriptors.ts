import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import type { Log } from './log.ts';

/** Descriptors held back: without any, not even the log could be loaded to say that there are none. */
const SPARE = 8;
/** How many must be free, those that were held back among them, to call it enough. */
const ENOUGH = 2 * SPARE;
/** How often in a row there must be enough of them until the shortage is over, so that it is told once. */
const LOOKS_OF_RELIEF = 40;

/** Notices when the process has no file descriptor left for another connection. */
export interface DescriptorWatch {
  /** Takes a look, which costs two system calls unless there is a shortage. */
  look(): void;
  /** Lets go of the descriptors that were held back. */
  end(): void;
}

/** Writes one line to the log when descriptors run out, and one when they are free again. */
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
        'there are no free file descriptors: no more connections are accepted, those that are go on; ' +
          'raise the limit of open files (LimitNOFILE, ulimit -n)',
      );
    },
    end() {
      spare.forEach(closeSync);
      spare = [];
    },
  };
}

/** Opens so many descriptors, or as many as there are. */
function open(count: number): number[] {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync(devNull, 'r'));
  } catch {
    // The limit of the process or the system is reached.
  }
  return opened;
}
