import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { dayOf } from '../../../src/domain/clock.ts';
import {
  COMPANIONS,
  companionsOf,
  facetsOf,
  firstPlace,
  isListed,
  LISTED_STATUSES,
  LISTING_SORTS,
  type Listing,
  type ListingFilter,
  type ListingPosition,
  type ListingSort,
  placeOf,
  RING,
  waitingSince,
  wordsOf,
} from '../../../src/domain/listing.ts';
import { foldName } from '../../../src/domain/name.ts';
import { PET_STATUSES, type Pet } from '../../../src/domain/pet.ts';
import { AGE_GROUPS, ageGroupAt, type Profile, SEXES, SIZES } from '../../../src/domain/profile.ts';
import { createRandom } from '../../e2e/crash/random.ts';
import { CHANGE_STAMP, NEW_PROFILE } from '../../support/change-stamp.ts';
import { anyState, openSubject, type Subject } from '../subject.ts';
import { describeContract } from './contract.ts';

const AT = CHANGE_STAMP.at;
const DAY = dayOf(AT);
const ANIMALS = 150;
const NAMES = ['Rex', 'rex II', 'Zoë', 'Straße', '猫', 'O’Malley', 'Łucja', 'Bella'];
const BREEDS = ['Labrador Retriever', 'Poodle', 'हिन्दी terrier', 'Poodle-mix', "D'Anjou"];
const DATES = ['2026-12-31', '2026-01-15', '2026-01-16', '2024-01-15', '2019-01-14', '2000-05-05'];
const QUERIES = [
  'rex',
  'ZOE',
  'strasse',
  'poo lab',
  'mix',
  '猫',
  'हिन्दी',
  "d'anjou",
  'malley',
  'none',
  '"*"',
];
const SPECIES = ['dog', 'cat', 'bird'] as const;

/** The model: what every listing is, and how each order sorts. */
function ageOf({ birthDate, ageGroup }: Profile) {
  return birthDate === null ? ageGroup : ageGroupAt(birthDate, AT);
}

function valuesOf({ pet, profile }: Listing) {
  const known = <T>(value: T | null) => (value === null ? [] : [value]);
  return {
    species: known(profile.species),
    sex: known(profile.sex),
    ageGroup: known(ageOf(profile)),
    size: known(profile.size),
    status: [pet.status],
    categoryId: [pet.categoryId],
    goodWith: companionsOf(profile),
  };
}

function matches(
  listing: Listing,
  { words = [], goodWith = [], ...lists }: ListingFilter,
): boolean {
  const values = valuesOf(listing);
  const { breed, secondBreed, headline, description } = listing.profile;
  const own = wordsOf(listing.pet.name, breed, secondBreed, headline, description);
  return (
    words.every((word) => own.some((each) => each.startsWith(word))) &&
    goodWith.every((companion) => values.goodWith.includes(companion)) &&
    Object.entries(lists).every(([name, wanted]: [string, readonly unknown[] | undefined]) => {
      const own = values[name as keyof typeof values];
      return wanted === undefined || own.some((value) => wanted.includes(value));
    })
  );
}

function sortKey(sort: ListingSort, { pet, profile }: Listing): string | number {
  const place = (placeOf(pet.id) - firstPlace(DAY) + RING) % RING;
  return {
    fair: place,
    newest: -Number(pet.id),
    waiting: waitingSince(profile, AT),
    name: foldName(pet.name),
  }[sort];
}

function sorted(listings: readonly Listing[], sort: ListingSort): bigint[] {
  const bytes = (key: string | number) => (typeof key === 'number' ? key : Buffer.from(key));
  const compare = (a: string | number | Buffer, b: string | number | Buffer) =>
    Buffer.isBuffer(a) && Buffer.isBuffer(b) ? Buffer.compare(a, b) : Number(a) - Number(b);
  return listings
    .map((listing) => ({ id: listing.pet.id, key: bytes(sortKey(sort, listing)) }))
    .sort((a, b) => compare(a.key, b.key) || Number(a.id - b.id))
    .map(({ id }) => id);
}

