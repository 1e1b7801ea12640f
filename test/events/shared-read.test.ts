import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { ChangeType, LoggedChange } from '../../src/domain/change-log.ts';
import { createSharedRead } from '../../src/events/shared-read.ts';

const TYPES: readonly ChangeType[] = ['pet.created', 'order.placed', 'store.reset'];

/** A log with this many changes, few of them of another type than the first. */
const logOf = (count: number) =>
  Array.from({ length: count }, (_, n): LoggedChange => {
    const type = n % 700 === 0 ? 'store.reset' : n % 7 === 0 ? 'order.placed' : 'pet.created';
    // The reader looks at nothing but id and type.
    return { id: BigInt(n + 1), type } as LoggedChange;
  });

const request = fc.record({
  after: fc.bigInt({ min: 0n, max: 2_600n }),
  types: fc.option(fc.uniqueArray(fc.constantFrom(...TYPES), { minLength: 1 }), { nil: undefined }),
  limit: fc.integer({ min: 1, max: 100 }),
});

test('each request gets the next changes that it asks for, and skips none', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(0, 3, 999, 1_000, 1_001, 2_500),
      fc.array(request, { maxLength: 40 }),
      async (count, requests) => {
        const log = logOf(count);
        const read = createSharedRead({
          async list({ after = 0n, limit }) {
            const changes = log.filter(({ id }) => id > after).slice(0, limit);
            return { changes, resumeAfter: changes.at(-1)?.id ?? after };
          },
        });
        for (const { after, types, limit } of requests.sort((a, b) => Number(a.after - b.after))) {
          const { changes, resumeAfter } = await read({ after, types, limit });
          const wanted = log.filter(
            ({ id, type }) => id > after && (types?.includes(type) ?? true),
          );
          expect(changes).toEqual(wanted.slice(0, changes.length));
          expect(changes.length).toBeLessThanOrEqual(limit);
          const skipped = wanted.slice(changes.length).filter(({ id }) => id <= resumeAfter);
          expect(skipped).toEqual([]);
          // Whoever has not got all either got as many as asked for or comes further.
          if (wanted.length > changes.length && changes.length < limit) {
            expect(resumeAfter).toBeGreaterThan(after);
          }
        }
      },
    ),
    { numRuns: 200 },
  );
});
