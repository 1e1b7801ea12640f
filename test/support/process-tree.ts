import { readFileSync } from 'node:fs';
import { eventually } from './eventually.ts';

/** Halts a process and its children, until what this gives is disposed of. */
export async function halt(main: number): Promise<Disposable> {
  using halted = new DisposableStack();
  const children = await stop(main, halted);
  await Promise.all(children.map((child) => stop(child, halted)));
  return halted.move();
}

/** Ends a process; gives back when its children, which it has no time to end, have ended too. */
export async function kill(main: number): Promise<void> {
  using halted = new DisposableStack();
  const children = await stop(main, halted);
  signal(main, 'SIGKILL');
  await Promise.all([main, ...children].map((pid) => untilState(pid, 'Z')));
}

/**
 * Stops a process and has it go on later; gives its children. One that goes on would have other
 * children a moment later.
 */
async function stop(pid: number, later: DisposableStack): Promise<number[]> {
  signal(pid, 'SIGSTOP');
  later.defer(() => signal(pid, 'SIGCONT'));
  await untilState(pid, 'TZ');
  return childrenOf(pid);
}

function childrenOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return children.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Waits until a process is in one of these states, as proc(5) writes them, or gone. */
async function untilState(pid: number, states: string): Promise<void> {
  await eventually(
    () => stateOf(pid),
    (state) => state === undefined || states.includes(state),
  );
}

/** Sends a signal to a process that may have ended meanwhile. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** The state of a process, `T` for one that is stopped; undefined when it is gone. */
function stateOf(pid: number): string | undefined {
  try {
    return /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}
