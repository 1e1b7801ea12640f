/**
 * `bun bench/listings.ts [PART]`: the processor time of one response of the lists of the public and of the staff with
 * 100,000 published animals, by filter and order, none of them from the cache; only of targets with a part; see README.md.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AGE_GROUPS, SEXES, SIZES, SPECIES } from '../src/domain/profile.ts';
import { openStorage } from '../src/storage/open.ts';
import { createClient } from '../test/support/client.ts';
import { createAuthorization, startOurs } from './contenders/ours.ts';
import { spreadOf } from './statistics.ts';
import { markdownTable } from './table.ts';
import type { RunningServer } from './workbench.ts';
import { openWorkbench } from './workbench.ts';

const ANIMALS = 100_000;
const BATCH = 1_000;
const REQUESTS = 40;
const [ROUNDS, WARM] = [5, 2];

/** The page of animals that others are compared with. */
const COMPARED = '/v1/pets?status=available';
const ALL: readonly string[] = [
  COMPARED,
  ...['fair', 'newest', 'waiting', 'name'].flatMap((sort) => [
    `/v1/listings?sort=${sort}`,
    `/v1/listings?sort=${sort}&species=dog`,
    `/v1/listings?sort=${sort}&species=cat&sex=female&ageGroup=baby&goodWith=dogs`,
  ]),
  '/v1/listings?goodWith=dogs,cats,children&size=small',
  '/v1/listings?species=farm&size=small&sex=male&ageGroup=senior',
  '/v1/listings?categoryId=7',
  // One animal in two has the first word, one in 32 the second, and one in all the third.
  '/v1/listings?q=calm',
  '/v1/listings?q=word7',
  '/v1/listings?q=name77777',
  '/v1/listings?q=a%20b%20c%20d%20e%20f%20g%20h%20i%20j%20k%20l%20m%20n%20o%20p%20q%20r%20s%20t%20u%20w',
  '/v1/listings/facets?',
  '/v1/listings/facets?species=dog&goodWith=children',
  '/v1/listings/facets?q=word7',
  // The list of the staff: all, in each order, by what many and what few animals have, and by words.
  ...['newest', 'name', 'waiting', 'location'].flatMap((sort) => [
    `/v1/animals?sort=${sort}`,
    `/v1/animals?sort=${sort}&status=pending`,
    `/v1/animals?sort=${sort}&care=foster&species=cat`,
  ]),
  '/v1/animals?categoryId=7&published=true&hasPhoto=false',
  '/v1/animals?care=hold',
  '/v1/animals?total=true',
  '/v1/animals?total=true&care=foster&species=cat',
  // Many have these words; few; one, as it stands and as it is printed; none.
  '/v1/animals?q=breed',
  '/v1/animals?q=breed%20kennel%207',
  '/v1/animals?q=276098100077777',
  '/v1/animals?q=276%20098%20100%20077%20777',
  '/v1/animals?q=name%20zz&sort=location',
];
const TARGETS = ALL.filter((one) => one === COMPARED || one.includes(process.argv[2] ?? ''));

/** Requests under way at a time. */
const AT_ONCE = 6;

/** Returns the processor time of all threads of a process (proc_pid_schedstat(5)). */
function nanosecondsOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((total, thread) => {
    const [time] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
    return total + Number(time);
  }, 0);
}

/** Returns the processor time of each of these requests, in microseconds. */
async function timeOf(
  server: RunningServer,
  send: readonly (() => Promise<unknown>)[],
): Promise<number> {
  const before = nanosecondsOf(server.pid);
  const waiting = [...send];
  const next = async () => {
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) await one();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return (nanosecondsOf(server.pid) - before) / 1_000 / send.length;
}

/** Animals whose values are spread, each in its own way, and a text of 60 words. */
async function fill(address: string): Promise<void> {
  const storage = await openStorage(address, 'production');
  const stamp = { at: Date.now(), keyId: null };
  const spread = (n: number, salt: number) => ((n * 2_654_435_761 + salt * 40_503) >>> 9) % 1_000;
  const one = <T>(values: readonly T[], n: number, salt: number) =>
    values[spread(n, salt) % values.length] ?? null;
  const animalAt = (n: number) => {
    const isSold = n % 20 === 0;
    const words = Array.from(
      { length: 60 },
      (_, w) => `word${(n * 7 + w * w) % (w < 2 ? 64 : 5_000)}`,
    );
    return {
      name: `Name${n}`,
      // One for each species, as shops have them.
      category: { id: BigInt(1 + (spread(n, 1) % SPECIES.length)) },
      status: isSold ? ('sold' as const) : n % 9 === 0 ? ('pending' as const) : 'available',
      externalId: undefined,
      profile: {
        species: one(SPECIES, n, 1),
        sex: one([...SEXES, null], n, 2),
        size: one([...SIZES, null], n, 3),
        breed: `Breed ${n % 300}`,
        headline: n % 2 ? 'A calm friend' : null,
        description: words.join(' '),
        goodWithDogs: one(['yes', 'no', 'selective', null] as const, n, 4),
        goodWithCats: one(['yes', 'no', null] as const, n, 5),
        goodWithChildren: one(['yes', 'over_5', 'no', null] as const, n, 6),
        birthDate: n % 5 ? `20${10 + (n % 16)}-0${1 + (n % 9)}-1${n % 9}` : null,
        ...(n % 5 === 0 && { ageGroup: one(AGE_GROUPS, n, 7) }),
        inCareSince: `202${n % 6}-0${1 + (n % 9)}-2${n % 9}`,
        published: true,
        // Staff see these alone. One animal in 1,000 is held.
        location: spread(n, 9) % 3 ? `Kennel ${n % 40}` : null,
        microchip: `2760981${String(n).padStart(8, '0')}`,
        ...(!isSold && {
          care:
            n % 1_000 === 1 ? ('hold' as const) : one(['shelter', 'foster', null] as const, n, 8),
        }),
      },
    } as const;
  };
  for (let from = 0; from < ANIMALS; from += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, n) => animalAt(from + n));
    await storage.pets.importBatch(batch, stamp);
  }
  await storage.close();
}

await using workbench = openWorkbench('taskset');
const database = `sqlite:${join(workbench.folder, 'shop.db')}`;
await fill(database);
const authorization = await createAuthorization(workbench, database, undefined, 'admin');
const server = await startOurs(workbench, database, {
  settings: ['--log-sample', '0'],
});
const client = createClient(
  () => server.origin,
  authorization.slice('Bearer '.length),
  () => {},
);

let requests = 0;
async function get(target: string): Promise<void> {
  // No two are alike, so that none comes from the cache.
  const { status, text } = await client.get(`${target}&n=${requests++}`.replace('?&', '?'));
  if (status !== 200) throw new Error(`${target}: ${text}`);
}

const times = new Map<string, number[]>();
for (let round = 0; round < ROUNDS + WARM; round++) {
  for (const target of TARGETS) {
    const send = Array.from({ length: REQUESTS }, () => () => get(target));
    const time = await timeOf(server, send);
    if (round >= WARM) times.getOrInsertComputed(target, () => []).push(time);
  }
}
await server.stop();

const compared = spreadOf(times.get(COMPARED) ?? []).median;
const rows = [...times].map(([target, measured]) => {
  const { median, lower, upper } = spreadOf(measured);
  const quartiles = `${lower.toFixed(0)}–${upper.toFixed(0)}`;
  return [target, median.toFixed(0), quartiles, (median / compared).toFixed(1)];
});
process.stdout.write(
  `${markdownTable(['request', 'µs', 'quartiles', '÷ a page of /pets'], rows)}\n`,
);
