import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder } from '../support/temporary.ts';
import { examplesIn } from './examples.ts';
import { leavesOutPython, python } from './python.ts';

const limits = readFileSync(join(import.meta.dir, '../../docs/guides/limits.md'), 'utf8');

/** The program in the guide without the request at its end. */
function functionOf(language: string): string {
  const { text = '' } = examplesIn(limits).find((example) => example.language === language) ?? {};
  return text.slice(0, text.search(/^(?:const )?response = /m));
}

/** Sends one request like the program in the guide, but without jitter. */
const PROGRAMS = {
  ts: (method: string, headers: object) => `Math.random = () => 0;
${functionOf('ts')}
const response = await fetchPatiently(process.argv[2] ?? '', ${JSON.stringify({ method, headers })});
console.log(response.status);`,
  py: (method: string, headers: object) => `import sys
${functionOf('py')}
random.uniform = lambda least, most: 0
print(request_patiently("${method}", sys.argv[1], headers=${JSON.stringify(headers)}).status_code)`,
};

/** Runs the program against a server that sends these responses in order, and then 200. */
async function statusOf(
  language: 'ts' | 'py',
  responses: readonly (readonly [status: number, retryAfter: string])[],
  method: string,
  headers: object = {},
): Promise<{ status: number; requests: number }> {
  let requests = 0;
  await using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch() {
      const [status, retryAfter] = responses[requests++] ?? [200, '0'];
      return new Response(null, { status, headers: { 'retry-after': retryAfter } });
    },
  });
  using folder = createTemporaryFolder();
  const path = folder.file(`program.${language}`);
  writeFileSync(path, PROGRAMS[language](method, headers));
  const program = language === 'ts' ? process.execPath : python;
  const child = Bun.spawn([program, path, server.url.href], { stdout: 'pipe' });
  return { status: Number(await child.stdout.text()), requests };
}

const languages = (['ts', 'py'] as const).filter(
  (language) => language === 'ts' || !leavesOutPython,
);

describe.each(languages)('the patient client of the guide, in %s', (language) => {
  test('retries a request that a limit refused', async () => {
    const responses = [
      [429, '0'],
      [429, '0'],
    ] as const;
    expect(await statusOf(language, responses, 'POST')).toEqual({ status: 200, requests: 3 });
  });

  test('retries a POST of unknown outcome only with an Idempotency-Key', async () => {
    const responses = [[503, '0']] as const;
    expect(await statusOf(language, responses, 'POST')).toEqual({ status: 503, requests: 1 });
    const named = { 'Idempotency-Key': '0b6f0c5e' };
    expect(await statusOf(language, responses, 'POST', named)).toEqual({
      status: 200,
      requests: 2,
    });
    expect(await statusOf(language, responses, 'PATCH')).toEqual({ status: 200, requests: 2 });
  });

  test('gives up after five tries, and does not wait for the next day', async () => {
    const always = Array.from({ length: 9 }, () => [429, '0'] as const);
    expect(await statusOf(language, always, 'GET')).toEqual({ status: 429, requests: 5 });
    expect(await statusOf(language, [[429, '80000']], 'GET')).toEqual({ status: 429, requests: 1 });
  });
});
