/**
 * `bun bench/unfinished-bodies.ts [DATABASE]`: the time of additions and lists while another key holds
 * connections open with unfinished bodies. It adds two keys and some thousand animals to DATABASE, by
 * default a temporary SQLite file.
 */
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createAuthorization, startOurs } from './contenders/ours.ts';
import { findPrograms } from './requirements.ts';
import { openWorkbench } from './workbench.ts';

const UNFINISHED = 2_000;
const REQUESTS = 2_000;
const BODY = JSON.stringify({ name: 'Rex', categoryId: 7 });
const JSON_TYPE = 'application/json';

const { taskset } = findPrograms('taskset');
await using workbench = openWorkbench(taskset);
const database = process.argv[2] ?? `sqlite:${join(workbench.folder, 'ours.db')}`;
const sender = await createAuthorization(workbench, database);
const other = await createAuthorization(workbench, database);
const { origin, stop } = await startOurs(workbench, database);
const { hostname, port } = new URL(origin);

/** Sends the headers of an addition and one byte of its body. */
function leaveUnfinished(): Promise<Socket> {
  const head = [
    'POST /v1/pets HTTP/1.1',
    'Host: x',
    `Authorization: ${sender}`,
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${BODY.length}`,
  ];
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.resume();
  return new Promise((resolve) => {
    socket.write(`${head.join('\r\n')}\r\n\r\n{`, () => resolve(socket));
  });
}

async function measure(method: 'GET' | 'POST', path: string): Promise<string> {
  const times: number[] = [];
  const statuses = new Map<number, number>();
  const headers = { authorization: other, 'content-type': JSON_TYPE };
  for (let i = 0; i < REQUESTS; i++) {
    const begin = performance.now();
    const body = method === 'POST' ? { body: BODY } : {};
    const response = await fetch(origin + path, { method, headers, ...body });
    await response.text();
    times.push(performance.now() - begin);
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(share * (REQUESTS - 1))]?.toFixed(2);
  const counts = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
  return `${method} ${path}: ${counts}; median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms\n`;
}

const begin = performance.now();
const sockets = await Promise.all(Array.from({ length: UNFINISHED }, leaveUnfinished));
// This request waits for its turn behind all earlier ones.
await (await fetch(`${origin}/livez`)).text();
const taken = (performance.now() - begin).toFixed(0);
process.stdout.write(
  `${UNFINISHED} bodies of one key were begun within ${taken} ms. The other key:\n`,
);
process.stdout.write(await measure('POST', '/v1/pets'));
process.stdout.write(await measure('GET', '/v1/pets?limit=20'));
for (const socket of sockets) socket.destroy();
await stop();
