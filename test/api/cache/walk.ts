import { expect } from 'bun:test';
import { LISTING_SORTS } from '../../../src/domain/listing.ts';
import type { MaybePromise } from '../../../src/domain/maybe-promise.ts';
import { PET_STATUSES } from '../../../src/domain/pet.ts';
import type { Storage } from '../../../src/domain/storage.ts';
import type { Random } from '../../e2e/crash/random.ts';
import { idOf, linksOf, targetOf } from '../../support/animals.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import type { Client, ClientResponse } from '../../support/client.ts';

/** Servers on one database, with the same base address. */
export interface WalkedServers {
  /** Those with a cache. */
  readonly caching: readonly Client[];
  /** One without. */
  readonly plain: Client;
  /** The database, as another process has it. */
  readonly storage: Storage;
}

/** Animals at the start and after a reset; about as many of the newest ones are changed and read. */
const PETS = 40;
const CATEGORIES = 6;
const COMPARED = 24;
const CURSORS_MAX = 200;
const RESET_EVERY = 90;
const SPECIES = ['dog', 'cat'] as const;
const NAMES = ['Straße', 'STRASSE', 'Rex', 'rEX the Great', 'ÄRGER', 'ärger', 'Zoë'];
const PARTS = ['strass', 'STRAß', 're', 'Är', 'zoë', 'x'];

