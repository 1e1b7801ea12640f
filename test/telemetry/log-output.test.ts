import { expect, test } from 'bun:test';
import { join } from 'node:path';

const LOG = join(import.meta.dir, '../../src/telemetry/log.ts');
/** More than is gathered before it is handed on, but not what begins a write by itself. */
const SOME = 400;
/** Many writes' worth. */
const MANY = 5_432;

/** Runs a program that writes so many lines and then ends; gives what came out. */
async function outputOf(count: number, end: string): Promise<string[]> {
  const program = `
    const { openLog } = await import(${JSON.stringify(LOG)});
    const log = openLog('info');
    const record = { keyId: 1n, operation: 'getPet', method: 'GET', path: '/v1/pets/\u00fc', status: 200, milliseconds: 0.01 };
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
