import { readFileSync } from 'node:fs';
import { eventually } from './eventually.ts';

/** Halts a process and its children until the result is disposed of. */
export async function halt(main: number): Promise<Disposable> {
  using halted = new DisposableStack();
  const children = await stop(main, halted);
  await Promise.all(children.map((child) => stop(child, halted)));
  return halted.move();
}

/** Kills a process; resolves once its children, which it had no time to end, have ended too. */
export async function kill(main: number): Promise<void> {
  using halted = new DisposableStack();
  const children = await stop(main, halted);
  signal(main, 'SIGKILL');
  await Promise.all([main, ...children].map((pid) => untilState(pid, 'Z')));
}

/**
 * Stops a process so that it can continue later; returns its children. A running process could
 * get other children meanwhile.
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

/** Waits until a process is in one of these states (see proc(5)), or gone. */
async function untilState(pid: number, states: string): Promise<void> {
  await eventually(
    () => stateOf(pid),
    (state) => state === undefined || states.includes(state),
  );
}

/** Sends a signal to a process that may have ended. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** The state of a process, `T` if stopped; undefined if gone. */
function stateOf(pid: number): string | undefined {
  try {
    return /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}
