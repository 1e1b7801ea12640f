/**
 * `bun bench/quota.ts`: the processor time of one request of each operation on a full shop, since a
 * plan counts requests and not their cost; see README.md.
 */
import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { operations } from '../src/api/resources/operations.ts';
import { openStorage } from '../src/storage/open.ts';
import { type Sample, sampleOf, sendSample } from '../test/contract/samples.ts';
import { createClient } from '../test/support/client.ts';
import { storageBehind } from '../test/support/start.ts';
import { fill } from './big-shop.ts';
import { createAuthorization, startOurs } from './contenders/ours.ts';
import { timeOf } from './request-time.ts';
import { spreadOf } from './statistics.ts';
import { markdownTable } from './table.ts';
import { openWorkbench } from './workbench.ts';

const ANIMALS = 1_000_000;
const CATEGORIES = 10_000;
const ORDERS = 100_000;
const EVENTS = 200_000;
/** Requests of a round. Each change gets a record of its own. */
const READS = 300;
const CHANGES = 50;
const ROUNDS = 5;

/** The dearest reads that we know of, besides the sample of each operation. */
const DEAR: readonly string[] = [
  '/v1/pets?limit=100',
  '/v1/pets?name=quetzal',
  '/v1/pets?name=be&limit=100',
  '/v1/pets?name=qz&limit=100',
  `/v1/pets?id=${Array.from({ length: 100 }, (_, n) => 1 + n * 9_973).join(',')}`,
  '/v1/events?limit=100&after=0&type=order.updated',
  '/v1/store/orders?limit=100&status=cancelled',
  '/v1/store/orders?limit=100&status=placed',
  '/v1/categories?limit=100',
  '/v1/pets?limit=100&sort=newest',
];

/** Adds categories, orders and events to a shop of animals. */
function fillUp(path: string): void {
  using database = new Database(path);
  database.run('PRAGMA synchronous = OFF');
  const ids = 'WITH RECURSIVE ids (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM ids WHERE i < ?)';
  database
    .query(
      `INSERT INTO categories (name, name_folded) ${ids} SELECT 'Kind ' || i, 'kind ' || i FROM ids`,
    )
    .run(CATEGORIES);
  database
    .query(
      `INSERT INTO orders (pet_id, adopter, status, placed_at, updated_at) ${ids}
       SELECT i, 'Kim', CASE i % 2 WHEN 0 THEN 'completed' ELSE 'cancelled' END, i, i FROM ids`,
    )
    .run(ORDERS);
  database
    .query(
      `INSERT INTO changes (type, at, record_id, name, category_id, status) ${ids}
       SELECT 'pet.created', unixepoch() * 1000, i, 'Kim', 1, 'available' FROM ids`,
    )
    .run(EVENTS);
}

/** Removes the webhooks that the samples have added: their number is limited. */
async function removeWebhooks(): Promise<void> {
  for (;;) {
    const hooks: { readonly id: number }[] = JSON.parse(
      (await client.get('/v1/webhooks?limit=100')).text,
    );
    if (hooks.length === 0) return;
    for (const { id } of hooks) await client.delete(`/v1/webhooks/${id}`);
  }
}

/** An import waits for the one before, and few of a key may wait. So may few enquiries of a place. */
const FEW = /^\/(?:imports|enquiries)/;
const IMPORTS = 4;

await using workbench = openWorkbench('taskset');
const path = join(workbench.folder, 'shop.db');
fill(path, ANIMALS, CATEGORIES);
fillUp(path);
const database = `sqlite:${path}`;
const authorization = await createAuthorization(workbench, database, undefined, 'admin');
const server = await startOurs(workbench, database, {
  settings: [
    ...['--webhook-allow', '127.0.0.0/8', '--log-sample', '0'],
    // The samples add further ones.
    ...['--max-categories', String(2 * CATEGORIES)],
  ],
});
const client = createClient(
  () => server.origin,
  authorization.slice('Bearer '.length),
  () => {},
);
// Enquiries come from the public pages.
storageBehind.set(client, await openStorage(database, 'production'));

/** Requests that were refused, by operation: a busy machine looks overloaded to the service. */
const refused = new Map<string, number>();
const rows: { readonly name: string; readonly times: readonly number[] }[] = [];
async function measure(name: string, samples: () => Promise<readonly Sample[]>): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const requests = await samples();
    // Let what the samples started finish first.
    await Bun.sleep(200);
    const time = await timeOf(
      server,
      requests.map((sample) => async () => {
        const { status, text } = await sendSample(client, sample);
        if (status === 503) refused.set(name, (refused.get(name) ?? 0) + 1);
        else if (status >= 400 && !REFUSED.has(name)) throw new Error(`${name}: ${text}`);
      }),
    );
    if (round > 0) times.push(time);
  }
  rows.push({ name, times });
  process.stderr.write(`${name}: ${spreadOf(times).median.toFixed(0)} µs\n`);
}

/** A record that a sample is for may have reached its end before. */
const REFUSED: ReadonlySet<string> = new Set(['cancelImport', 'retryDelivery']);
/** What calls others, and channels: `dearest.ts` has them, and there may be few. */
const UNMEASURED = /^\/(?:channels|webhooks\/\{webhookId\}\/test)/;
for (const operation of operations.filter(({ path }) => !UNMEASURED.test(path))) {
  await measure(operation.id, async () => {
    const first = await sampleOf(operation, client);
    // The others need a new one each, since it works only once.
    if (operation.method === 'GET') return Array(READS).fill(first);
    const others: Sample[] = [];
    const count = FEW.test(operation.path) ? IMPORTS : CHANGES;
    while (others.length < count - 1) others.push(await sampleOf(operation, client));
    return [first, ...others];
  });
  if (operation.path.startsWith('/webhooks')) await removeWebhooks();
}
let requests = 0;
for (const target of DEAR) {
  const shown = target.length > 60 ? `${target.slice(0, 57)}…` : target;
  await measure(`GET ${shown}`, async () =>
    Array.from({ length: READS }, () => ({
      method: 'GET',
      // No two are alike, so that none is answered from the cache.
      target: `${target}&n=${requests++}`,
      headers: {},
      body: undefined,
    })),
  );
}
await server.stop();
for (const [name, count] of refused) process.stderr.write(`${name}: ${count} refused\n`);

const medians = rows.map(({ name, times }) => ({ name, ...spreadOf(times) }));
const typical = spreadOf(medians.map(({ median }) => median)).median;
const table = medians
  .toSorted((a, b) => b.median - a.median)
  .map(({ name, median, lower, upper }) => [
    name,
    median.toFixed(0),
    `${lower.toFixed(0)}–${upper.toFixed(0)}`,
    (median / typical).toFixed(1),
  ]);
process.stdout.write(`${markdownTable(['operation', 'µs', 'quartiles', '÷ median'], table)}\n`);
