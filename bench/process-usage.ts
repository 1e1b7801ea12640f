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
    ticksOf(stat) * TICK_MS,
  );
}

/** Adds fields 14 and on of proc_pid_stat(5): user and system time, then those of ended children. */
function ticksOf(stat: string): number {
  const values = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return values.slice(11, 15).reduce((total, value) => total + Number(value), 0);
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

const MEBIBYTE_IN_KB = 1_024;

/** Returns the current and peak resident memory of a process, in MiB (proc_pid_status(5)). */
export function residentOf(pid: number): { readonly now: number; readonly most: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mebibytes = (name: string) =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / MEBIBYTE_IN_KB;
  return { now: mebibytes('VmRSS'), most: mebibytes('VmHWM') };
}
