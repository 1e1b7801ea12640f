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
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // Fields 14 to 17 of proc_pid_stat(5): user and system time, its own and that of ended children.
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
