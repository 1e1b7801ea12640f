import { expect } from 'bun:test';
import { LISTING_SORTS } from '../../../src/domain/listing.ts';
import { PET_STATUSES } from '../../../src/domain/pet.ts';
import type { Random } from '../../e2e/crash/random.ts';
import { linksOf, targetOf } from '../../support/animals.ts';
import type { Client, ClientResponse } from '../../support/client.ts';
import {
  CATEGORIES,
  createChanges,
  type Newest,
  PETS,
  SLUGS,
  SPECIES,
  type WalkedServers,
} from './walk-changes.ts';

const COMPARED = 24;
/** Half of the responses are compared after this number of changes, so that each change meets responses from just before it. */
const FOLLOWED_FOR = 6;
const CURSORS_MAX = 200;
const ADDRESSES_MAX = 20;
const PARTS = ['strass', 'STRAß', 're', 'Är', 'zoë', 'x'];

/** Lists that all have pages: with every filter, alone and together. */
const LISTS = ['', 'limit=1', 'limit=7', 'limit=100'].flatMap((limit) => [
  `/v1/pets?${limit}`,
  `/v1/categories?${limit}`,
  ...PET_STATUSES.map((status) => `/v1/pets?status=${status}&${limit}`),
  `/v1/pets?status=sold&sort=newest&${limit}`,
  `/v1/pets?status=pending&categoryId=1&${limit}`,
  `/v1/pets?sort=newest&${limit}`,
  ...[1, 2, 3].map((id) => `/v1/pets?categoryId=${id}&${limit}`),
  ...PARTS.map((part) => `/v1/pets?name=${encodeURIComponent(part)}&${limit}`),
  `/v1/pets?status=sold&categoryId=2&${limit}`,
  `/v1/pets?status=available&name=re&${limit}`,
  ...LISTING_SORTS.map((sort) => `/v1/listings?sort=${sort}&${limit}`),
  ...SPECIES.map((species) => `/v1/listings?species=${species}&${limit}`),
  `/v1/listings?q=rex&sort=name&${limit}`,
  `/v1/listings?ageGroup=baby,young&status=available&${limit}`,
]);
const FACETS = ['', '?species=dog', '?q=re&status=pending'].map(
  (query) => `/v1/listings/facets${query}`,
);

/** Public pages of several animals. */
const FILTERS = [
  '',
  'species=dog',
  'q=re',
  'ageGroup=baby,young&status=available',
  'goodWith=dogs',
];
const PAGES = [
  ...FILTERS.flatMap((filter) => [`/adopt?${filter}`, `/adopt/feed.xml?${filter}`]),
  ...FILTERS.flatMap((filter) => [7, 100].map((n) => `/adopt/animals.json?${filter}&limit=${n}`)),
  ...LISTING_SORTS.map((sort) => `/adopt?sort=${sort}&sex=male`),
  ...[
    '/adopt?lang=de',
    '/adopt?sex=none',
    '/adopt/sitemap.xml',
    '/adopt/sitemap-1.xml',
    '/robots.txt',
  ],
];

/** What a client sees of a response, besides the quota and the request id. */
function seen(path: string, { status, text, headers }: ClientResponse) {
  const isPage = path.startsWith('/adopt');
  if (status !== 200 && !isPage) return { status };
  const [etag, link, location] = ['etag', 'link', 'location'].map((name) => headers.get(name));
  return { status, text, etag, link, location };
}

/** Requests a path as the next visitor, because the pages that one address may see are limited. */
function createReader() {
  let visits = 0;
  return (client: Client, path: string) => {
    visits++;
    const address = [16, 8, 0].map((bits) => (visits >> bits) & 255).join('.');
    return client.get(path, { 'x-forwarded-for': `10.${address}` });
  };
}

/**
 * Changes records at random, by every way that changes them, and after each change compares what all
 * servers answer. While a change is made, other clients read.
 */
export async function walk(servers: WalkedServers, random: Random, steps: number): Promise<void> {
  const { caching, plain } = servers;
  const newest: Newest = { pet: 0, category: 0 };
  const changes = createChanges(servers, newest, random);
  const cursors: string[] = [];
  const read = createReader();
  const petId = () => newest.pet - random.below(PETS);
  const addresses: string[] = [];
  const targets: readonly (() => string | undefined)[] = [
    () => random.one(LISTS),
    () => random.one(LISTS),
    () => random.one(cursors) ?? random.one(LISTS),
    () => `/v1/pets/${petId()}`,
    () => `/v1/pets?id=${petId()}`,
    () => `/v1/pets?id=${newest.pet + 2},${newest.pet - 3},${newest.pet - 9}&limit=2`,
    () => `/v1/pets?id=${newest.pet - (newest.pet % 10)},${newest.pet + 1}&status=sold`,
    () => `/v1/categories/${newest.category - random.below(CATEGORIES)}`,
    () => random.one(FACETS),
    () => `/v1/pets/${petId()}/profile`,
    () => random.one(PAGES),
    () => random.one(PAGES),
    () => random.one(addresses),
    () => random.one(addresses),
    () => `/adopt/${petId()}/card`,
    () => `/adopt/${petId()}/${random.one(SLUGS)}`,
  ];
  const target = () => random.one(targets)?.() ?? '';
  const draw = () => Array.from({ length: COMPARED / 2 }, target);
  let followed: readonly string[] = [];

  function note(path: string, response: ClientResponse): void {
    const { status, text } = response;
    // Also those of animals that found a home.
    if (/^\/adopt\/\d/.test(path) && [200, 410].includes(status)) addresses.push(path);
    const [, more] = /href="(\/adopt[^"]*cursor=[^"]*)"/.exec(text) ?? [];
    if (path.startsWith('/adopt') && more) cursors.push(more.replaceAll('&amp;', '&'));
    if (addresses.length > ADDRESSES_MAX) addresses.shift();
    const next = linksOf(response).get('next');
    if (next === undefined) return;
    if (cursors.length < CURSORS_MAX) cursors.push(targetOf(next));
    else cursors[random.below(CURSORS_MAX)] = targetOf(next);
  }

  async function compare(path: string): Promise<void> {
    const [expected, ...answers] = await Promise.all(
      [plain, ...caching].map((client) => read(client, path)),
    );
    if (expected === undefined) return;
    for (const answer of answers) {
      expect({ path, ...seen(path, answer) }).toEqual({ path, ...seen(path, expected) });
      // A refusal of both would prove nothing.
      expect(answer.status).not.toBe(429);
    }
    note(path, expected);
  }

  // Some kinds of changes are often refused, so a walk may need a few more steps.
  const mostSteps = 4 * steps;
  for (let step = 0; step < steps || (changes.neverDone() > 0 && step < mostSteps); step++) {
    if (step % FOLLOWED_FOR === 0) followed = draw();
    const reads = Array.from({ length: COMPARED / 3 }, target).flatMap((path) =>
      caching.map((client) => read(client, path)),
    );
    await changes.one();
    await Promise.all([...followed, ...draw()].map(compare));
    await Promise.all(reads);
  }
  expect(changes.neverDone()).toBe(0);
}
