import { createRandom, type Random } from '../e2e/crash/random.ts';

/** A server to write to, with a key that may write. */
export interface WritableServer {
  readonly url: string;
  readonly key: string;
}

/** Writers that change a store until they are ended. */
export interface StoreWriters {
  /** Successful writes so far. */
  readonly written: number;
  /** Waits for the writes in progress. */
  end(): Promise<void>;
}

/** Ids that the writers know. All writers share them, so that they change the same records. */
interface KnownIds {
  readonly pets: number[];
  readonly categories: number[];
  readonly orders: number[];
}

const STATUSES = ['available', 'pending', 'sold'] as const;
const ORDER_STATUSES = ['approved', 'completed', 'cancelled'] as const;
/** Few names, so that categories often collide. */
const CATEGORY_NAMES = 40;

/** How writers behave. */
export interface WriterOptions {
  /** The pause of a writer after each write; none by default. */
  readonly pauseMs?: number;
  /** Servers are killed meanwhile, so a write may get no response. */
  readonly areServersKilled?: boolean;
}

/** Starts writers, spread over the servers, each with random writes of its own. */
export function startWriters(
  servers: readonly WritableServer[],
  count: number,
  seed: number,
  { pauseMs, areServersKilled = false }: WriterOptions = {},
): StoreWriters {
  const known: KnownIds = { pets: [], categories: [], orders: [] };
  let isEnding = false;
  let written = 0;

  async function write(random: Random): Promise<void> {
    const server = random.one(servers);
    const request = randomWrite(known, random);
    if (server === undefined || request === undefined) return;
    const { kind, method, path } = request;
    const response = await send(server, request).catch((error: unknown) => {
      if (!areServersKilled) throw error;
      return { status: 503, text: '' };
    });
    const { status, text } = response;
    // A machine busy with other tests can make a database late. Those who follow do so anyway.
    if (status === 503) return;
    if (status >= 500) throw new Error(`${method} ${path}: ${status} ${text}`);
    if (status < 300) written++;
    if (status === 201) known[kind].push(Number(JSON.parse(text).id));
  }

  async function writeOn(random: Random): Promise<void> {
    while (!isEnding) {
      await write(random);
      if (pauseMs !== undefined) await Bun.sleep(pauseMs);
    }
  }

  const writing = Array.from({ length: count }, (_, n) => writeOn(createRandom(seed * 1_000 + n)));

  return {
    get written() {
      return written;
    },
    async end() {
      isEnding = true;
      await Promise.all(writing);
    },
  };
}

interface RandomWrite {
  readonly kind: keyof KnownIds;
  readonly method: string;
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

async function send({ url, key }: WritableServer, { method, path, body }: RandomWrite) {
  const response = await fetch(`${url}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

/** Returns a random write, many of which the server refuses; undefined if it needs an unknown id. */
function randomWrite(known: KnownIds, random: Random): RandomWrite | undefined {
  const change = (
    kind: keyof KnownIds,
    root: string,
    method: string,
    body?: RandomWrite['body'],
  ) => {
    const id = random.one(known[kind]);
    const path = `${root}/${id}`;
    return id === undefined ? undefined : { kind, method, path, ...(body && { body }) };
  };
  const turn = random.below(100);
  if (turn < 35) {
    const body = {
      name: `Pet ${random.below(1_000)}`,
      categoryId: random.below(9),
      status: random.one(STATUSES),
    };
    return { kind: 'pets', method: 'POST', path: '/pets', body };
  }
  if (turn < 55) {
    return change('pets', '/pets', 'PATCH', {
      name: `Pet ${random.below(3)}`,
      status: random.one(STATUSES),
    });
  }
  if (turn < 70) return change('pets', '/pets', 'DELETE');
  const name = `Kind ${random.below(CATEGORY_NAMES)}`;
  if (turn < 76) return { kind: 'categories', method: 'POST', path: '/categories', body: { name } };
  if (turn < 80) return change('categories', '/categories', 'PATCH', { name });
  if (turn < 83) return change('categories', '/categories', 'DELETE');
  if (turn < 92) {
    const body = { petId: random.one(known.pets) ?? 1, adopter: 'Kim' };
    return { kind: 'orders', method: 'POST', path: '/store/orders', body };
  }
  return change('orders', '/store/orders', 'PATCH', { status: random.one(ORDER_STATUSES) });
}
