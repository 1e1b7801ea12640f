import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { FAULTS, type FaultRow } from './checks/faults.ts';

const GUIDE = join(import.meta.dir, '../../docs/guides/client.md');

/** What the scripted server does at each step, in words. */
const STEPS: Readonly<Record<string, string>> = {
  ok: 'success',
  cut: 'a closed connection',
  half: 'half a response',
  stall: 'half a response, then silence',
  nothing: 'nothing',
  proxy: '502 of a proxy',
};

/** Describes a step such as `429-api_key_banned:900`. */
function inWords(step: string): string {
  const [answer = '', seconds] = step.split(':');
  const [status = '', code] = answer.split('-');
  return [
    STEPS[status] ?? status,
    ...(code === undefined ? [] : [` \`${code}\``]),
    ...(seconds === undefined ? [] : [` with \`Retry-After: ${seconds}\``]),
  ].join('');
}

function lineOf({ answers, read, add, change }: FaultRow): string {
  const cells = [read, add, change].map(
    ([sent, ends]) => `${sent}, ${ends === 'ok' ? 'success' : `\`${ends}\``}`,
  );
  return `| ${[answers.split(',').map(inWords).join(', then '), ...cells].join(' | ')} |`;
}

// `runtimes.test.ts` runs the same rows on every runtime.
test('the guide shows how often the client sends a request that fails, and how the call ends', async () => {
  const guide = await Bun.file(GUIDE).text();
  expect(guide).toContain(FAULTS.map(lineOf).join('\n'));
});
