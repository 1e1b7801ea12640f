import { readdirSync, readFileSync } from 'node:fs';
import type { RunningServer } from './workbench.ts';

/** Requests under way at a time. */
const AT_ONCE = 6;

/** Returns the processor time of all threads of a process (proc_pid_schedstat(5)). */
function nanosecondsOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((total, thread) => {
    const [time] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
    return total + Number(time);
  }, 0);
}

/** Returns the processor time of each of these requests, in microseconds. */
export async function timeOf(
  server: RunningServer,
  send: readonly (() => Promise<unknown>)[],
): Promise<number> {
  const before = nanosecondsOf(server.pid);
  const waiting = [...send];
  const next = async () => {
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) await one();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return (nanosecondsOf(server.pid) - before) / 1_000 / send.length;
}
