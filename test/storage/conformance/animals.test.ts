import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  ANIMAL_SORTS,
  type Animal,
  type AnimalFilter,
  type AnimalPosition,
  type AnimalSort,
  type AnimalState,
  WITHOUT_PLACE,
} from '../../../src/domain/animal.ts';
import { animalWords, wordsSought } from '../../../src/domain/animal-words.ts';
import { isListed } from '../../../src/domain/listing.ts';
import { foldName } from '../../../src/domain/name.ts';
import { PET_STATUSES } from '../../../src/domain/pet.ts';
import type { Profile } from '../../../src/domain/profile.ts';
import { createRandom } from '../../e2e/crash/random.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { anyState, openSubject, type Subject } from '../subject.ts';
import { describeContract } from './contract.ts';

/** More than are sorted by hand, and more than SQLite's index of words is behind. */
const ANIMALS = 800;
/** Most have a word that the first ones by name have not. */
const NAMES = [
  ...['Rex', 'rex II', 'Zoë', 'Straße', '猫', 'O’Malley'].map((name) => `${name} Hill`),
  ...['Łucja', 'Bella'],
];
const BREEDS = ['Labrador Retriever', 'Poodle', "D'Anjou"];
const PLACES = ['Kennel 4', 'kennel 12', 'Étage', 'B'];
const CHIPS = ['276098106123456', '985112003'];
const SPECIES = ['dog', 'cat', 'bird'] as const;
const CARES = ['shelter', 'foster', 'medical'] as const;
/** Those who were removed are listed alone. */
const STATES: readonly AnimalState[][] = [['here'], ['left'], ['here', 'left'], ['removed']];
const PHOTO = { sha256: 'a'.repeat(64), alt: '', width: 640, height: 480 };
const QUERIES = [
  'rex',
  'ZOE bel',
  'strasse',
  'poo',
  '猫',
  "d'anjou",
  'kennel',
  '2760 9810 6123 456',
  'hill',
  '79 hill',
  'l h hi hil k',
];

const some = <T>(values: readonly T[]) => fc.subarray([...values], { minLength: 1 });
const parts = {
  status: some(PET_STATUSES),
  categoryId: some([1n, 2n, 3n, 404n]),
  species: some(SPECIES),
  care: some(CARES),
  published: fc.boolean(),
  hasPhoto: fc.boolean(),
  listed: fc.constant(true),
  inCareSince: fc.constantFrom('2026-01-15', '2024-02-29'),
  careUntil: fc.constantFrom('2026-02-01', '2026-03-01'),
  words: fc.constantFrom(...[...QUERIES, '7', '799'].map(wordsSought)),
};
/** Most filters of many parts leave nothing. */
const filters = fc
  .tuple(
    fc.constantFrom(...STATES),
    fc.record(parts),
    fc.subarray(Object.keys(parts) as (keyof typeof parts)[], { maxLength: 3 }),
  )
  .map(
    ([states, values, names]): AnimalFilter => ({
      states,
      ...Object.fromEntries(names.map((name) => [name, values[name]])),
    }),
  );

/** The model: what is known of an animal, and what follows. */
type Known = Omit<Animal, 'stay' | 'externalId'>;
const stateOf = ({ pet, isRemoved }: Known) =>
  isRemoved ? 'removed' : pet.status === 'sold' ? 'left' : 'here';

function matches(
  one: Known,
  { words, states, inCareSince, careUntil, ...filter }: AnimalFilter,
): boolean {
  const { status, categoryId } = one.pet;
  const { species, care, published } = one.profile;
  const own = animalWords(one.pet, one.profile, null).split(' ');
  const has = (word: string) => own.some((each) => each.startsWith(word));
  const values = {
    status,
    categoryId,
    species,
    care,
    published,
    hasPhoto: one.photo !== undefined,
    listed: !one.isRemoved && isListed(one.pet, one.profile),
  };
  const { inCareSince: since, careUntil: until } = one.profile;
  return (
    (inCareSince ?? '~') >= (since ?? '') &&
    (careUntil ?? '~') >= (until ?? (careUntil === undefined ? '' : '~~')) &&
    states.includes(stateOf(one)) &&
    (words === undefined ||
      words.words.every(has) ||
      (words.joined !== undefined && has(words.joined))) &&
    Object.entries(filter).every(([name, wanted]) => {
      const value: unknown = values[name as keyof typeof values];
      return Array.isArray(wanted) ? wanted.includes(value) : wanted === value;
    })
  );
}

function sorted(animals: readonly Known[], sort: AnimalSort): bigint[] {
  const keyOf = ({ pet, profile }: Known) =>
    Buffer.from(
      {
        newest: '',
        name: foldName(pet.name),
        waiting: profile.inCareSince ?? '',
        location: profile.location === null ? WITHOUT_PLACE : foldName(profile.location),
      }[sort],
    );
  const ids = ({ pet: a }: Known, { pet: b }: Known) =>
    sort === 'newest' ? Number(b.id - a.id) : Number(a.id - b.id);
  return animals
    .toSorted((a, b) => Buffer.compare(keyOf(a), keyOf(b)) || ids(a, b))
    .map(({ pet }) => pet.id);
}

