import { expect, test } from 'bun:test';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder } from '../support/temporary.ts';

const LOG = join(import.meta.dir, '../../src/telemetry/log.ts');
/** More than is gathered before it is handed on, but not what begins a write by itself. */
const SOME = 400;
/** Many writes' worth. */
const MANY = 5_432;

/** Runs a program that writes this many lines and ends; returns what came out. */
async function outputOf(count: number, end: string): Promise<string[]> {
  const program = `
    const { loggedPathOf, openLog } = await import(${JSON.stringify(LOG)});
    const log = openLog('info');
    const path = loggedPathOf('/v1/pets/\u00fc');
    const record = { keyId: 1n, operation: 'getPet', method: 'GET', path, status: 200, milliseconds: 0.01 };
    for (let i = 0; i < ${count}; i++) {
      if (i % 50 === 49) log.info('between', { number: i });
      else log.request({ ...record, requestId: String(i) });
    }
    ${end}`;
  const child = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe', stderr: 'ignore' });
  const text = await child.stdout.text();
  await child.exited;
  return text.trimEnd().split('\n');
}

test.each([
  ['ends by itself', MANY, ''],
  ['flushes and ends by itself', MANY, 'log.flush();'],
  ['exits at once', SOME, 'process.exit(3);'],
  ['breaks down', SOME, 'throw new Error("broken");'],
])('no line is lost, and all stand in order, where the process %s', async (_, count, end) => {
  const lines = (await outputOf(count, end)).map((line) => JSON.parse(line));
  expect(lines.map(({ requestId, number }) => Number(requestId ?? number))).toEqual(
    Array.from({ length: count }, (_, i) => i),
  );
});

test('while the output is blocked, lines are dropped and counted, and memory is bounded', async () => {
  using folder = createTemporaryFolder();
  expect(Bun.spawnSync(['mkfifo', folder.file('output')]).exitCode).toBe(0);
  // Open for reading too, and never read: it takes 64 KiB and no more.
  const output = openSync(folder.file('output'), 'r+');
  const program = `
    const { openLog } = await import(${JSON.stringify(LOG)});
    const log = openLog('info');
    const path = JSON.stringify('/v1/' + 'x'.repeat(2_000));
    const record = { operation: 'getPet', method: 'GET', path, status: 200, milliseconds: 0.01 };
    for (let i = 0; i < 50_000; i++) log.request({ ...record, requestId: String(i) });
    process.stderr.write(String(log.dropped()));
    process.kill(process.pid, 'SIGKILL');`;
  const child = Bun.spawn([process.execPath, '-e', program], { stdout: output, stderr: 'pipe' });
  const dropped = Number(await child.stderr.text());
  closeSync(output);
  // 64 MiB are kept, about 31,000 lines of 2.1 KiB.
  expect(dropped).toBeWithin(15_000, 25_000);
}, 60_000);
