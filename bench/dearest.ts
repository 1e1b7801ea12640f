/**
 * `bun bench/dearest.ts [sqlite|postgres] [memory|OPERATIONS]`: the dearest accepted request of every operation, or
 * these, with hostile texts, in processor time of the thread that serves; or the memory after 100,000 requests that
 * combine filters; see README.md.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import document from '../openapi.json';
import type { Operation } from '../src/api/contract/operation.ts';
import { operations } from '../src/api/resources/operations.ts';
import { writeJson } from '../src/http/json.ts';
import { openStorage } from '../src/storage/open.ts';
import { createRandom } from '../test/e2e/crash/random.ts';
import { startPostgres } from '../test/support/postgres-server.ts';
import { createAuthorization, startOurs } from './contenders/ours.ts';
import { residentOf } from './process-usage.ts';
import { markdownTable } from './table.ts';
import { openWorkbench, type RunningServer, type Workbench } from './workbench.ts';

const [, , engine = 'sqlite', mode] = process.argv;
const ANIMALS = mode === 'memory' ? 20_000 : 100_000;
const PUBLISHED = ANIMALS / 10;
const ORDERS = ANIMALS / 5;
const BATCH = 1_000;
const ROUNDS = 3;
const [DIFFERENT, AT_ONCE] = [100_000, 20];
/** What one request may take in one turn of the event loop; of those that take longer than the goal, that is measured. */
const [BOUND_MS, GOAL_MS] = [30, 10];

/** Marks in the wrong order, letters of three bytes, words that all begin alike. */
const marks = (length: number) => `a${'\u0301\u0327'.repeat(length)}`.slice(0, length);
const TEXTS = [255, 100, 40].flatMap((n) => [
  marks(n),
  'ﷺ'.repeat(n),
  'a b c d e f g h i j k l m n o p q r s t u v w x y z '.repeat(6).slice(0, n),
]);
/** Many animals have words that start with the first, and none has one that starts with the last. */
TEXTS.push('name zz', 'calm word zz');
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
  for (let from = 0; from < ORDERS; from += AT_ONCE) {
    const placed = Array.from({ length: AT_ONCE }, (_, n) =>
      storage.orders.place(
        { petId: BigInt(ANIMALS - from - n), adopter: marks(90), contact: marks(90), note: 'x' },
        stamp,
      ),
    );
    await Promise.all(placed);
  }
  await storage.close();
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
      ...(names.includes('total') ? names : []).flatMap((name) =>
        TEXTS.map((text) => ask(`${one(name, text)}&total=true`)),
      ),
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
  const address = await addressIn(bench);
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
  if (mode === 'memory') {
    console.log(await memoryOf(server, send));
    return;
  }
  const rows: (readonly [string, string, number])[] = [];
  const dearestAsks = new Map<string, Ask>();
  let asked = 0;
  for (const operation of operations.filter(({ id }) => mode?.split(',').includes(id) ?? true)) {
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
  /** The most processor time between two answers to another, who asks again at once: about the longest turn. */
  async function longestTurn(ask: Ask): Promise<string> {
    const worst: number[] = [];
    for (let round = 0; round < 2 * ROUNDS; round++) {
      const sent = send(ask);
      const turns: number[] = [];
      for (let isOver = false; !isOver; ) {
        const begin = served(server);
        await (await fetch(`${server.origin}/livez`)).text();
        turns.push((served(server) - begin) / 1e6);
        isOver = await Promise.race([sent.then(() => true), Bun.sleep(0).then(() => false)]);
      }
      worst.push(Math.max(...turns));
    }
    return Math.min(...worst).toFixed(1);
  }
  const turns = new Map<string, string>();
  for (const [id, , ms] of rows) {
    const found = ms > GOAL_MS && dearestAsks.get(id);
    if (found) turns.set(id, await longestTurn(found));
  }
  console.log(
    markdownTable(
      ['operation', 'dearest request', 'ms', 'longest turn, ms'],
      rows.map(([id, what, ms]) => [id, what, ms.toFixed(1), turns.get(id) ?? '']),
    ),
  );
  const over = [...turns].filter(([, turn]) => Number(turn) > BOUND_MS);
  console.log(`\nOver ${BOUND_MS} ms: ${over.map(([id]) => id).join(', ') || 'none'}.`);
}

/** A new database, which ends with the bench. */
async function addressIn(bench: Workbench): Promise<string> {
  if (engine === 'sqlite') return `sqlite:${join(bench.folder, 'dearest.db')}`;
  const postgres = bench.use(await startPostgres('shared_buffers=256MB'));
  return postgres.addressOf('postgres');
}

/** The lists whose filters are combined. */
const LISTS = ['/pets', '/listings', '/animals', '/store/orders', '/events', '/audit'] as const;
/** What would wait, or be refused. */
const LEFT_OUT = ['cursor', 'wait', 'to'];
const random = createRandom(7);

type Schema = { $ref?: string; type?: string; format?: string; enum?: string[]; items?: Schema };

/** Returns a value of a parameter: ids and texts are short, so that some animals have them. */
function valueFor({ $ref, items, enum: words, type, format }: Schema): string {
  const name = $ref?.split('/').at(-1) as keyof typeof document.components.schemas | undefined;
  if (name === 'EventPosition') return String(random.below(9_000));
  if (name !== undefined) return valueFor(document.components.schemas[name] as Schema);
  if (items !== undefined) return `${valueFor(items)},${valueFor(items)}`;
  if (words !== undefined) return random.one(words) ?? '';
  if (type === 'integer') return String(1 + random.below(100));
  const day = `20${10 + random.below(16)}-0${1 + random.below(9)}-1${random.below(10)}`;
  if (format !== undefined) return format === 'date' ? day : `${day}T00:00:00Z`;
  const word = () => random.below(36 ** (1 + random.below(3))).toString(36);
  return Array.from({ length: 1 + random.below(4) }, word).join(' ');
}

/** Returns a request for a list with half of its filters. */
function combined(n: number): string {
  const path = LISTS[n % LISTS.length] ?? '/pets';
  const parameters = document.paths[path].get.parameters as { name?: string; schema?: Schema }[];
  const pairs = parameters.flatMap(({ name = 'wait', schema = {} }) => {
    const isAsked = !LEFT_OUT.includes(name) && random.below(2) === 0;
    return isAsked ? [`${name}=${encodeURIComponent(valueFor(schema))}`] : [];
  });
  return `/v1${path}?${pairs.join('&')}`;
}

/** Sends requests that all differ, and says what they leave in memory. */
async function memoryOf(
  { pid }: RunningServer,
  send: (ask: Ask) => Promise<number>,
): Promise<string> {
  const start = residentOf(pid).now;
  const answers = new Map<number, number>();
  for (let from = 0; from < DIFFERENT; from += AT_ONCE) {
    const targets = Array.from({ length: AT_ONCE }, (_, n) => combined(from + n));
    for (const status of await Promise.all(
      targets.map((target) => send({ method: 'GET', target })),
    ))
      answers.set(status, (answers.get(status) ?? 0) + 1);
  }
  const { now, most } = residentOf(pid);
  const said = [start, now, most].map(Math.round).join(', ');
  return `${engine}: MiB before, after and at most: ${said}. Answers: ${Bun.inspect(answers)}`;
}

await main();
