import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createReportedChanges } from '../../../src/api/cache/reported-changes.ts';
import { dependsOnPage, dependsOnRecord } from '../../../src/api/contract/dependency.ts';
import type { Change } from '../../../src/domain/change-log.ts';
import { foldName } from '../../../src/domain/name.ts';
import { type Page, type PageRequest, pageOf } from '../../../src/domain/page.ts';
import { PET_STATUSES, type Pet, type PetFilter } from '../../../src/domain/pet.ts';

const IDS_MAX = 14;
const RUNS = 20_000;
/** Names whose case must be folded to find the parts below. */
const NAMES = ['Straße', 'STRASSE', 'Rex', 'rEX the Great', 'Ärger', 'Zoë'];
const PARTS = ['strass', 're', 'är', 'zoë', 'x'];

const id = fc.bigInt({ min: 1n, max: BigInt(IDS_MAX) });
const content = fc.record({
  name: fc.constantFrom(...NAMES),
  categoryId: fc.bigInt({ min: 1n, max: 2n }),
  status: fc.constantFrom(...PET_STATUSES),
});
const absent = fc.constant(undefined);
const maybe = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 2, arbitrary: absent }, { weight: 1, arbitrary: value });
const filter: fc.Arbitrary<PetFilter> = fc.record({
  status: maybe(fc.subarray([...PET_STATUSES], { minLength: 1 })),
  categoryId: maybe(fc.bigInt({ min: 1n, max: 2n })),
  ids: maybe(fc.array(id, { minLength: 1, maxLength: 8 })),
  nameFolded: maybe(fc.constantFrom(...PARTS)),
});
const request = fc.record({ afterId: maybe(id), limit: fc.integer({ min: 1, max: 4 }) });
const write = fc.record({ id, content: fc.oneof(absent, content) });

type Database = ReadonlyMap<bigint, Pet>;

function passes({ id, name, categoryId, status }: Pet, wanted: PetFilter): boolean {
  if (wanted.status?.every((one) => one !== status)) return false;
  if (wanted.categoryId !== undefined && wanted.categoryId !== categoryId) return false;
  if (wanted.ids?.every((one) => one !== id)) return false;
  return wanted.nameFolded === undefined || foldName(name).indexOf(wanted.nameFolded) >= 0;
}

/** Reads a page; a search by name that may look at `bound` animals ends early. */
function read(database: Database, wanted: PetFilter, page: PageRequest, end?: bigint): Page<Pet> {
  const after = page.afterId ?? 0n;
  const found = [...database.values()]
    .filter((pet) => pet.id > after && (end === undefined || pet.id <= end) && passes(pet, wanted))
    .sort((a, b) => Number(a.id - b.id));
  if (end === undefined || found.length > page.limit) return pageOf(found, page.limit);
  return { items: found, more: true, resumeAfter: end };
}

/** What a response shows of a page. */
const shown = ({ items, more, resumeAfter }: Page<Pet>) => ({ items, more, resumeAfter });

/** Returns the change that a write makes, and the database after it; undefined if it makes none. */
function apply(
  database: Database,
  { id, content }: { id: bigint; content: Omit<Pet, 'id'> | undefined },
): { change: Change; after: Database } | undefined {
  const after = new Map(database);
  const known = database.get(id);
  if (content === undefined) {
    if (known === undefined) return undefined;
    after.delete(id);
    return { change: { type: 'pet.deleted', pet: known }, after };
  }
  const pet = { id, ...content };
  after.set(id, pet);
  return { change: { type: known ? 'pet.updated' : 'pet.created', pet }, after };
}

