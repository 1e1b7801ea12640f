/** `bun test/client/lost-connections.ts 10000`: adds animals over a proxy that cuts connections. */
import { Petstore } from 'petstore-client';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { startServing } from '../support/serving.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

/** What came of adding animals while connections were cut. */
export interface Outcome {
  readonly added: number;
  readonly requests: number;
  readonly cuts: number;
  /** Animals that the service has, by how often each name is there. */
  readonly timesThere: ReadonlyMap<string, number>;
  /** Events of `events.follow` over the same proxy, by name. */
  readonly timesFollowed: ReadonlyMap<string, number>;
}

/** Additions under way at once. */
const CONCURRENT = 16;
/** Requests for each cut, on average. */
const REQUESTS_PER_CUT = 40;
/** A cut comes within this time after its request, in milliseconds. */
const CUT_WITHIN_MS = 6;

/** Adds `count` animals over a proxy that cuts all connections at random moments. */
export async function addOverCutConnections(count: number): Promise<Outcome> {
  using folder = createTemporaryFolder();
  await using serving = await startServing({
    PETSTORE_DATABASE: `sqlite:${folder.file('a.db')}`,
  });
  using proxy = startCuttingProxy(serving.port);
  const apiKey = serving.client.key ?? '';
  let requests = 0;
  let cuts = 0;
  const cutting = (url: string, init: RequestInit) => {
    requests++;
    if (Math.random() < 1 / REQUESTS_PER_CUT) {
      setTimeout(() => {
        cuts++;
        proxy.cut();
      }, Math.random() * CUT_WITHIN_MS);
    }
    return fetch(url, init);
  };
  const baseUrl = `http://127.0.0.1:${proxy.port}/v1`;
  // Many cuts in a row must not end the run: only what is done twice or not at all may.
  const options = { baseUrl, apiKey, retries: 30, maxWait: 5_000, deadline: 600_000 };
  const store = new Petstore({ ...options, fetch: cutting });
  const names = Array.from({ length: count }, (_, index) => `Animal ${index}`);

  const ending = new AbortController();
  const followed = follow(new Petstore(options), names.length, ending.signal);
  const rest = names.values();
  await Promise.all(
    Array.from({ length: CONCURRENT }, async () => {
      for (const name of rest) await store.pets.create({ name, categoryId: 1 });
    }),
  );

  const direct = new Petstore({ baseUrl: `http://127.0.0.1:${serving.port}/v1`, apiKey });
  const timesThere = new Map<string, number>();
  for await (const { name } of direct.pets.list()) countOne(timesThere, name);
  const timesFollowed = await followed;
  ending.abort();
  return { added: count, requests, cuts, timesThere, timesFollowed };
}

/** Follows the feed from its start until it has shown `count` additions. */
async function follow(
  store: Petstore,
  count: number,
  signal: AbortSignal,
): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  let seen = 0;
  for await (const event of store.events.follow({ after: 0, type: 'pet.created', signal })) {
    if (event.type !== 'pet.created') continue;
    countOne(times, event.data.name);
    if (++seen === count) break;
  }
  return times;
}

function countOne(times: Map<string, number>, name: string): void {
  times.set(name, (times.get(name) ?? 0) + 1);
}

if (import.meta.main) {
  const count = Number(process.argv[2] ?? 10_000);
  const { requests, cuts, timesThere, timesFollowed } = await addOverCutConnections(count);
  const twice = [...timesThere].filter(([, times]) => times > 1).length;
  const followedTwice = [...timesFollowed].filter(([, times]) => times > 1).length;
  console.log(`${count} additions in ${requests} requests, with ${cuts} cuts of all connections:`);
  console.log(`${timesThere.size} animals are there, ${twice} of them more than once;`);
  console.log(`${timesFollowed.size} were followed, ${followedTwice} of them more than once.`);
}
