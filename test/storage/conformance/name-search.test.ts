import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { foldName } from '../../../src/domain/name.ts';
import { PET_STATUSES, type Pet, type PetFilter } from '../../../src/domain/pet.ts';
import type { Storage } from '../../../src/domain/storage.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { animal, anyState, imported, openSubject, type Subject } from '../subject.ts';
import { describeContract } from './contract.ts';

/** More than a page looks through at first, with a remainder. */
const COUNT = 5_300;
const BATCH = 1_000;
/** Even, and more animals than two pages scan. */
const CROWD = 110_000;
const SYLLABLES = [
  'Bel',
  'la',
  'Ma',
  'x',
  'ß',
  'É',
  '😺',
  '明',
  'ミケ',
  '"',
  '%',
  '_',
  '\\',
  ' ',
  'Σ',
  "'",
];

/** Pseudo-random numbers, the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function nameOf(random: (below: number) => number): string {
  const syllables = Array.from(
    { length: 1 + random(5) },
    () => SYLLABLES[random(SYLLABLES.length)],
  );
  // Rare names are mixed in, so that a part may match a single animal.
  return `${syllables.join('')}${random(50) === 0 ? `rare ${random(1_000)}` : '.'}`;
}

/** Every animal that matches a filter, read page by page. */
async function walk(storage: Storage, filter: PetFilter): Promise<Pet[]> {
  const found: Pet[] = [];
  for (let afterId: bigint | undefined; ; ) {
    const page = await storage.pets.list(filter, { afterId, limit: 97 });
    found.push(...page.items);
    if (!page.more) return found;
    afterId = page.resumeAfter ?? page.items.at(-1)?.id;
  }
}

