import { expect, test } from 'bun:test';
import { listingChangeOf, mayAlter } from '../../../src/api/cache/listing-changes.ts';
import { createReportedChanges } from '../../../src/api/cache/reported-changes.ts';
import type { ListingDependency, OtherListings } from '../../../src/api/contract/dependency.ts';
import type { Change } from '../../../src/domain/change-log.ts';
import type { Pet } from '../../../src/domain/pet.ts';

const PET: Pet = { id: 7n, name: 'Rex', categoryId: 1n, status: 'available' };
const PUBLISHED = { species: 'dog', published: true };
const updated = { type: 'pet.updated', pet: PET } as const;
const profile = (known: object) =>
  ({ type: 'profile.updated', part: { petId: 7n, data: JSON.stringify(known) } }) as const;

/** What a change with these fields does to a response that shows other animals. */
function altersOthers(
  change: Change,
  fields: object | null,
  others: OtherListings = { fields: ['size', 'status'] },
): boolean {
  const told = listingChangeOf(change, fields && JSON.stringify(fields));
  return told !== undefined && mayAlter(told, { resource: 'listing', day: 0, ids: [1], others });
}

test('of other animals, what is listed anew and what changes the order or the filter alters', () => {
  expect(altersOthers(updated, { name: ['Max', 'Rex'] })).toBe(false);
  expect(altersOthers(updated, { status: ['pending', 'available'] })).toBe(true);
  expect(altersOthers(updated, { status: ['sold', 'available'] })).toBe(true);
  const sold = { ...updated, pet: { ...PET, status: 'sold' } } as const;
  expect(altersOthers(sold, { status: ['available', 'sold'] })).toBe(false);
  expect(altersOthers(sold, { categoryId: [1, 2], status: ['sold', 'sold'] })).toBe(false);
  expect(altersOthers(profile(PUBLISHED), { published: [null, true] })).toBe(true);
  expect(altersOthers(profile(PUBLISHED), { species: [null, 'dog'] })).toBe(true);
  expect(altersOthers(profile(PUBLISHED), { care: ['medical', 'foster'] })).toBe(true);
  expect(altersOthers(profile(PUBLISHED), { care: ['shelter', null] })).toBe(false);
  expect(altersOthers(profile(PUBLISHED), { size: ['small', null], location: ['4', null] })).toBe(
    true,
  );
  expect(altersOthers(profile(PUBLISHED), { location: ['4', null] })).toBe(false);
  expect(altersOthers(profile({ species: 'dog' }), { size: ['small', null] })).toBe(false);
});

test('where animals are counted, those that leave alter too, if they were there', () => {
  const leaves = [
    [{ ...updated, pet: { ...PET, status: 'sold' } }, { status: ['available', 'sold'] }],
    [{ type: 'pet.deleted', pet: PET }, null],
    [profile({ species: 'dog' }), { published: [true, null] }],
  ] as const;
  for (const [change, fields] of leaves) {
    const alters = (listed: readonly number[] | undefined) =>
      altersOthers(change, fields, { fields: [], counted: { listed } });
    expect([alters([7]), alters([8]), alters(undefined)]).toEqual([true, false, true]);
  }
});

test('what is not told may be anything', () => {
  // A change from before the audit began, and one that was brought back with what is not in the log.
  expect(altersOthers(updated, null)).toBe(true);
  expect(altersOthers(profile({}), null)).toBe(true);
  expect(altersOthers({ type: 'pet.restored', pet: PET }, null)).toBe(true);
});

test('a response is altered by its animals, the shop and the day, not by additions and categories', () => {
  const changes = createReportedChanges();
  changes.passDay(7);
  const alters = (change: () => void, day = 7, ids = [7]) => {
    const { version } = changes;
    change();
    const dependsOn: ListingDependency = { resource: 'listing', day, ids };
    return changes.mayHaveAltered(dependsOn, version);
  };
  const category = { id: 7n, name: 'Dog' };
  const part = { petId: 7n, data: '{}' };
  for (const none of [
    { type: 'pet.created', pet: PET },
    { type: 'category.deleted', category },
    { type: 'enquiry.received', part },
  ] as const) {
    expect(alters(() => changes.changed(none))).toBe(false);
  }
  for (const some of [
    updated,
    { type: 'pet.deleted', pet: PET },
    profile(PUBLISHED),
    { type: 'photo.added', part },
  ] as const) {
    expect(alters(() => changes.changed(some))).toBe(true);
    expect(alters(() => changes.changed(some), 7, [8])).toBe(false);
  }
  const shop = { type: 'shop.updated', part: { petId: null, data: '{}' } } as const;
  expect(alters(() => changes.changed(shop), 7, [])).toBe(true);
  expect(alters(() => changes.lost(), 7, [])).toBe(true);
  expect(alters(() => changes.passDay(7))).toBe(false);
  expect(alters(() => changes.passDay(8))).toBe(true);
  // Made just before midnight, to be stored after it.
  expect(alters(() => {}, 7)).toBe(true);
  expect(alters(() => {}, 8)).toBe(false);
});
