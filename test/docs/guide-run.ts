import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { sharedBrowser } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { type RawResponse, sendRaw } from '../support/raw-connection.ts';
import { compactJson, type Example, matches } from './examples.ts';
import type { GuideShop, Ran } from './guide-shop.ts';

export interface GuideRun {
  /** Runs an example. Throws if the outcome differs from the guide. */
  execute(example: Example): Promise<void>;
}

/** Programs in TypeScript have no types of their own, so Node runs them as they are printed. */
const PROGRAMS: Readonly<Record<string, readonly [command: string, ending: string]>> = {
  ts: ['node', 'mjs'],
  js: ['node', 'mjs'],
  py: ['python3', 'py'],
};

/**
 * Shell blocks of a guide share their exported variables and their folder. `curl` prints only the
 * body, and writes the headers of each response to a file.
 */
const SHELL = `set -euo pipefail
curl() {
  command curl --silent --show-error --max-time 20 --dump-header "$(mktemp "$RESPONSES.XXXXXX")" "$@"
}
if [ -f exports ]; then source ./exports; fi
`;

/** Runs the examples of one guide in order, on one database. */
export function startGuideRun(database: GuideShop): GuideRun {
  let count = 0;
  let output = '';
  let headers = '';

  function succeeded({ exitCode, stdout, stderr }: Ran): string {
    if (exitCode !== 0) throw new Error(`It ended with ${exitCode}: ${stdout}${stderr}`);
    return stdout;
  }

  async function runShell(text: string, status: string): Promise<void> {
    const name = `response-${++count}`;
    const script = `${SHELL}export RESPONSES=${name}\n${text}\nexport -p > exports\n`;
    output = succeeded(await database.run(['bash', '-c', script]));
    const responses = readdirSync(database.file('.')).filter((file) => file.startsWith(`${name}.`));
    for (const response of responses) {
      headers = readFileSync(database.file(response), 'utf8');
      expectStatus(headers.split(' ')[1] ?? '', status, output);
    }
  }

  /** Runs a command that serves on a port until a browser shows a word, then ends it. */
  async function runServer(text: string, portShown: string, word: string): Promise<void> {
    const port = freePort();
    const ending = new AbortController();
    // Earlier blocks have exported their own PORT.
    const line = text.replaceAll(portShown, `${port}`);
    // In a group of its own, because a command may leave running what it has started.
    const script = `setsid env PORT=${port} ${line} &\ntrap "kill -- -$!" TERM\nwait $!`;
    const command = ['bash', '-c', SHELL + script];
    const ran = database.run(command, ending.signal);
    const page = async () => {
      for (;;) {
        const response = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
        if (response?.ok) break;
        await Bun.sleep(50);
      }
      const opened = await (await sharedBrowser()).newPage();
      await opened.goto(`http://127.0.0.1:${port}/`);
      await opened.getByText(word).first().waitFor();
      await opened.close();
    };
    const ended = ran.then(({ stdout, stderr }) => {
      throw new Error(`The server ended: ${stdout}${stderr}`);
    });
    try {
      await Promise.race([page(), ended]);
    } finally {
      ending.abort();
      await ended.catch(() => undefined);
    }
  }

  async function runProgram(language: string, text: string): Promise<void> {
    const [command = '', ending] = PROGRAMS[language] ?? [];
    const path = database.file(`program-${++count}.${ending}`);
    writeFileSync(path, text);
    const script = `if [ -f exports ]; then source ./exports; fi\nexec '${command}' '${path}'`;
    output = succeeded(await database.run(['bash', '-c', script]));
  }

  async function send(text: string, status: string): Promise<void> {
    const head = `${text.trimEnd().replaceAll('\n', '\r\n')}\r\n\r\n`;
    const host = new URL(database.url);
    const response = await sendRaw(Number(host.port), head.replace('127.0.0.1:8080', host.host));
    if (response === undefined) throw new Error('The connection was closed.');
    output = response.body;
    headers = headersOf(response);
    expectStatus(String(response.status), status, output);
  }

  return {
    async execute({ language, options, text: shown }) {
      const text = database.fill(shown);
      const status = options.get('status') ?? '2..';
      const file = options.get('file');
      // A program that a later block runs.
      if (file !== undefined) {
        if (language === 'json') JSON.parse(text);
        return writeFileSync(database.file(file), text);
      }
      if (options.has('elsewhere')) {
        return void succeeded(await database.run(['bash', '-n', '-c', text]));
      }
      const port = options.get('serves');
      if (port !== undefined) return runServer(text, port, options.get('shows') ?? '');
      if (language === 'sh') return runShell(text, status);
      if (language in PROGRAMS) return runProgram(language, text);
      if (language === 'http' && !text.startsWith('HTTP/')) return send(text, status);
      if (language === 'http') return expectHeaders(text, headers);
      if (language === 'json' && options.has('shape')) return expectShape(text, output);
      if (language === 'json') return expectText(compactJson(text), compactJson(output));
      if (language === 'text') return expectText(text.trimEnd(), output.trimEnd());
      throw new Error(`Examples in “${language}” are not supported.`);
    },
  };
}

function headersOf({ statusLine, headers }: RawResponse): string {
  return [statusLine, ...[...headers].map(([name, value]) => `${name}: ${value}`)].join('\r\n');
}

function expectStatus(status: string, expected: string, output: string): void {
  if (new RegExp(`^${expected}$`).test(status)) return;
  throw new Error(`The status is ${status}, not ${expected}: ${output}`);
}

function expectText(shown: string, text: string): void {
  if (!matches(shown, text)) throw new Error(`The guide shows ${shown}, but it is ${text}`);
}

/** The members must be the same, with values of the same types: a first guide shows what a fresh demonstration has. */
function expectShape(shown: string, text: string): void {
  expectText(JSON.stringify(shapeOf(JSON.parse(shown))), JSON.stringify(shapeOf(JSON.parse(text))));
}

function shapeOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return typeof value;
  if (Array.isArray(value)) return value.map(shapeOf);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}

/** Each header in the guide must be in the response, which may have more. */
function expectHeaders(shown: string, headers: string): void {
  const lines = headers.split(/\r?\n/);
  for (const line of shown
    .trim()
    .replace(/,\n\s+/g, ', ')
    .split('\n')) {
    const fits = lines.some((other) => matches(nameInLowerCase(line), nameInLowerCase(other)));
    if (!fits) throw new Error(`The guide shows “${line}”, which is not in ${headers}`);
  }
}

const nameInLowerCase = (line: string) => line.replace(/^[\w-]+:/, (name) => name.toLowerCase());
