/** The same checks on every runtime that is installed, with the package as it is published. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BROWSER_TEST_MS, sharedBrowser, untilTrue } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { createServingKey, type Serving, startServing, UNLIMITED } from '../support/serving.ts';
import type { CheckResult, World } from './checks/check.ts';
import { type InstalledClient, installClient, run } from './package.ts';
import { type ScriptedServer, startScriptedServer } from './scripted-server.ts';

const ENTRY = `import process from 'node:process';
import { runChecks } from './checks.mjs';
console.log(JSON.stringify(await runChecks(JSON.parse(process.argv[2]))));
`;
const PAGE = `<!doctype html><title>Checks</title>
<script type="importmap">{"imports": {"petstore-client": "/petstore-client/index.js"}}</script>
<script type="module">import { runChecks } from '/checks.mjs'; window.runChecks = runChecks;</script>`;
const RUNTIMES = {
  Bun: [process.execPath],
  Node: ['node'],
  Deno: [
    ...['deno', 'run', '--quiet', '--no-lock', '--node-modules-dir=manual'],
    ...['--allow-net', '--allow-read'],
  ],
};
/** The checks wait for seconds, as the scripted server asks them to. */
const CHECKS_MS = 180_000;

let client: InstalledClient;
let scripted: ScriptedServer;
let serving: Serving;
let world: World;

beforeAll(async () => {
  client = await installClient();
  const checks = await Bun.build({
    entrypoints: [join(import.meta.dir, 'checks/all.ts')],
    external: ['petstore-client'],
    tsconfig: join(import.meta.dir, 'tsconfig.checks.json'),
    format: 'esm',
  });
  const text = (await checks.outputs[0]?.text()) ?? '';
  expect(text).toMatch(/from ?"petstore-client"/);
  await Bun.write(client.file('checks.mjs'), text);
  await Bun.write(client.file('run.mjs'), ENTRY);

  const script = { type: 'text/javascript' };
  const dist = join(client.package, 'dist');
  const modules = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => {
      const text = readFileSync(join(dist, name), 'utf8');
      return [`/petstore-client/${name}`, { ...script, text }] as const;
    });
  const page = { type: 'text/html', text: PAGE };
  scripted = startScriptedServer(
    new Map([['/page', page], ['/checks.mjs', { ...script, text }], ...modules]),
  );
  const settings = {
    PETSTORE_DATABASE: `sqlite:${client.file('animals.db')}`,
    PETSTORE_CORS_ORIGINS: scripted.url,
  };
  serving = await startServing(settings);
  world = {
    baseUrl: `http://127.0.0.1:${serving.port}/v1`,
    apiKey: await createServingKey(settings, ...UNLIMITED, '--scopes', 'admin'),
    scripted: scripted.url,
    closed: `http://127.0.0.1:${freePort()}/v1`,
  };
}, CHECKS_MS);

afterAll(async () => {
  await serving[Symbol.asyncDispose]();
  scripted[Symbol.dispose]();
  client[Symbol.dispose]();
});

function expectSuccess(results: readonly CheckResult[]): void {
  expect(results.length).toBeGreaterThan(30);
  expect(results.filter(({ failure }) => failure !== undefined)).toEqual([]);
}

for (const [name, command] of Object.entries(RUNTIMES)) {
  test.concurrent(
    `the client works on ${name}`,
    async () => {
      const program = [...command, 'run.mjs', JSON.stringify(world)];
      expectSuccess(JSON.parse(await run(program, client.path)));
    },
    CHECKS_MS,
  );
}

test(
  'the client works in Chromium',
  async () => {
    const browser = await sharedBrowser();
    const page = await browser.newPage();
    try {
      await page.goto(`${scripted.url}/page`);
      await untilTrue(page, 'window.runChecks');
      const call = `window.runChecks(${JSON.stringify(world)})`;
      expectSuccess(await page.evaluate<CheckResult[]>(call));
    } finally {
      await page.close();
    }
  },
  CHECKS_MS + BROWSER_TEST_MS,
);
