/**
 * `bun bench/dearest.ts [ANIMALS]`: the dearest accepted request of every operation with hostile texts, in processor
 * time of the thread that serves, and the memory after 100,000 different requests; see README.md.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Operation } from '../src/api/contract/operation.ts';
import { operations } from '../src/api/resources/operations.ts';
import { writeJson } from '../src/http/json.ts';
import { openStorage } from '../src/storage/open.ts';
import { createAuthorization, startOurs } from './contenders/ours.ts';
import { residentOf } from './process-usage.ts';
import { markdownTable } from './table.ts';
import { openWorkbench, type RunningServer } from './workbench.ts';

const ANIMALS = Number(process.argv[2] ?? 100_000);
const PUBLISHED = ANIMALS / 10;
const ORDERS = ANIMALS / 5;
const BATCH = 1_000;
const ROUNDS = 3;
const DIFFERENT = 100_000;
/** What one request may take in one turn of the event loop. */
const BOUND_MS = 30;

/** Marks in the wrong order, letters of three bytes, words that all begin alike. */
const marks = (length: number) => `a${'\u0301\u0327'.repeat(length)}`.slice(0, length);
const TEXTS = [255, 100, 40].flatMap((n) => [
  marks(n),
  'ﷺ'.repeat(n),
  'a b c d e f g h i j k l m n o p q r s t u v w x y z '.repeat(6).slice(0, n),
]);
const LONG = [4_000, 500, 255, 200, 100, 80, 40, 12];

async function fill(address: string): Promise<void> {
  const storage = await openStorage(address, 'production');
  const stamp = { at: Date.now(), keyId: null };
  for (let from = 0; from < ANIMALS; from += BATCH) {
    const pets = Array.from({ length: BATCH }, (_, n) => ({
      name: (from + n) % 50 === 0 ? marks(200) : `Name${from + n} calm word${n % 97}`,
      category: { id: BigInt(1 + (n % 40)) },
      status: 'available' as const,
      externalId: `x${from + n}`,
      profile: {
        species: n % 2 === 0 ? ('dog' as const) : ('cat' as const),
        description: `${'calm word '.repeat(20)}${marks(100)}`,
        location: `Kennel ${n}`,
        ...(from + n < PUBLISHED && { published: true }),
      },
    }));
    await storage.pets.importBatch(pets, stamp);
  }
  for (let from = 0; from < ORDERS; from += BATCH) {
    const placed = Array.from({ length: BATCH }, (_, n) =>
      storage.orders.place(
        { petId: BigInt(ANIMALS - from - n), adopter: marks(90), contact: marks(90), note: 'x' },
        stamp,
      ),
    );
    await Promise.all(placed);
  }
  await storage.close();
}

/** Requests that differ in a filter, an order, a search or a position. */
function different(n: number): string {
  const word = n.toString(36);
  const of = ['pets?name=', 'listings?q=', 'animals?q=', 'categories?name=', 'listings?breed='];
  return `/v1/${of[n % of.length]}${word}&limit=${1 + (n % 20)}`;
}

/** Nanoseconds of the thread that serves. */
function served({ pid }: RunningServer): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]);
}

interface Ask {
  readonly method: string;
  readonly target: string;
  readonly body?: string;
  readonly type?: string;
}

/** Requests of an operation that may be dear: each parameter with each text, and each member of the example. */
function asksOf({ method, path, queryParameters, body, upload }: Operation, n: number): Ask[] {
  // The first key is that of the bench, and what is removed is asked for no more.
  const id = path.startsWith('/keys') || method === 'DELETE' ? '2' : '1';
  const target = `/v1${path.replaceAll(/\{\w+\}/g, id)}`;
  if (upload !== undefined) return [];
  const ask = (query: string) => ({ method, target: query === '' ? target : `${target}?${query}` });
  if (body === undefined) {
    const names = Object.keys(queryParameters?.shape ?? {});
    const sorts = ['', 'sort=name', 'sort=newest', 'sort=waiting', 'sort=location', 'total=true'];
    const one = (name: string, text: string) => `${name}=${encodeURIComponent(text)}`;
    return [
      ...sorts.map((query) => ask([query, 'limit=100'].filter(Boolean).join('&'))),
      ask(''),
      ...names.flatMap((name) => TEXTS.map((text) => ask(`${one(name, text)}&limit=100`))),
      ...names.flatMap((name) => TEXTS.map((text) => ask(one(name, text)))),
    ];
  }
  const [type = ''] = body.mediaTypes;
  const example = Object(body.example);
  const withText = (name: string, length: number) =>
    writeJson({ ...example, name: `Example ${n}`, [name]: marks(length) });
  return [
    { ...ask(''), type, body: writeJson(example) },
    ...Object.keys(example).flatMap((name) =>
      LONG.map((length) => ({ ...ask(''), type, body: withText(name, length) })),
    ),
  ];
}

