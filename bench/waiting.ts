/**
 * `bun bench/waiting.ts [WAITING]`: requests that wait for events (1,000 by default) on a temporary
 * SQLite file: the memory they take, the time until a change has woken all of them, and the time of an
 * addition with and without them.
 */
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../test/support/free-port.ts';
import { sampleOf, scrape } from '../test/support/scrape.ts';
import { createAuthorization, startOurs } from './contenders/ours.ts';
import { findPrograms } from './requirements.ts';
import { residentOf } from './resident-memory.ts';
import { openWorkbench } from './workbench.ts';

const WAITING = Number(process.argv[2] ?? 1_000);
const ROUNDS = 20;
const ADDITIONS = 2_000;
const PATIENCE_MS = 10;

const { taskset } = findPrograms('taskset');
await using workbench = openWorkbench(taskset);
const database = `sqlite:${join(workbench.folder, 'ours.db')}`;
const authorization = await createAuthorization(workbench, database);
const operations = await freePort();
const server = await startOurs(workbench, database, {
  // One key may take a quarter of the places.
  settings: ['--max-waiting', String(4 * WAITING), '--ops-port', String(operations)],
});
const { hostname, port } = new URL(server.origin);

/** A connection of a client that waits again and again. */
interface Client {
  readonly socket: Socket;
  /** Called with each response. */
  answered(): void;
}

function openClient(): Promise<Client> {
  const socket = connect(Number(port), hostname);
  const client = { socket, answered() {} };
  // The whole response comes in one piece.
  socket.on('data', () => client.answered());
  return new Promise((resolve, reject) => {
    socket.on('connect', () => resolve(client));
    socket.on('error', reject);
  });
}

/** Sends a request that waits on each connection, and returns once all of them wait. */
async function wait(clients: readonly Client[], query: string): Promise<void> {
  const head = `GET /v1/events?after=latest&wait=30${query} HTTP/1.1\r\nHost: x\r\n`;
  for (const { socket } of clients) socket.write(`${head}Authorization: ${authorization}\r\n\r\n`);
  for (;;) {
    const scraped = await scrape(`http://127.0.0.1:${operations}/metrics`);
    if (sampleOf(scraped, 'petstore_events_requests_waiting') === WAITING) return;
    await Bun.sleep(PATIENCE_MS);
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
for (const { socket } of woken) socket.destroy();
await server.stop();
