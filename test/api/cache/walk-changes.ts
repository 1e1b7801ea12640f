import { PET_STATUSES } from '../../../src/domain/pet.ts';
import type { Storage } from '../../../src/domain/storage.ts';
import type { Random } from '../../e2e/crash/random.ts';
import { idOf } from '../../support/animals.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import type { Client, ClientResponse } from '../../support/client.ts';

/** Animals at the start and after a reset; about as many of the newest ones are changed and read. */
export const PETS = 40;
export const CATEGORIES = 6;
export const SPECIES = ['dog', 'cat'] as const;
const RESET_EVERY = 90;
const NAMES = ['Straße', 'STRASSE', 'Rex', 'rEX the Great', 'ÄRGER', 'ärger', 'Zoë'];
/** The names as the addresses of pages have them. */
export const SLUGS = ['strasse', 'rex', 'rex-the-great', 'arger', 'zoe'];

/** Servers on one database, with the same base address, which trust us to forward requests. */
export interface WalkedServers {
  /** Those with a cache. */
  readonly caching: readonly Client[];
  /** One without. */
  readonly plain: Client;
  /** The database, as another process has it. */
  readonly storage: Storage;
  /** Lets days pass on all servers; undefined if they have the time of the machine. */
  readonly pass?: ((days: number) => void) | undefined;
}

/** The newest ids. Ids are not reused, so those of a reset database lie above all others. */
export interface Newest {
  pet: number;
  category: number;
}

/** Creates changes at random. Each is acknowledged, or refused, when its promise resolves. */
export function createChanges(
  { caching, storage, pass }: WalkedServers,
  newest: Newest,
  random: Random,
) {
  const orders: bigint[] = [];
  const removed: number[] = [];
  const petId = () => newest.pet - random.below(PETS);
  const categoryId = () => newest.category - random.below(CATEGORIES);
  const name = () => random.one(NAMES) ?? '';
  const kind = () => `Kind ${random.below(12)}`;
  const status = () => random.one(PET_STATUSES) ?? 'sold';
  const content = () => ({ name: name(), categoryId: 1 + random.below(3), status: status() });
  const values: Readonly<Record<string, readonly unknown[]>> = {
    species: SPECIES,
    breed: ['Boxer', 'Straße', null],
    sex: ['female', 'male', null],
    size: ['small', 'large', null],
    birthDate: ['2026-01-05', '2023-03-03', null],
    headline: ['A friend of Rex', 'Calm', null],
    description: ['He re-reads.', 'Calm', null],
    goodWithDogs: ['yes', 'no', null],
    goodWithChildren: ['over_5', 'no', null],
    inCareSince: ['2026-03-01', '2025-07-07', null],
    published: [true, true, true, false],
    care: ['foster', 'shelter', 'medical', null],
    medicalNotes: ['Sound', null],
    location: ['Kennel 4', null],
  };
  const some = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, random.one(values[name] ?? [])]));
  const profile = () => some(Object.keys(values));
  const fieldOfProfile = () => some([random.one(Object.keys(values)) ?? 'breed']);
  const patchProfile = (body: unknown) => client()?.patch(`/v1/pets/${petId()}/profile`, body);
  const orderStatus = () => random.one(['approved', 'completed', 'cancelled']);
  const client = () => random.one(caching) ?? caching[0];

  async function importAnimals(count: number): Promise<void> {
    const batch = Array.from({ length: count }, (_, i) => ({
      name: name(),
      category: i === 0 ? { name: kind() } : { id: BigInt(1 + random.below(3)) },
      status: status(),
      // Some are there already, and are changed.
      externalId: `animal ${random.below(30)} ${i}`,
      ...(random.below(5) > 0 && { profile: { ...profile(), published: true, care: null } }),
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
    const change = random.one([{ position: 1 }, { alt: 'Asleep' }, { focus: { x: 0, y: 0.25 } }]);
    if (random.below(3) === 0) await photos.remove(petId, last.id, CHANGE_STAMP, () => {});
    else await photos.update(petId, last.id, change ?? {}, CHANGE_STAMP, () => {});
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

  async function remove() {
    const id = petId();
    const response = await client()?.delete(`/v1/pets/${id}`);
    if (response?.status === 204) removed.push(id);
    return response;
  }

  /** Often one day, sometimes enough for goodbyes to end. */
  async function passDays() {
    pass?.(random.below(4) === 0 ? 40 : 1);
  }

  const changes: readonly (() => Promise<ClientResponse | undefined> | undefined)[] = [
    add,
    add,
    addCategory,
    order,
    approvedOrder,
    () => client()?.patch(`/v1/store/orders/${random.one(orders)}`, { status: orderStatus() }),
    () => client()?.patch(`/v1/pets/${petId()}`, content()),
    () => client()?.patch(`/v1/pets/${petId()}`, { name: name() }),
    () => client()?.patch(`/v1/pets/${petId()}`, { status: status() }),
    () => patchProfile(profile()),
    ...Array.from({ length: 4 }, () => () => patchProfile(fieldOfProfile())),
    () => patchProfile(some(['location'])),
    () => patchProfile(some(['published'])),
    () => patchProfile(some(['care'])),
    () => client()?.patch('/v1/shop', { name: name(), telephone: `0${random.below(9)}` }),
    async () => void (await storage.photos.add(BigInt(petId()), photo(), CHANGE_STAMP)),
    async () => void (await changePhoto()),
    remove,
    () => client()?.post(`/v1/pets/${removed.pop()}/restore`, ''),
    () => client()?.patch(`/v1/categories/${categoryId()}`, { name: kind() }),
    () => client()?.delete(`/v1/categories/${categoryId()}`),
    async () => void (await importAnimals(1 + random.below(5))),
    async () => void (await passDays()),
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
