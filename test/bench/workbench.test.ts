import { expect, test } from 'bun:test';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';

const PROGRAM = join(import.meta.dir, 'interrupted-run.ts');
const NO_TASKSET =
  Bun.which('taskset') === null && process.env['CI'] !== 'true' ? 'taskset is not installed' : '';

/** Counts the processes that work in a folder. */
function countIn(folder: string): number {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^[0-9]+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
    } catch {
      // The process has ended or belongs to another user.
      return false;
    }
  }).length;
}

test.skipIf(NO_TASKSET !== '')(
  `a signal ends all that a run has started, however often it comes ${NO_TASKSET}`,
  async () => {
    const run = Bun.spawn([process.execPath, PROGRAM], { stdout: 'pipe', stderr: 'pipe' });
    const output = run.stdout.getReader();
    const read = async () => new TextDecoder().decode((await output.read()).value);
    const folder = (await read()).trim();
    await eventually(
      () => countIn(folder),
      (count) => count === 2,
    );
    run.kill('SIGINT');
    expect(await read()).toBe('disposed\n');
    run.kill('SIGINT');
    expect(await run.exited).toBe(130);
    expect(countIn(folder)).toBe(0);
    expect(existsSync(folder)).toBe(false);
    expect(await run.stderr.text()).toBe('');
  },
);