async function main(): Promise<void> {
  await using bench = openWorkbench('taskset');
  const address = `sqlite:${join(bench.folder, 'dearest.db')}`;
  await fill(address);
  const authorization = await createAuthorization(bench, address, undefined, 'admin');
  await createAuthorization(bench, address);
  const server = await startOurs(bench, address);
  const send = async ({ method, target, body, type }: Ask) => {
    const response = await fetch(server.origin + target, {
      method,
      headers: { authorization, ...(type !== undefined && { 'content-type': type }) },
      ...(body !== undefined && { body }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  const rows: (readonly [string, string, number])[] = [];
  const dearestAsks = new Map<string, Ask>();
  let asked = 0;
  for (const operation of operations) {
    let dearest: readonly [string, number] = ['none was accepted', 0];
    for (const ask of asksOf(operation, rows.length)) {
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        // Nothing is kept over a change, and no address comes twice.
        const body = writeJson({ name: `Name ${asked++}` });
        await send({ method: 'PATCH', target: '/v1/pets/7', type: 'application/json', body });
        const target = `${ask.target}${ask.target.includes('?') ? '&' : '?'}n=${asked}`;
        const before = served(server);
        if ((await send({ ...ask, target })) >= 400) break;
        times.push((served(server) - before) / 1e6);
      }
      const time = Math.min(...times);
      if (times.length > 0 && time > dearest[1]) {
        dearestAsks.set(operation.id, ask);
        dearest = [
          `${ask.target} ${ask.body ?? ''}`
            .replaceAll(/[\u0301\u0327]|%CC%(?:81|A7)/g, '')
            .slice(0, 60),
          time,
        ];
      }
    }
    rows.push([operation.id, dearest[0], dearest[1]]);
  }
  rows.sort((a, b) => b[2] - a[2]);
  /** The longest that another request has to wait beside one, in the best of some rounds. */
  async function waitBeside(ask: Ask): Promise<string> {
    const worst: number[] = [];
    for (let round = 0; round < 2 * ROUNDS; round++) {
      const sent = send(ask);
      const waits: number[] = [];
      for (let isOver = false; !isOver; ) {
        const begin = performance.now();
        await (await fetch(`${server.origin}/livez`)).text();
        waits.push(performance.now() - begin);
        isOver = await Promise.race([sent.then(() => true), Bun.sleep(0).then(() => false)]);
      }
      worst.push(Math.max(...waits));
    }
    return Math.min(...worst).toFixed(1);
  }
  const waits = new Map<string, string>();
  for (const [id, , ms] of rows) {
    const found = ms > BOUND_MS && dearestAsks.get(id);
    if (found) waits.set(id, await waitBeside(found));
  }
  console.log(
    markdownTable(
      ['operation', 'dearest request', 'ms', 'another waits, ms'],
      rows.map(([id, what, ms]) => [id, what, ms.toFixed(1), waits.get(id) ?? '']),
    ),
  );
  const over = rows.filter(([, , ms]) => ms > BOUND_MS);
  console.log(`\nOver ${BOUND_MS} ms: ${over.map(([id]) => id).join(', ') || 'none'}.`);
  console.log(await memoryOf(server, send));
}

/** Sends many different requests, and says what they leave in memory. */
async function memoryOf(
  server: RunningServer,
  send: (ask: Ask) => Promise<number>,
): Promise<string> {
  const start = residentOf(server.pid).now;
  for (let from = 0; from < DIFFERENT; from += 100) {
    await Promise.all(
      Array.from({ length: 100 }, (_, n) => send({ method: 'GET', target: different(from + n) })),
    );
  }
  const grown = [start, residentOf(server.pid).now].map(Math.round);
  return `Memory before and after ${DIFFERENT} different requests: ${grown.join(' and ')} MB.`;
}

await main();
