import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder } from '../support/temporary.ts';
import { examplesIn } from './examples.ts';
import { python } from './python.ts';

const limits = readFileSync(join(import.meta.dir, '../../docs/guides/limits.md'), 'utf8');

/** The program in the guide without the request at its end. */
function functionOf(language: string): string {
  const { text = '' } = examplesIn(limits).find((example) => example.language === language) ?? {};
  return text.slice(0, text.search(/^(?:const )?response = /m));
}

/** Sends one request like the program in the guide, but without jitter. */
const PROGRAMS = {
  js: (method: string, headers: object) => `Math.random = () => 0;
${functionOf('js')}
const init = ${JSON.stringify({ method, headers })};
const status = ({ status }) => status;
console.log(await fetchWithRetry(process.argv[2], init).then(status, () => 'lost'));`,
  py: (method: string, headers: object) => `import sys
${functionOf('py')}
random.uniform = lambda least, most: 0
try:
    print(request_with_retry("${method}", sys.argv[1], headers=${JSON.stringify(headers)}).status_code)
except requests.ConnectionError:
    print("lost")`,
};

/** A response, or a connection that is closed without one. */
type Answer = readonly [status: number, retryAfter: string] | 'lost';

/** Runs the program against a server that gives these answers in order, and then 200. */
async function outcomeOf(
  language: 'js' | 'py',
  answers: readonly Answer[],
  method: string,
  headers: object = {},
): Promise<{ outcome: string; requests: number }> {
  let requests = 0;
  using server = Bun.listen({
    port: 0,
    hostname: '127.0.0.1',
    socket: {
      data(socket) {
        const answer = answers[requests++] ?? ([200, '0'] as const);
        if (answer === 'lost') return void socket.end();
        const [status, retryAfter] = answer;
        const fields = `Retry-After: ${retryAfter}\r\nContent-Length: 0\r\nConnection: close`;
        socket.end(`HTTP/1.1 ${status} Any\r\n${fields}\r\n\r\n`);
      },
    },
  });
  using folder = createTemporaryFolder();
  const path = folder.file(`program.${language === 'js' ? 'mjs' : 'py'}`);
  writeFileSync(path, PROGRAMS[language](method, headers));
  const program = language === 'js' ? 'node' : python;
  const child = Bun.spawn([program, path, `http://127.0.0.1:${server.port}/`], { stdout: 'pipe' });
  return { outcome: (await child.stdout.text()).trim(), requests };
}

const KEY = { 'Idempotency-Key': '0b6f0c5e' };

describe.each(['js', 'py'] as const)(
  'the client of the guide that sends again, in %s',
  (language) => {
    test.each([
      [
        'a request that a limit refused',
        'POST',
        {},
        [
          [429, '0'],
          [429, '0'],
        ],
        '200',
        3,
      ],
      ['no POST of unknown outcome', 'POST', {}, [[503, '0']], '503', 1],
      ['a POST of unknown outcome with its key', 'POST', KEY, [[503, '0']], '200', 2],
      ['no PATCH of unknown outcome', 'PATCH', {}, [[503, '0']], '503', 1],
      ['no DELETE whose connection was lost', 'DELETE', {}, ['lost'], 'lost', 1],
      ['a GET whose connection was lost', 'GET', {}, ['lost'], '200', 2],
      ['no POST whose connection was lost', 'POST', {}, ['lost'], 'lost', 1],
      ['nothing more than five times', 'GET', {}, Array(9).fill([429, '0']), '429', 5],
      ['nothing on the next day', 'GET', {}, [[429, '80000']], '429', 1],
    ] as const)('repeats %s', async (_, method, headers, answers, outcome, requests) => {
      expect(await outcomeOf(language, answers, method, headers)).toEqual({ outcome, requests });
    });
  },
);