describeContract((engine) => {
  describe('the list of the staff', () => {
    let subject: Subject;
    const animals = new Map<bigint, Known>();
    const random = createRandom(5);
    const one = <T>(values: readonly T[]): T => random.one(values) as T;

    const contentAtRandom = () => ({
      name: one(NAMES),
      categoryId: one([1n, 1n, 1n, 1n, 2n, 3n]),
      status: one([...PET_STATUSES, ...Array<'available'>(6).fill('available')]),
    });
    const profileAtRandom = (isSold: boolean): Partial<Profile> => ({
      species: one([...SPECIES, null]),
      breed: one([...BREEDS, null]),
      location: one([...PLACES, null]),
      microchip: one([...CHIPS, null, null, null]),
      inCareSince: one(['2026-01-15', '2026-01-16', '2024-02-29', '2019-12-31']),
      published: random.below(3) > 0,
      ...(isSold ? {} : { care: one([...CARES, null]) }),
      careUntil: one(['2026-02-01', '2026-02-28', null]),
    });

    async function change(id: bigint): Promise<void> {
      const { pets, profiles, photos } = subject.storage;
      const pet = await pets.find(id);
      if (pet === undefined) return;
      const change = profileAtRandom(pet.status === 'sold');
      const profile = await profiles.update(id, change, CHANGE_STAMP, anyState);
      if (random.below(4) === 0) {
        await photos.add(id, { ...PHOTO, sha256: one(['a', 'b']).repeat(64) }, CHANGE_STAMP);
      }
      const [photo] = (await photos.list(id)) ?? [];
      if (profile) animals.set(id, { pet, profile, photo, isRemoved: false });
    }

    beforeAll(async () => {
      subject = await openSubject(engine);
      const { pets, profiles } = subject.storage;
      const added = Array.from({ length: ANIMALS }, contentAtRandom);
      const made = await Promise.all(added.map((pet) => pets.create(pet, CHANGE_STAMP)));
      for (const pet of made) {
        const profile = (await profiles.find(pet.id)) as Profile;
        animals.set(pet.id, { pet, profile, photo: undefined, isRemoved: false });
      }
      for (let n = 0; n < 300; n++) await change(BigInt(1 + random.below(ANIMALS)));
      for (let n = 0; n < 30; n++) {
        const id = BigInt(1 + random.below(ANIMALS));
        const known = animals.get(id);
        if (known && (await pets.remove(id, CHANGE_STAMP, anyState))) {
          animals.set(id, { ...known, isRemoved: true });
        }
      }
    }, 120_000);
    afterAll(() => subject[Symbol.asyncDispose]());

    async function pages(filter: AnimalFilter, sort: AnimalSort, limit: number) {
      const items: Animal[] = [];
      let after: AnimalPosition | undefined;
      do {
        const page = await subject.storage.animals.list({ filter, sort, after, limit });
        items.push(...page.items);
        after = page.next;
      } while (after !== undefined);
      return items;
    }

    test('every filter and order finds and counts what the model does, page by page', async () => {
      await fc.assert(
        fc.asyncProperty(
          filters,
          fc.constantFrom(...ANIMAL_SORTS),
          fc.integer({ min: 50, max: 300 }),
          async (filter, sort, limit) => {
            const expected = [...animals.values()].filter((each) => matches(each, filter));
            const found = await pages(filter, sort, limit);
            expect(found.map(({ pet }) => pet.id)).toEqual(sorted(expected, sort));
            expect(await subject.storage.animals.count(filter)).toBe(expected.length);
            const page = await subject.storage.animals.list({
              filter,
              sort,
              after: undefined,
              limit,
            });
            expect(page.count ?? expected.length).toBe(expected.length);
            for (const { pet, profile, photo, isRemoved } of found) {
              const known = animals.get(pet.id) as Known;
              expect({ pet, profile, photo, isRemoved }).toEqual(known);
            }
          },
        ),
        { numRuns: 200 },
      );
    }, 120_000);

    test('the numbers by state, by status and by words are those of the lists', async () => {
      const others = [
        {},
        ...[['pending'], ['sold', 'available', 'sold']].map((status) => ({ status })),
        ...QUERIES.map((text) => ({ words: wordsSought(text) })),
      ] as Omit<AnimalFilter, 'states'>[];
      for (const filter of STATES.flatMap((states) => others.map((one) => ({ states, ...one })))) {
        const expected = [...animals.values()].filter((each) => matches(each, filter));
        expect(await subject.storage.animals.count(filter)).toBe(expected.length);
      }
    });

    test('one that was just added is found by its words, and one that is gone is not', async () => {
      const { pets, animals: list } = subject.storage;
      async function named(text: string) {
        const filter = { states: ['here'], words: wordsSought(text) } as const;
        const { items, count } = await list.list({
          ...{ filter, sort: 'name', after: undefined, limit: 9 },
        });
        expect([count, await list.count(filter)]).toEqual([items.length, items.length]);
        return items.length;
      }
      const { id } = await pets.create(
        { name: 'Quincy', categoryId: 1n, status: 'available' },
        CHANGE_STAMP,
      );
      expect(await named('quin')).toBe(1);
      await pets.update(
        id,
        { name: 'Ophelia', categoryId: 1n, status: 'available' },
        CHANGE_STAMP,
        anyState,
      );
      expect([await named('quin'), await named('ophelia')]).toEqual([0, 1]);
      await pets.remove(id, CHANGE_STAMP, anyState);
      expect(await named('ophelia')).toBe(0);
    });
  });
});
