import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { addAnimals, idsOf, linksOf, targetOf } from '../../support/animals.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

const petstore = forAllTests(() => startPetstore());

/** A change that others make between two pages. */
type Change =
  | { readonly kind: 'add'; readonly count: number }
  | { readonly kind: 'remove' | 'sell' | 'free'; readonly place: number };

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), count: fc.integer({ min: 1, max: 8 }) }),
  fc.record({
    kind: fc.constantFrom('remove' as const, 'sell' as const, 'free' as const),
    place: fc.nat(),
  }),
);

/** Changes an animal directly in the storage, as another process would. */
async function apply(kind: 'remove' | 'sell' | 'free', id: bigint): Promise<void> {
  const { pets } = petstore.storage;
  if (kind === 'remove') await pets.remove(id, CHANGE_STAMP, () => {});
  else {
    const status = kind === 'sell' ? 'sold' : 'available';
    await pets.update(id, { status }, CHANGE_STAMP, () => {});
  }
}

async function idsNow(condition: string): Promise<bigint[]> {
  const rows = await petstore.database.sql(`SELECT id FROM pets WHERE ${condition} ORDER BY id`);
  return rows.map(({ id }) => BigInt(String(id)));
}

test.each([
  ['', 'true'],
  ['status=available', `status = 'available'`],
  ['categoryId=1', 'category_id = 1'],
] as const)(
  'walking ?%s while others add, remove and change neither skips nor repeats',
  async (filter, condition) => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 0, max: 30 }),
        fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 20 }),
        async (limit, count, changes) => {
          await petstore.storage.reset(CHANGE_STAMP);
          await addAnimals(
            petstore.storage,
            Array.from({ length: count }, () => ({})),
          );
          /** Animals that have matched at all times since before the walk started. */
          let always = new Set(await idsNow(condition));
          const seen: bigint[] = [];
          let turn = 0;
          let next: string | undefined = `/v1/pets?${filter}&limit=${limit}`;
          while (next !== undefined) {
            const page = await petstore.reader.get(next);
            expect(page.status).toBe(200);
            expect(idsOf(page).length).toBeLessThanOrEqual(limit);
            seen.push(...idsOf(page));
            for (const step of changes[turn] ?? []) {
              if (step.kind === 'add') {
                await addAnimals(
                  petstore.storage,
                  Array.from({ length: step.count }, () => ({})),
                );
              } else {
                const ids = await idsNow('true');
                const id = ids[step.place % Math.max(1, ids.length)];
                if (id !== undefined) await apply(step.kind, id);
              }
              always = always.intersection(new Set(await idsNow(condition)));
            }
            turn++;
            const link = linksOf(page).get('next');
            next = link && targetOf(link);
          }
          expect(seen).toEqual([...new Set(seen)].sort((a, b) => Number(a - b)));
          expect([...always].filter((id) => !seen.includes(id))).toEqual([]);
        },
      ),
      { numRuns: 40 },
    );
  },
  60_000,
);

test('walking while other clients add animals neither skips nor repeats', async () => {
  await addAnimals(
    petstore.storage,
    Array.from({ length: 300 }, () => ({})),
  );
  const before = await idsNow('true');
  let walking = true;
  const adding = Array.from({ length: 4 }, async () => {
    let added = 0;
    while (walking) {
      const response = await petstore.writer.post('/v1/pets', { name: 'New', categoryId: 1 });
      expect(response.status).toBe(201);
      added++;
    }
    return added;
  });
  const walks = Array.from({ length: 3 }, async (_, i) => {
    const seen: bigint[] = [];
    let next: string | undefined = `/v1/pets?limit=${7 + i}`;
    // Writers may outrun the walk forever, so it ends with the animals that were there before.
    while (next !== undefined && (seen.at(-1) ?? 0n) <= (before.at(-1) ?? 0n)) {
      const page = await petstore.reader.get(next);
      seen.push(...idsOf(page));
      const link = linksOf(page).get('next');
      next = link && targetOf(link);
    }
    return seen;
  });
  const seen = await Promise.all(walks);
  walking = false;
  for (const ids of seen) {
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => Number(a - b)));
    expect(before.filter((id) => !ids.includes(id))).toEqual([]);
  }
  for (const added of await Promise.all(adding)) expect(added).toBeGreaterThan(0);
}, 60_000);
