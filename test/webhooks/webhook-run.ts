import { createRandom, type Random } from '../e2e/crash/random.ts';
import { checkArrivals, type Endpoint, type StoredEvent } from '../events/arrivals.ts';
import { startWriters } from '../events/store-writers.ts';
import { eventually } from '../support/eventually.ts';
import { type FailingReceiver, startFailingReceiver } from './failing-receiver.ts';
import type { WebhookStore } from './webhook-store.ts';

const WRITERS = 8;
/** Writers pause so that what fails can be tried again before the run is over. */
const PAUSE_MS = 200;
const FAULTS_MAX = 3;
/** Arrivals between two faults, at most. */
const ARRIVALS_BETWEEN_MAX = 100;
/** After this time nothing of a killed process is on its way to the receiver. */
const SETTLE_MS = 50;

/** What each webhook wants: three want all types. */
const TYPES = [null, null, null, ['pet.updated', 'order.placed']] as const;

/** What a run saw. */
export interface WebhookRun {
  readonly events: number;
  readonly arrivals: number;
  readonly duplicates: number;
  readonly kills: number;
  /** Restarts of the database. */
  readonly restarts: number;
  /** From `kill -9` of a process until every webhook got something, with that process still away. */
  readonly takeoverMs: number;
}

/**
 * Delivers to a receiver that fails at random, beside writers, while processes are killed and the
 * database is restarted. Throws if an event is missing, came before an earlier one of its record, or
 * came twice with another body.
 */
export async function runWebhooks(store: WebhookStore, seed: number): Promise<WebhookRun> {
  const random = createRandom(seed);
  await using receiver = await startFailingReceiver(seed);
  const api = createApi(`${store.servers[0]?.url}/v1`, store.adminKey);
  const endpoints = await Promise.all(
    TYPES.map((types, number) => api.create(`${receiver.url}/${number}`, types)),
  );
  const start = await api.newest();
  const options = { pauseMs: PAUSE_MS, areServersKilled: true };
  const writers = startWriters(store.servers, WRITERS, seed, options);
  let [kills, restarts] = [0, 0];
  let takeoverMs = 0;
  try {
    const faults = 1 + random.below(FAULTS_MAX);
    for (let fault = 0; fault < faults; fault++) {
      const until = receiver.arrivals.length + random.below(ARRIVALS_BETWEEN_MAX);
      await eventually(
        () => receiver.arrivals.length,
        (count) => count >= until,
      );
      const isRestart = store.postgres !== undefined && (fault === 0 || random.below(2) === 0);
      if (isRestart) restarts++;
      else kills++;
      await (isRestart ? restartDatabase(store, random) : restartProcess(store, random));
    }
    takeoverMs = await takeOver(store, receiver, endpoints, random);
    kills++;
  } finally {
    await writers.end();
  }
  receiver.calmDown();
  const events = await api.eventsAfter(start);
  const { duplicates } = await eventually(
    () => checkArrivals(receiver.arrivals, endpoints, events),
    ({ missing }) => missing.length === 0,
  );
  for (const { id } of endpoints) await api.remove(id);
  const counts = { events: events.length, arrivals: receiver.arrivals.length };
  return { ...counts, duplicates, kills, restarts, takeoverMs };
}

async function restartProcess({ instances }: WebhookStore, random: Random): Promise<void> {
  await using _ = await random.one(instances)?.kill();
}

async function restartDatabase({ postgres }: WebhookStore, random: Random): Promise<void> {
  const ways = ['fast', 'immediate', 'kill'] as const;
  const way = random.one(ways) ?? 'fast';
  await using _ = way === 'kill' ? await postgres?.kill() : await postgres?.stop(way);
}

/** Kills a process and starts it again only when every webhook has got something. */
async function takeOver(
  { instances }: WebhookStore,
  { arrivals }: FailingReceiver,
  endpoints: readonly Endpoint[],
  random: Random,
): Promise<number> {
  const killedAt = performance.now();
  await using _ = await random.one(instances)?.kill();
  await Bun.sleep(SETTLE_MS);
  const before = arrivals.length;
  const firsts = () => {
    const since = arrivals.slice(before);
    return endpoints.flatMap(({ path }) => since.find((arrival) => arrival.path === path) ?? []);
  };
  const found = await eventually(firsts, ({ length }) => length === endpoints.length);
  return Math.max(...found.map(({ at }) => at)) - killedAt;
}

/** The interface, with a key of the scope `admin`. */
function createApi(base: string, key: string) {
  async function send(method: string, path: string, body?: object) {
    const response = await fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
    return { headers: response.headers, text };
  }

  return {
    async create(url: string, types: Endpoint['types']): Promise<Endpoint> {
      const { text } = await send('POST', '/webhooks', { url, ...(types && { types }) });
      const { id, secret } = JSON.parse(text);
      return { id, secret, types, path: new URL(url).pathname };
    },
    remove: (id: number) => send('DELETE', `/webhooks/${id}`),
    async newest(): Promise<number> {
      const link = (await send('GET', '/events?after=latest')).headers.get('link');
      return Number(/[?&]after=(\d+)/.exec(link ?? '')?.[1]);
    },
    async eventsAfter(start: number): Promise<readonly StoredEvent[]> {
      const events: StoredEvent[] = [];
      for (;;) {
        const after = events.at(-1)?.id ?? start;
        const { text } = await send('GET', `/events?after=${after}&limit=100`);
        const page: readonly StoredEvent[] = JSON.parse(text);
        if (page.length === 0) return events;
        events.push(...page);
      }
    },
  };
}