test('a page is altered by exactly the changes of animals on it and those that pass its filter', () => {
  let altered = 0;
  let unaltered = 0;
  fc.assert(
    fc.property(
      fc.array(fc.record({ id, content }), { maxLength: 10 }),
      filter,
      request,
      maybe(id),
      fc.array(write, { maxLength: 4 }),
      fc.array(write, { minLength: 1, maxLength: 4 }),
      (pets, wanted, asked, bound, before, later) => {
        const changes = createReportedChanges();
        let database: Database = new Map(
          pets.map(({ id, content }) => [id, { id, ...content }] as const),
        );
        function run(writes: typeof later): Change[] {
          return writes.flatMap((one) => {
            const applied = apply(database, one);
            if (applied === undefined) return [];
            database = applied.after;
            return [applied.change];
          });
        }
        for (const change of run(before)) changes.changed(change);
        const { version } = changes;
        const end =
          bound !== undefined && wanted.nameFolded !== undefined && bound > (asked.afterId ?? 0n)
            ? bound
            : undefined;
        const page = read(database, wanted, asked, end);
        const dependsOn = dependsOnPage('pet', wanted, asked, page);
        const made = run(later);
        for (const change of made) changes.changed(change);
        const isAltered = changes.mayHaveAltered(dependsOn, version);
        const again = read(database, wanted, asked, end);
        // First of all: never a response that the database would not give.
        if (!isAltered) expect(shown(again)).toEqual(shown(page));
        const last = page.nextId ?? page.resumeAfter;
        const touches = made.some((change) => {
          if (!('pet' in change)) return false;
          const { pet, type } = change;
          if (pet.id <= (asked.afterId ?? 0n) || (last !== undefined && pet.id > last))
            return false;
          if ([...page.items.map(({ id }) => id), page.nextId].includes(pet.id)) return true;
          return type !== 'pet.deleted' && passes(pet, wanted);
        });
        expect(isAltered).toBe(touches);
        if (isAltered) altered++;
        else unaltered++;
      },
    ),
    { numRuns: RUNS },
  );
  // Both outcomes are common, or this test would prove little.
  expect(Math.min(altered, unaltered)).toBeGreaterThan(RUNS / 5);
});

const PET: Pet = { id: 7n, name: 'Rex', categoryId: 1n, status: 'sold' };

test('an animal is altered by its own changes only', () => {
  const changes = createReportedChanges();
  const isAltered = (id: bigint, version: number) =>
    changes.mayHaveAltered(dependsOnRecord('pet', id), version);
  for (const type of ['pet.created', 'pet.updated', 'pet.deleted'] as const) {
    const { version } = changes;
    changes.changed({ type, pet: PET });
    expect([6n, 7n, 8n].map((id) => isAltered(id, version))).toEqual([false, true, false]);
    expect(isAltered(7n, changes.version)).toBe(false);
  }
});

test('categories and animals with the same ids do not alter each other', () => {
  const changes = createReportedChanges();
  const page = { items: [{ id: 7n }, { id: 9n }], more: true, nextId: 12n };
  const request = { afterId: undefined, limit: 2 };
  const isAltered = (resource: 'pet' | 'category', version: number) => ({
    record: changes.mayHaveAltered(dependsOnRecord(resource, 7n), version),
    page: changes.mayHaveAltered(dependsOnPage(resource, {}, request, page), version),
  });
  const [all, none] = [
    { record: true, page: true },
    { record: false, page: false },
  ];
  changes.changed({ type: 'pet.updated', pet: PET });
  expect([isAltered('pet', 0), isAltered('category', 0)]).toEqual([all, none]);
  for (const type of ['category.created', 'category.updated', 'category.deleted'] as const) {
    const { version } = changes;
    changes.changed({ type, category: { id: 7n, name: 'Dog' } });
    expect([isAltered('pet', version), isAltered('category', version)]).toEqual([none, all]);
    // Behind the page.
    const after = changes.version;
    changes.changed({ type, category: { id: 13n, name: 'Cat' } });
    expect(isAltered('category', after)).toEqual(none);
  }
});

test('orders alter nothing; a reset and lost changes alter everything', () => {
  const changes = createReportedChanges();
  const order = { id: 7n, petId: 7n, status: 'placed', placedAt: 0, updatedAt: 0 } as const;
  for (const type of ['order.placed', 'order.updated'] as const) changes.changed({ type, order });
  expect(changes.version).toBe(0);
  const dependencies = [dependsOnRecord('pet', 1n), dependsOnRecord('category', 1n)];
  const altered = (version: number) =>
    dependencies.map((dependsOn) => changes.mayHaveAltered(dependsOn, version));
  for (const drop of [changes.lost, () => changes.changed({ type: 'store.reset' })]) {
    const { version } = changes;
    expect(altered(version)).toEqual([false, false]);
    drop();
    expect(changes.version).toBeGreaterThan(version);
    expect(altered(version)).toEqual([true, true]);
    expect(altered(changes.version)).toEqual([false, false]);
  }
});