describeContract((engine) => {
  const random = numbers(7);
  const parts = [
    ...Array.from({ length: 30 }, () => {
      const points = [...nameOf(random)];
      const start = random(points.length);
      return points.slice(start, start + 1 + random(5)).join('');
    }),
    ...[
      'bell',
      'bella',
      'ssé',
      '明ミケ',
      '"%"',
      '%_',
      '\\',
      "'",
      'rare 7',
      'e 7',
      'none of them',
      'quetz',
      'σ',
    ],
    ...['" OR "bel', 'bel*', '^bel', 'x'.repeat(255), '\0', 'be\0', '\u0001'],
  ];
  const filters: PetFilter[] = [{}, { status: 'sold' }, { categoryId: 3n }];
  filters.push({ status: 'pending', categoryId: 1n }, { ids: [1n, 2n, 700n, 5_299n] });
  let subject: Subject;

  beforeAll(async () => {
    subject = await openSubject(engine);
    for (let first = 0; first < COUNT; first += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, COUNT - first) }, (_, i) => {
        const status = PET_STATUSES[i % 3] ?? 'sold';
        return imported({ name: nameOf(random), status, category: { id: BigInt(i % 7) } });
      });
      await subject.storage.pets.importBatch(batch, CHANGE_STAMP);
    }
  }, 60_000);
  afterAll(async () => await subject[Symbol.asyncDispose]());

  /** Compares the matches of each part, with and without a filter, with a scan of all animals. */
  async function check(): Promise<void> {
    const all = await walk(subject.storage, {});
    for (const [i, part] of parts.entries()) {
      const nameFolded = foldName(part);
      const filter = filters[i % filters.length] ?? {};
      for (const { status, categoryId, ids } of [{}, filter] as PetFilter[]) {
        const expected = all.filter(
          (pet) =>
            foldName(pet.name).includes(nameFolded) &&
            (status?.includes(pet.status) ?? true) &&
            (categoryId === undefined || pet.categoryId === categoryId) &&
            (ids?.includes(pet.id) ?? true),
        );
        const found = await walk(subject.storage, { status, categoryId, ids, nameFolded });
        expect([part, found]).toEqual([part, expected]);
      }
    }
  }

  describe('a part of a name', () => {
    test('finds the same animals as a full scan, in order', check, 60_000);

    test('finds animals by their current names after changes by this process or another', async () => {
      await using other = await subject.another();
      for (let id = 1n; id < COUNT; id += 53n) {
        const { pets } = id % 2n === 0n ? subject.storage : other.storage;
        await pets.update(id, { name: `${nameOf(random)} quetzal` }, CHANGE_STAMP, anyState);
        await pets.update(id + 1n, { status: 'pending' }, CHANGE_STAMP, anyState);
        await pets.remove(id + 2n, CHANGE_STAMP, anyState);
        await pets.create(animal({ name: nameOf(random) }), CHANGE_STAMP);
      }
      await check();
      await subject.reopen();
      await check();
    }, 60_000);

    test('finds nothing after a reset, and then new animals', async () => {
      await subject.storage.reset(CHANGE_STAMP);
      expect(await walk(subject.storage, { nameFolded: 'bel' })).toEqual([]);
      const names = Array.from({ length: 3 }, (_, i) => `Bella ${i}`);
      for (const name of names) await subject.storage.pets.create(animal({ name }), CHANGE_STAMP);
      const found = await walk(subject.storage, { nameFolded: 'bella' });
      expect(found.map(({ name }) => name)).toEqual(names);
    });
  });

  describe('a rare part in a large shop', () => {
    let crowd: Subject;

    beforeAll(async () => {
      crowd = await openSubject(engine);
      await crowd.database.sql(
        `INSERT INTO pets (name, name_folded, category_id, status, was_offered, added_at)
         WITH RECURSIVE ids (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM ids WHERE i < ${CROWD})
         SELECT name, name, i % 2, 'sold', 0, 0 FROM (
           SELECT i, CASE WHEN i = ${CROWD} THEN 'malani xyzabc' WHEN i % 2 = 0
             THEN 'animal xyz ' ELSE 'animal abc ' END || CAST(i AS text) AS name FROM ids
         ) AS named`,
      );
    }, 60_000);
    afterAll(async () => await crowd[Symbol.asyncDispose]());

    const largestStep = (ends: readonly bigint[]) =>
      Math.max(0, ...ends.map((end, i) => Number(end - (ends[i - 1] ?? 0n))));

    /** The ends of the pages for a filter that are not full, and the ids on all pages. */
    async function pagesOf(filter: PetFilter) {
      const ends: bigint[] = [];
      const found: bigint[] = [];
      for (let afterId: bigint | undefined; ; ) {
        const page = await crowd.storage.pets.list(filter, { afterId, limit: 20 });
        found.push(...page.items.map(({ id }) => id));
        if (!page.more) return { ends, found };
        // No page is full, so each reports where the next one continues.
        afterId = page.resumeAfter;
        if (afterId === undefined) throw new Error('the page does not report where it ended');
        ends.push(afterId);
      }
    }

    test.each(['malani', 'xyzabc'])(
      '%s: a page scans at most 22,000 animals, and the next one continues',
      async (nameFolded) => {
        const { ends, found } = await pagesOf({ nameFolded });
        expect(found).toEqual([BigInt(CROWD)]);
        expect(ends.length).toBeGreaterThan(0);
        expect(largestStep(ends)).toBeLessThanOrEqual(22_000);
      },
      60_000,
    );

    test.each<[string, PetFilter]>([
      ['a status', { status: 'sold' }],
      ['a category', { categoryId: 0n }],
    ])(
      'with %s: a page scans a bounded number of animals, and none is skipped',
      async (_, filter) => {
        const { ends, found } = await pagesOf({ ...filter, nameFolded: 'malani' });
        expect(found).toEqual([BigInt(CROWD)]);
        expect(ends.length).toBeGreaterThan(0);
        expect(largestStep(ends)).toBeLessThanOrEqual(2 * 22_000);
      },
      60_000,
    );
  });
});
