/**
 * `bun bench/waiting.ts [WAITING] [TREE]`: requests that wait for events (1,000 by default) on a temporary
 * SQLite file: the memory they take, the time until a change has woken all of them, the time of an
 * addition with and without them, and what it costs when all ask again at once while the shop changes.
 */
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../test/support/free-port.ts';
import { sampleOf, scrape } from '../test/support/scrape.ts';
import { createAuthorization, startOurs } from './contenders/ours.ts';
import { residentOf } from './process-usage.ts';
import { findPrograms } from './requirements.ts';
import { openWorkbench } from './workbench.ts';

const WAITING = Number(process.argv[2] ?? 1_000);
/** Another checked-out tree, if it is not this one that is measured. */
const main = join(process.argv[3] ?? join(import.meta.dir, '..'), 'src/main.ts');
const ROUNDS = 20;
const ADDITIONS = 2_000;
const POLL_MS = 10;
/** Changes while all follow: each that many milliseconds after the one before. */
const CHANGES = 200;
const CHANGE_EVERY_MS = 50;

const { taskset } = findPrograms('taskset');
await using workbench = openWorkbench(taskset);
const database = `sqlite:${join(workbench.folder, 'ours.db')}`;
const authorization = await createAuthorization(workbench, database, main);
const operations = await freePort();
const server = await startOurs(workbench, database, {
  main,
  // One key may take a quarter of the places.
  settings: ['--max-waiting', String(4 * WAITING), '--ops-port', String(operations)],
});
const { hostname, port } = new URL(server.origin);

/** A connection of a client that waits again and again. */
interface Client {
  readonly socket: Socket;
  /** Called with each response. */
  answered(text: string): void;
}

function openClient(): Promise<Client> {
  const socket = connect(Number(port), hostname);
  const client: Client = { socket, answered() {} };
  // The whole response comes in one piece.
  socket.on('data', (bytes) => client.answered(bytes.toString()));
  return new Promise((resolve, reject) => {
    socket.on('connect', () => resolve(client));
    socket.on('error', reject);
  });
}

function ask({ socket }: Client, query: string): void {
  const head = `GET /v1/events?wait=30&${query} HTTP/1.1\r\nHost: x\r\n`;
  socket.write(`${head}Authorization: ${authorization}\r\n\r\n`);
}

/** Sends a request that waits on each connection, and returns once all of them wait. */
async function wait(clients: readonly Client[], query: string): Promise<void> {
  for (const client of clients) ask(client, `after=latest${query}`);
  for (;;) {
    const scraped = await scrape(`http://127.0.0.1:${operations}/metrics`);
    if (sampleOf(scraped, 'petstore_events_requests_waiting') === WAITING) return;
    await Bun.sleep(POLL_MS);
  }
}

async function add(): Promise<number> {
  const begin = performance.now();
  const response = await fetch(`${server.origin}/v1/pets`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: '{"name":"Rex","categoryId":7}',
  });
  await response.text();
  if (response.status !== 201) throw new Error(`an addition got ${response.status}`);
  return performance.now() - begin;
}

/** Adds animals one after the other. Returns their times, and the processor time of the service. */
async function addMany(): Promise<string> {
  const times: number[] = [];
  const before = server.cpuMilliseconds();
  for (let i = 0; i < ADDITIONS; i++) times.push(await add());
  const cpu = (1_000 * (server.cpuMilliseconds() - before)) / ADDITIONS;
  return `${cpu.toFixed(0)} µs of processor time, ${figures(times)}`;
}

/** The time from the response to an addition to the last of those that waited for it. */
interface Waking {
  readonly milliseconds: number;
  /** Processor time of the service, the addition included. */
  readonly cpuMilliseconds: number;
}

/** Lets all wait, then adds an animal. */
async function wakeAll(clients: readonly Client[]): Promise<Waking> {
  await wait(clients, '');
  let left = clients.length;
  const { promise, resolve } = Promise.withResolvers<number>();
  for (const client of clients) {
    client.answered = () => {
      if (--left === 0) resolve(performance.now());
    };
  }
  const cpuBefore = server.cpuMilliseconds();
  await add();
  const addedAt = performance.now();
  const milliseconds = (await promise) - addedAt;
  return { milliseconds, cpuMilliseconds: server.cpuMilliseconds() - cpuBefore };
}

/** Lets all continue as soon as they have a response, while animals are added one by one. */
async function followAll(
  clients: readonly Client[],
  limitOf: (n: number) => number,
): Promise<string> {
  let responses = 0;
  await wait(clients, '&limit=100');
  clients.forEach((client, n) => {
    client.answered = (text) => {
      responses++;
      ask(client, `limit=${limitOf(n)}&after=${/after=(\d+)/.exec(text)?.[1]}`);
    };
  });
  const before = server.cpuMilliseconds();
  const begin = performance.now();
  for (let i = 1; i <= CHANGES; i++) {
    await add();
    await Bun.sleep(Math.max(0, begin + i * CHANGE_EVERY_MS - performance.now()));
  }
  const seconds = (performance.now() - begin) / 1_000;
  const cores = (server.cpuMilliseconds() - before) / (1_000 * seconds);
  const rate = CHANGES / seconds;
  return `${rate.toFixed(1)} changes a second: ${cores.toFixed(2)} cores, ${(responses / seconds).toFixed(0)} responses a second\n`;
}

function figures(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]?.toFixed(2);
  return `median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms\n`;
}

const print = (text: string) => process.stdout.write(text);

await addMany();
const before = residentOf(server.pid).now;
const clients = await Promise.all(Array.from({ length: WAITING }, openClient));
await wait(clients, '&type=store.reset');
const memory = residentOf(server.pid).now - before;
print(`${WAITING} requests wait, with ${memory.toFixed(1)} MiB more than before.\n`);
print(`an addition beside them: ${await addMany()}`);
for (const { socket } of clients) socket.destroy();
await Bun.sleep(1_000);
print(`an addition without:     ${await addMany()}`);

const woken = await Promise.all(Array.from({ length: WAITING }, openClient));
const rounds: Waking[] = [];
for (let i = 0; i < ROUNDS; i++) rounds.push(await wakeAll(woken));
print(`all woken after the addition: ${figures(rounds.map(({ milliseconds }) => milliseconds))}`);
const cpu = rounds.map(({ cpuMilliseconds }) => cpuMilliseconds);
print(`processor time of the service: ${figures(cpu)}`);
print(`all follow ${await followAll(woken, () => 100)}`);
for (const client of woken) client.answered = () => {};
await Bun.sleep(31_000);
print(`with limits of 1 to 100, ${await followAll(woken, (n) => 1 + (n % 100))}`);
for (const { socket } of woken) socket.destroy();
await server.stop();