/** Lists that all have pages: with every filter, alone and together. */
const LISTS = ['', 'limit=1', 'limit=7', 'limit=100'].flatMap((limit) => [
  `/v1/pets?${limit}`,
  `/v1/categories?${limit}`,
  ...PET_STATUSES.map((status) => `/v1/pets?status=${status}&${limit}`),
  `/v1/pets?status=available,sold&${limit}`,
  `/v1/pets?status=sold&status=pending&sort=newest&${limit}`,
  `/v1/pets?status=pending,available&categoryId=1&${limit}`,
  `/v1/pets?status=available,sold&name=re&${limit}`,
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

/** The newest ids. Ids are not reused, so those of a reset database lie above all others. */
interface Newest {
  pet: number;
  category: number;
}

/** What a client sees of a response, besides the quota and the request id. */
function seen({ status, text, headers }: ClientResponse) {
  if (status === 200) return { text, etag: headers.get('etag'), link: headers.get('link') };
  return { status };
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
  const petId = () => newest.pet - random.below(PETS);
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
  ];
  const target = () => random.one(targets)?.() ?? '';

  function note(response: ClientResponse): void {
    const next = linksOf(response).get('next');
    if (next === undefined) return;
    if (cursors.length < CURSORS_MAX) cursors.push(targetOf(next));
    else cursors[random.below(CURSORS_MAX)] = targetOf(next);
  }

  async function compare(path: string): Promise<void> {
    const [expected, ...answers] = await Promise.all(
      [plain, ...caching].map((client) => client.get(path)),
    );
    if (expected === undefined) return;
    for (const answer of answers) {
      expect({ path, ...seen(answer) }).toEqual({ path, ...seen(expected) });
    }
    note(expected);
  }

  // Some kinds of changes are often refused, so a walk may need a few more steps.
  const mostSteps = 4 * steps;
  for (let step = 0; step < steps || (changes.neverDone() > 0 && step < mostSteps); step++) {
    const reads = Array.from({ length: COMPARED / 3 }, target).flatMap((path) =>
      caching.map((client) => client.get(path)),
    );
    await changes.one();
    await Promise.all(Array.from({ length: COMPARED }, target).map(compare));
    await Promise.all(reads);
  }
  expect(changes.neverDone()).toBe(0);
}

/** Creates changes at random. Each is acknowledged, or refused, when its promise resolves. */
function createChanges({ caching, storage }: WalkedServers, newest: Newest, random: Random) {
  const orders: bigint[] = [];
  const petId = () => newest.pet - random.below(PETS);
  const categoryId = () => newest.category - random.below(CATEGORIES);
  const name = () => random.one(NAMES) ?? '';
  const kind = () => `Kind ${random.below(12)}`;
  const status = () => random.one(PET_STATUSES) ?? 'sold';
  const content = () => ({ name: name(), categoryId: 1 + random.below(3), status: status() });
  const profile = () => ({
    species: random.one(SPECIES),
    birthDate: random.one(['2026-01-05', '2023-03-03', null]),
    headline: random.one(['A friend of Rex', null]),
    care: random.one(['foster', 'medical', null]),
    published: random.below(4) > 0,
  });
  const orderStatus = () => random.one(['approved', 'completed', 'cancelled']);
  const client = () => random.one(caching) ?? caching[0];

  async function importAnimals(count: number): Promise<void> {
    const batch = Array.from({ length: count }, (_, i) => ({
      name: name(),
      category: i === 0 ? { name: kind() } : { id: BigInt(1 + random.below(3)) },
      status: status(),
      // Some are there already, and are changed.
      externalId: `animal ${random.below(30)} ${i}`,
    }));
    const outcome = await storage.pets.importBatch(batch, CHANGE_STAMP);
    newest.pet += outcome.created;
    newest.category += outcome.categoriesCreated.length;
  }

  async function reset(): Promise<void> {
    await storage.reset(CHANGE_STAMP);
    await importAnimals(PETS);
  }

  async function add() {
    newest.pet++;
    return await client()?.post('/v1/pets', content());
  }

  async function addCategory() {
    const response = await client()?.post('/v1/categories', { name: kind() });
    if (response?.status === 201) newest.category = Number(idOf(response));
    return response;
  }

  const photo = () => ({
    sha256: String(random.below(9)).repeat(64),
    width: 640,
    height: 480,
    alt: random.one(['', 'In the grass']) ?? '',
  });

  /** Moves the last photo of an animal to the front, or removes it. */
  async function changePhoto(): Promise<void> {
    const petId = BigInt(newest.pet - random.below(PETS));
    const { photos } = storage;
    const last = (await photos.list(petId))?.at(-1);
    if (last === undefined) return;
    if (random.below(2) === 0) await photos.remove(petId, last.id, CHANGE_STAMP, () => {});
    else await photos.update(petId, last.id, { position: 1 }, CHANGE_STAMP, () => {});
  }

  async function order() {
    const response = await client()?.post('/v1/store/orders', { petId: petId() });
    if (response !== undefined && response.status < 300) orders.push(idOf(response));
    return response;
  }

  async function approvedOrder() {
    const placed = await order();
    if (placed === undefined || placed.status >= 300) return placed;
    return await client()?.patch(`/v1/store/orders/${orders.at(-1)}`, { status: 'approved' });
  }

  const changes: readonly (() => MaybePromise<ClientResponse | undefined>)[] = [
    add,
    add,
    addCategory,
    order,
    approvedOrder,
    () => client()?.patch(`/v1/store/orders/${random.one(orders)}`, { status: orderStatus() }),
    () => client()?.patch(`/v1/pets/${petId()}`, content()),
    () => client()?.patch(`/v1/pets/${petId()}`, { name: name() }),
    () => client()?.patch(`/v1/pets/${petId()}`, { status: status() }),
    () => client()?.patch(`/v1/pets/${petId()}/profile`, profile()),
    () => client()?.patch(`/v1/pets/${petId()}/profile`, profile()),
    async () => void (await storage.photos.add(BigInt(petId()), photo(), CHANGE_STAMP)),
    async () => void (await changePhoto()),
    () => client()?.delete(`/v1/pets/${petId()}`),
    () => client()?.patch(`/v1/categories/${categoryId()}`, { name: kind() }),
    () => client()?.delete(`/v1/categories/${categoryId()}`),
    async () => void (await importAnimals(1 + random.below(5))),
    async () =>
      void (await storage.pets.update(BigInt(petId()), { name: name() }, CHANGE_STAMP, () => {})),
  ];
  const done = new Set<number>();

  return {
    async one(): Promise<void> {
      if (newest.pet === 0 || random.below(RESET_EVERY) === 0) return await reset();
      const chosen = random.below(changes.length);
      const response = await changes[chosen]?.();
      if (response === undefined || response.status < 300) done.add(chosen);
    },
    /** The number of kinds of changes that never succeeded. */
    neverDone: () => changes.length - done.size,
  };
}
