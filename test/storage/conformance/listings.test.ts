import { beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { ChangeStamp } from '../../../src/domain/change-stamp.ts';
import { BREEDS_MAX, facetsOf } from '../../../src/domain/facets.ts';
import {
  isListed,
  LISTING_SORTS,
  type Listing,
  type ListingPosition,
  type ListingSort,
} from '../../../src/domain/listing.ts';
import type { ListingFilter } from '../../../src/domain/listing-filter.ts';
import { PET_STATUSES, type Pet } from '../../../src/domain/pet.ts';
import {
  AGE_GROUPS,
  isPublicField,
  type Profile,
  SEXES,
  SIZES,
} from '../../../src/domain/profile.ts';
import { createRandom } from '../../e2e/crash/random.ts';
import { CHANGE_STAMP, NEW_PROFILE } from '../../support/change-stamp.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { anyState, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

import {
  ANIMALS,
  AT,
  BREEDS,
  DATES,
  DAY,
  matches,
  mildFilters,
  NAMES,
  SPECIES,
  sorted,
  UNSEEN,
  valuesOf,
} from './listing-model.ts';

describeContract((engine) => {
  describe('listings', () => {
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

    /** Later at each change, so that the newest are known. */
    let now = AT - 1_000_000;
    const stamp = () => {
      now += 1_000;
      return { ...CHANGE_STAMP, at: now };
    };

    const contentAtRandom = () => ({
      name: one(NAMES) ?? '',
      categoryId: one([1n, 2n, 3n, -(2n ** 63n)]) ?? 1n,
      status: one([...PET_STATUSES, 'available'] as const) ?? 'sold',
    });

    /** Makes a change, and says in the model since when the animal is listed and when what is shown changed. */
    async function follow(
      id: bigint,
      at: typeof CHANGE_STAMP,
      make: (at: ChangeStamp) => Promise<void>,
    ) {
      const { storage } = subject;
      const known = animals.get(id);
      if (known === undefined) return;
      await make(at);
      const [pet, profile] = [await storage.pets.find(id), await storage.profiles.find(id)];
      if (pet === undefined || profile === undefined) return;
      const isNow = isListed(pet, profile);
      const wasShown = isListed(known.pet, known.profile);
      const publicOf = ({ pet: one, profile: all }: Pick<Listing, 'pet' | 'profile'>) =>
        JSON.stringify(
          [one, Object.entries(all).filter(([name]) => isPublicField(name))],
          (_, value) => (typeof value === 'bigint' ? `${value}` : value),
        );
      const isSame = publicOf(known) === publicOf({ pet, profile });
      animals.set(id, {
        ...known,
        pet,
        profile,
        listedAt: isNow ? (wasShown ? known.listedAt : at.at) : null,
        shownAt: isNow ? (wasShown && isSame ? known.shownAt : at.at) : null,
      });
    }

    async function change(id: bigint): Promise<void> {
      const { pets, profiles } = subject.storage;
      await follow(id, stamp(), async (at) => {
        await profiles.update(id, { care: null }, at, anyState);
      });
      await follow(id, stamp(), async (at) => {
        await pets.update(id, contentAtRandom(), at, anyState);
      });
      const drawn = profileAtRandom();
      const ages = drawn.birthDate === null ? { ageGroup: one([...AGE_GROUPS, null]) } : {};
      await follow(id, stamp(), async (at) => {
        await profiles.update(id, { ...drawn, ...ages }, at, anyState);
      });
    }

    const subject = forAllTests(() => openSubject(engine));
    beforeAll(async () => {
      for (let n = 0; n < ANIMALS; n++) {
        const pet: Pet = await subject.storage.pets.create(contentAtRandom(), CHANGE_STAMP);
        animals.set(pet.id, { pet, profile: NEW_PROFILE, photos: [], ...UNSEEN });
        if (n % 10 > 0) await change(pet.id);
      }
      // Listed animals change, are unlisted, come back and are removed.
      for (let n = 0; n < ANIMALS; n++) await change(BigInt(1 + random.below(ANIMALS)));
      for (let n = 0; n < 10; n++) {
        const id = BigInt(1 + random.below(ANIMALS));
        if (await subject.storage.pets.remove(id, CHANGE_STAMP, anyState)) animals.delete(id);
      }
    });

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
            expect(found.map(({ pet }) => pet.id)).toEqual(sorted(expected, sort, filter.words));
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

    const facetsIn = async (filter: ListingFilter) =>
      facetsOf(await subject.storage.listings.groups(filter, AT), filter);

    test('facets count what the model counts', async () => {
      await fc.assert(
        fc.asyncProperty(mildFilters, async (filter) => {
          const { words, breed, ...others } = filter;
          const facets = await facetsIn(filter);
          const groups = listed()
            .filter((listing) => matches(listing, { words, breed }))
            .map((listing) => ({ count: 1, values: valuesOf(listing) }));
          expect(facets).toEqual(facetsOf(groups, others));
          const breeds = new Map<string, number>();
          for (const listing of listed()) {
            const { breed: name } = listing.profile;
            if (name === null || !matches(listing, { ...filter, breed: undefined })) continue;
            breeds.set(name, (breeds.get(name) ?? 0) + 1);
          }
          expect(breeds.size).toBeLessThan(BREEDS_MAX);
          const counted = await subject.storage.listings.breeds(filter, AT);
          expect(new Map(counted.map((one) => [one.breed, one.listings]))).toEqual(breeds);
          const bySpecies = listed().filter((listing) =>
            matches(listing, { ...filter, species: ['dog'] }),
          );
          expect(facets.species['dog'] ?? 0).toBe(bySpecies.length);
        }),
        { numRuns: 60 },
      );
    });

    test('a number beside a choice is what the list then has', async () => {
      for (const filter of [
        { goodWith: ['cats'] },
        { children: ['5'] },
        { sex: ['female'] },
      ] as const) {
        const facets = await facetsIn(filter);
        const withChoice: readonly (readonly [ListingFilter, number | undefined])[] = [
          [
            { ...filter, goodWith: [...('goodWith' in filter ? filter.goodWith : []), 'dogs'] },
            facets.goodWith['dogs'],
          ],
          [{ ...filter, children: ['under_5'] }, facets.children['under_5']],
          [{ ...filter, sex: ['male'] }, facets.sex['male']],
        ];
        for (const [chosen, count = 0] of withChoice) {
          expect((await pages(chosen, 'name', 100)).length).toBe(count);
        }
      }
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
        // What is shown has changed.
        const known = animals.get(id);
        if (known) animals.set(id, { ...known, shownAt: AT });
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
