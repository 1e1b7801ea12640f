import { afterEach, beforeEach, expect, test } from 'bun:test';
import { Worker } from 'node:worker_threads';
import { openServer, type PetstoreServer } from '../../../src/server/server.ts';
import { readConfig } from '../../../src/settings/config.ts';
import { openLog } from '../../../src/telemetry/log.ts';
import { eventually } from '../../support/eventually.ts';
import { scrape, seriesOf } from '../../support/scrape.ts';
import { createTemporaryFolder } from '../../support/temporary.ts';

const MAIN = new URL('../../../src/main.ts', import.meta.url);
const FAILING = new URL("data:text/javascript,throw new Error('no memory')");

let folder: ReturnType<typeof createTemporaryFolder>;
let lines: string[];
let server: PetstoreServer | undefined;
beforeEach(() => {
  folder = createTemporaryFolder();
  lines = [];
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  folder[Symbol.dispose]();
});

/** Opens a server with three workers, whose threads `spawn` starts. */
async function openWith(spawn: () => Worker): Promise<PetstoreServer> {
  const config = readConfig(
    {},
    {
      PETSTORE_DATABASE: `sqlite:${folder.file('petstore.db')}`,
      PETSTORE_PORT: '0',
      PETSTORE_OPS_PORT: '0',
      PETSTORE_WORKERS: '3',
    },
  );
  const log = openLog('info', { write: (text) => void lines.push(text) });
  server = await openServer(config, { log, spawn });
  return server;
}

async function serving({ metricsUrl = '' }: PetstoreServer): Promise<number | undefined> {
  return seriesOf(await scrape(metricsUrl), 'petstore_workers')['petstore_workers'];
}

const isAlive = async ({ url }: PetstoreServer) => (await fetch(`${url}/livez`)).status === 200;

test('the main thread serves while the other workers start, and never refuses a connection', async () => {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const code = `
    const { workerData } = require('node:worker_threads');
    Atomics.wait(workerData, 0, 0);
    import(${JSON.stringify(MAIN.href)});
  `;
  const opened = await openWith(() => new Worker(code, { eval: true, workerData: gate }));
  for (let n = 0; n < 20; n++) expect(await isAlive(opened)).toBe(true);
  expect(await serving(opened)).toBe(1);
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
  const all = eventually(
    () => serving(opened),
    (count) => count === 3,
  );
  let isOver = false;
  void all.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const { status } = await fetch(`${opened.url}/livez`, { headers: { connection: 'close' } });
    expect(status).toBe(200);
  }
  await all;
});

test('a worker that cannot start is tried again, while the others serve', async () => {
  let starts = 0;
  const opened = await openWith(() => new Worker(starts++ === 0 ? FAILING : MAIN));
  expect(await isAlive(opened)).toBe(true);
  await eventually(
    () => serving(opened),
    (count) => count === 3,
  );
  expect(starts).toBe(3);
  expect(lines.filter((line) => line.includes('cannot start; trying again'))).toHaveLength(1);
  expect(lines.join('')).toContain('no memory');
});

test('an end during the start ends the workers too', async () => {
  const threads: Worker[] = [];
  const opened = await openWith(() => {
    const thread = new Worker(MAIN);
    threads.push(thread);
    return thread;
  });
  const exits = threads.map((thread) => new Promise((resolve) => thread.once('exit', resolve)));
  await opened.close();
  server = undefined;
  await Promise.all(exits);
  expect(threads).toHaveLength(2);
  expect(lines.join('')).not.toContain('cannot start');
});
