import { readdirSync, readFileSync } from 'node:fs';

/** Linux reports the time of a process in this unit, whatever the kernel's own tick is. */
const TICK_MS = 10;

/**
 * Returns the processor time of a process since its start, including its threads and all descendants,
 * ended or not.
 */
export function cpuMillisecondsOf(pid: number): number {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // It has just ended, so its time is now counted in that of its parent.
    return 0;
  }
  return childrenOf(pid).reduce(
    (total, child) => total + cpuMillisecondsOf(child),
    ticksOf(stat, 4) * TICK_MS,
  );
}

/** Returns the processor time of the main thread of a process. */
export function mainThreadMillisecondsOf(pid: number): number {
  return ticksOf(readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8'), 2) * TICK_MS;
}

/** Adds fields 14 and on of proc_pid_stat(5): user and system time, then those of ended children. */
function ticksOf(stat: string, fields: 2 | 4): number {
  const values = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return values.slice(11, 11 + fields).reduce((total, value) => total + Number(value), 0);
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
      const children = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8');
      return children.split(' ').filter(Boolean).map(Number);
    });
  } catch {
    return [];
  }
}
