/**
 * `bun bench/webhooks.ts [SECONDS] [sqlite|postgres] [RATE]`: webhooks on a temporary database. Additions at
 * 1,000 a second with no webhook and with one that gets them all; then 1,000 webhooks of which 100 hang: the time
 * until all others have got an event, additions that none of them wants, and memory.
 */
import { join } from 'node:path';
import { startPostgres } from '../test/support/postgres-server.ts';
import { createAuthorization, startOurs } from './contenders/ours.ts';
import { cpuMillisecondsOf, residentOf } from './process-usage.ts';
import { findPrograms } from './requirements.ts';
import { openWorkbench } from './workbench.ts';

const SECONDS = Number(process.argv[2] ?? 10);
const RATE = Number(process.argv[4] ?? 1_000);
/** Additions that are sent at once. The rate decides how often. */
const STEP_MS = 10;
const WEBHOOKS = 1_000;
const HANGING = 100;
const ROUNDS = 10;
/** Webhooks that are created at the same time. */
const CREATIONS = 20;
/** A change of a webhook takes effect within this time. */
const EFFECT_MS = 2_000;

const { taskset } = findPrograms('taskset');
await using workbench = openWorkbench(taskset);
/** Durable, as in a default installation. */
const postgres =
  process.argv[3] === 'postgres'
    ? workbench.use(await startPostgres('fsync=on', 'synchronous_commit=on'))
    : undefined;
const database = postgres?.addressOf('postgres') ?? `sqlite:${join(workbench.folder, 'ours.db')}`;
const authorization = await createAuthorization(workbench, database, undefined, 'admin');
const server = await startOurs(workbench, database, {
  settings: ['--webhook-allow', '127.0.0.0/8'],
});

/** Called with the path of each request that arrives at a receiver that works. */
let arrived = (_path: string) => {};
const receiver = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith('/hang')) return new Promise<Response>(() => {});
    arrived(pathname);
    return new Response(null, { status: 204 });
  },
});

async function send(method: string, path: string, body?: object): Promise<string> {
  const response = await fetch(`${server.origin}/v1${path}`, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text;
}

const add = () => send('POST', '/pets', { name: 'Rex', categoryId: 7 });
const createWebhook = (path: string, type: string) =>
  send('POST', '/webhooks', { url: `${receiver.url.origin}${path}`, types: [type] });

function figures(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]?.toFixed(1);
  return `median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`;
}

/** Measures the processor time of the service, and of its database server, from now on. */
function startMeter(): () => string {
  const read = () => [server.cpuMilliseconds(), postgres ? cpuMillisecondsOf(postgres.pid()) : 0];
  const before = read();
  const startedAt = performance.now();
  return () => {
    const elapsed = performance.now() - startedAt;
    const [own, database] = read().map((now, n) => (100 * (now - (before[n] ?? 0))) / elapsed);
    const text = `${own?.toFixed(0)} % of a core`;
    return postgres ? `${text} (PostgreSQL ${database?.toFixed(0)} %)` : text;
  };
}

/** Adds animals at the rate, whether or not earlier additions have ended. */
async function addAtRate(): Promise<string> {
  const times: number[] = [];
  const underWay = new Set<Promise<void>>();
  const meter = startMeter();
  const start = performance.now();
  const end = start + SECONDS * 1_000;
  for (let sent = 0; performance.now() < end; await Bun.sleep(STEP_MS)) {
    for (const due = ((performance.now() - start) * RATE) / 1_000; sent < due; sent++) {
      const sentAt = performance.now();
      const adding = add().then(() => {
        times.push(performance.now() - sentAt);
        underWay.delete(adding);
      });
      underWay.add(adding);
    }
  }
  const rate = times.length / ((performance.now() - start) / 1_000);
  const used = meter();
  await Promise.all(underWay);
  return `${rate.toFixed(0)} additions a second, ${used}, ${figures(times)}`;
}

/** Places an order. Returns the milliseconds until every webhook that works has got it. */
async function deliverToAll(): Promise<number> {
  const left = new Set(Array.from({ length: WEBHOOKS - HANGING }, (_, n) => `/ok/${n}`));
  const { promise, resolve } = Promise.withResolvers<number>();
  arrived = (path) => {
    left.delete(path);
    if (left.size === 0) resolve(performance.now());
  };
  const { id: petId } = JSON.parse(await add());
  const placedAt = performance.now();
  await send('POST', '/store/orders', { petId, adopter: 'Kim' });
  return (await promise) - placedAt;
}

const print = (text: string) => process.stdout.write(`${text}\n`);

await addAtRate();
print(`without a webhook: ${await addAtRate()}`);
await createWebhook('/one', 'pet.created');
await Bun.sleep(EFFECT_MS);
let count = 0;
arrived = () => count++;
const started = performance.now();
print(`with one:          ${await addAtRate()}`);
print(
  `its deliveries:    ${((1_000 * count) / (performance.now() - started)).toFixed(0)} a second`,
);
await send('DELETE', '/webhooks/1');
await Bun.sleep(EFFECT_MS);

const before = residentOf(server.pid).now;
const paths = Array.from({ length: WEBHOOKS }, (_, n) =>
  n < HANGING ? `/hang/${n}` : `/ok/${n - HANGING}`,
);
const creating = Array.from({ length: CREATIONS }, async () => {
  for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
    await createWebhook(path, 'order.placed');
  }
});
await Promise.all(creating);
await Bun.sleep(EFFECT_MS);
const rounds: number[] = [];
const meter = startMeter();
for (let round = 0; round < ROUNDS; round++) {
  rounds.push(await deliverToAll());
  await Bun.sleep(EFFECT_MS);
}
print(
  `${WEBHOOKS} webhooks, ${HANGING} of which hang: the others have got an event after ${figures(rounds)}; ${meter()}`,
);
print(`beside them:       ${await addAtRate()}`);
const { now, most } = residentOf(server.pid);
print(`memory: ${before.toFixed(0)} MiB before, ${now.toFixed(0)} now, ${most.toFixed(0)} at most`);
await server.stop();
await receiver.stop(true);