const some = <T>(values: readonly T[]) =>
  fc.option(fc.subarray([...values], { minLength: 1 }), { nil: undefined });
const filters = fc.record({
  species: some(SPECIES),
  sex: some(SEXES),
  ageGroup: some(AGE_GROUPS),
  size: some(SIZES),
  status: some(LISTED_STATUSES),
  categoryId: some([1n, 2n, -(2n ** 63n)]),
  goodWith: some(COMPANIONS),
  words: fc.option(
    fc.constantFrom(...QUERIES).map((text) => wordsOf(text)),
    { nil: undefined },
  ),
});
/** Most filters of several conditions leave nothing. */
const mildFilters = fc
  .tuple(
    filters,
    fc.subarray(
      ['species', 'sex', 'ageGroup', 'size', 'status', 'categoryId', 'goodWith', 'words'] as const,
      { maxLength: 3 },
    ),
  )
  .map(
    ([filter, names]): ListingFilter =>
      Object.fromEntries(names.map((name) => [name, filter[name]])),
  );

describeContract((engine) => {
  describe('listings', () => {
    let subject: Subject;
    const animals = new Map<bigint, Listing>();
    const random = createRandom(3);
    const one = <T>(values: readonly T[]) => random.one(values) ?? null;

    function profileAtRandom(): Partial<Profile> {
      return {
        species: one([...SPECIES, ...SPECIES, null]),
        sex: one([...SEXES, null]),
        size: one([...SIZES, null]),
        birthDate: one([...DATES, null, null]),
        breed: one([...BREEDS, null]),
        headline: one(['A calm friend of Rex', null]),
        goodWithDogs: one(['yes', 'no', 'selective', null] as const),
        goodWithCats: one(['yes', 'no', null] as const),
        goodWithChildren: one(['yes', 'over_5', 'over_12', 'no', null] as const),
        inCareSince: one(DATES),
        care: one(['shelter', 'foster', 'medical', null, null, null] as const),
        published: random.below(6) > 0,
      };
    }

    const contentAtRandom = () => ({
      name: one(NAMES) ?? '',
      categoryId: one([1n, 2n, 3n, -(2n ** 63n)]) ?? 1n,
      status: one([...PET_STATUSES, 'available'] as const) ?? 'sold',
    });

    async function change(id: bigint): Promise<void> {
      const known = animals.get(id);
      const { pets, profiles } = subject.storage;
      await profiles.update(id, { care: null }, CHANGE_STAMP, anyState);
      const pet = await pets.update(id, contentAtRandom(), CHANGE_STAMP, anyState);
      const drawn = profileAtRandom();
      const ages = drawn.birthDate === null ? { ageGroup: one([...AGE_GROUPS, null]) } : {};
      const profile = await profiles.update(id, { ...drawn, ...ages }, CHANGE_STAMP, anyState);
      if (known && pet && profile) animals.set(id, { ...known, pet, profile });
    }

    beforeAll(async () => {
      subject = await openSubject(engine);
      for (let n = 0; n < ANIMALS; n++) {
        const pet: Pet = await subject.storage.pets.create(contentAtRandom(), CHANGE_STAMP);
        animals.set(pet.id, { pet, profile: NEW_PROFILE, photos: [], addedAt: CHANGE_STAMP.at });
        if (n % 10 > 0) await change(pet.id);
      }
      // Listed animals change, are unlisted, come back and are removed.
      for (let n = 0; n < ANIMALS; n++) await change(BigInt(1 + random.below(ANIMALS)));
      for (let n = 0; n < 10; n++) {
        const id = BigInt(1 + random.below(ANIMALS));
        if (await subject.storage.pets.remove(id, CHANGE_STAMP, anyState)) animals.delete(id);
      }
    });
    afterAll(() => subject[Symbol.asyncDispose]());

    const listed = () => [...animals.values()].filter(({ pet, profile }) => isListed(pet, profile));

    async function pages(filter: ListingFilter, sort: ListingSort, limit: number) {
      const items: Listing[] = [];
      let after: ListingPosition | undefined;
      do {
        const request = { filter, sort, after, limit, at: AT, fairDay: DAY };
        const page = await subject.storage.listings.list(request);
        expect(page.items.length).toBeLessThanOrEqual(limit);
        items.push(...page.items);
        after = page.next;
      } while (after !== undefined);
      return items;
    }

    test('every filter and order finds what the model finds, page by page', async () => {
      expect(listed().length).toBeGreaterThan(ANIMALS / 4);
      const sorts = fc.constantFrom(...LISTING_SORTS);
      await fc.assert(
        fc.asyncProperty(
          mildFilters,
          sorts,
          fc.integer({ min: 1, max: 40 }),
          async (filter, sort, limit) => {
            const found = await pages(filter, sort, limit);
            const expected = listed().filter((listing) => matches(listing, filter));
            expect(found.map(({ pet }) => pet.id)).toEqual(sorted(expected, sort));
            for (const { pet, profile } of found) {
              const known = animals.get(pet.id);
              expect(pet).toEqual(known?.pet as Pet);
              expect(profile).toEqual({ ...(known?.profile as Profile), care: null });
            }
          },
        ),
        { numRuns: 150 },
      );
    });

    test('facets count what the model counts', async () => {
      await fc.assert(
        fc.asyncProperty(mildFilters, async (filter) => {
          const counted = await subject.storage.listings.facets(filter, AT);
          const { words, ...others } = filter;
          const groups = listed()
            .filter((listing) => matches(listing, { words }))
            .map((listing) => ({ count: 1, values: valuesOf(listing) }));
          expect(counted.facets).toEqual(facetsOf(groups, others));
          expect(counted.listed).toHaveLength(listed().length);
          const bySpecies = listed().filter((listing) =>
            matches(listing, { ...filter, species: ['dog'] }),
          );
          expect(counted.facets.species['dog'] ?? 0).toBe(bySpecies.length);
        }),
        { numRuns: 60 },
      );
    });

    test('the fair order starts elsewhere on other days, and has everybody once', async () => {
      const orders = await Promise.all(
        [DAY, DAY + 1, DAY + 2].map(async (fairDay) => {
          const request = { filter: {}, sort: 'fair', after: undefined, limit: 100 } as const;
          const { items } = await subject.storage.listings.list({ ...request, at: AT, fairDay });
          return items.map(({ pet }) => pet.id);
        }),
      );
      expect(new Set(orders.map(([first]) => first)).size).toBe(3);
      for (const order of orders) expect(order.toSorted()).toEqual(orders[0]?.toSorted() ?? []);
    });

    test('photos come with their animals, in their order', async () => {
      const { photos, listings } = subject.storage;
      const [first, second] = listed().map(({ pet }) => pet.id);
      if (first === undefined || second === undefined) throw new Error('nothing is listed');
      const photo = { width: 640, height: 480, alt: '' };
      for (const [id, letter] of [
        [first, 'a'],
        [second, 'b'],
        [first, 'c'],
      ] as const) {
        await photos.add(id, { ...photo, sha256: letter.repeat(64) }, CHANGE_STAMP);
      }
      const last = (await photos.list(first))?.at(-1)?.id ?? 0n;
      await photos.update(first, last, { position: 1 }, CHANGE_STAMP, anyState);
      const request = { filter: {}, sort: 'newest', after: undefined, limit: 100 } as const;
      const { items } = await listings.list({ ...request, at: AT, fairDay: DAY });
      const shown = new Map(
        items.map((item) => [item.pet.id, item.photos.map(({ sha256 }) => sha256[0])]),
      );
      expect([shown.get(first), shown.get(second)]).toEqual([['c', 'a'], ['b']]);
      for (const id of [first, second]) {
        for (const { id: photoId } of (await photos.list(id)) ?? []) {
          await photos.remove(id, photoId, CHANGE_STAMP, anyState);
        }
      }
    });

    test('one animal is found with what staff know, listed or not', async () => {
      for (const [id, listing] of animals) {
        expect(await subject.storage.listings.find(id)).toEqual(listing);
      }
      expect(await subject.storage.listings.find(9_999n)).toBeUndefined();
    });
  });
});
