import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts the time of a process in these, whatever the kernel's own tick is. */
const TICK_MS = 10;

/**
 * How long a process has kept processors busy since its start, with its threads and all processes
 * that it started and theirs, ended or not.
 */
export function cpuMillisecondsOf(pid: number): number {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // It ended a moment ago; from now on its time is in that of the one that started it.
    return 0;
  }
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // Fields 14 to 17 of proc_pid_stat(5): user and system, its own and of children that ended.
  const ticks = fields.slice(11, 15).reduce((total, field) => total + Number(field), 0);
  return childrenOf(pid).reduce(
    (total, child) => total + cpuMillisecondsOf(child),
    ticks * TICK_MS,
  );
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
