import { expect, test } from 'bun:test';
import { join } from 'node:path';

const DESCRIPTORS = join(import.meta.dir, '../../src/telemetry/descriptors.ts');

/** Takes descriptors until there are none, twice, and gives what was logged between the steps. */
const PROGRAM = `
  import { closeSync, openSync } from 'node:fs';
  const { createDescriptorCheck } = await import(${JSON.stringify(DESCRIPTORS)});
  const lines = [];
  const log = { warn: () => lines.push('warn'), info: () => lines.push('info') };
  const check = createDescriptorCheck(log);
  const look = (times) => {
    for (let i = 0; i < times; i++) check();
    lines.push('-');
  };
  const taken = [];
  const takeAll = () => {
    try {
      for (;;) taken.push(openSync('/dev/null'));
    } catch {}
  };
  look(100);
  takeAll();
  look(100);
  takeAll();
  look(100);
  taken.splice(0).forEach(closeSync);
  look(39);
  takeAll();
  look(1);
  taken.splice(0).forEach(closeSync);
  look(100);
  takeAll();
  look(1);
  console.log(lines.join(' '));
`;

test('a shortage of descriptors is logged once, and its end once they have been free for a while', async () => {
  const command = ['sh', '-c', 'ulimit -n 100; exec "$@"', 'sh', process.execPath, '-e', PROGRAM];
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' });
  expect(await child.stdout.text()).toBe('- warn - - - - info - warn -\n');
});
