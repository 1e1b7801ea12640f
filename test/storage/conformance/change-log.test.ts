import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import {
  CHANGE_TYPES,
  CHANGES_SCANNED_MAX,
  type ChangeRequest,
} from '../../../src/domain/change-log.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { eventuallyIs } from '../../support/eventually.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { numbered, readLog } from '../change-recorder.ts';
import { animal, anyState, imported, newKey, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';
import { addDogs, addRex, BY_A_KEY, INT64_MIN, NO_CHANGES, WRITES } from './logged-writes.ts';

describeContract((engine) => {
  describe('the change log', () => {
    const subject = forEachTest(() => openSubject(engine));

    const list = async (request: Partial<ChangeRequest> = {}) =>
      await subject.storage.changes.list({ after: undefined, limit: 100, ...request });
    const newest = async () => {
      await numbered(subject.storage.changes);
      return await subject.storage.changes.newest();
    };
    const addAnimals = async (count: number) => {
      const rows = Array.from({ length: count }, () => imported());
      await subject.storage.pets.importBatch(rows, CHANGE_STAMP);
      await numbered(subject.storage.changes);
    };

    test.each(WRITES)('records %s', async (_, prepare, write, expected) => {
      await prepare?.(subject.storage);
      const before = await newest();
      await write(subject.storage);
      const recorded = await readLog(subject.storage, before);
      expect(recorded).toEqual(
        expected.map((change, n) => ({ ...change, ...BY_A_KEY, id: before + 1n + BigInt(n) })),
      );
    });

    test.each(NO_CHANGES)('records nothing for %s', async (_, prepare, write) => {
      await prepare(subject.storage);
      const before = await newest();
      await (async () => await write(subject.storage))().catch(() => undefined);
      await subject.storage.categories.create('Cats', CHANGE_STAMP);
      const types = (await readLog(subject.storage, before)).map(({ type }) => type);
      expect(types).toEqual(['category.created']);
    });

    test('records the effect of an idempotent request once', async () => {
      const { id: keyId } = await subject.storage.keys.create(newKey());
      for (let tries = 0; tries < 2; tries++) {
        await subject.storage.idempotency.once(
          { keyId, operation: 'o', key: 'k', fingerprint: 'f', at: 0 },
          async ({ pets }) => {
            await pets.create(animal(), BY_A_KEY);
            return { status: 201, body: '', headers: {} };
          },
        );
      }
      expect(await readLog(subject.storage, undefined)).toHaveLength(1);
    });

    test('records what succeeds of writes at once, and nothing of the others', async () => {
      const names = ['Dogs', 'DOGS', 'Cats', 'dogs', 'Birds'];
      await Promise.allSettled(
        names.map(async (name) => await subject.storage.categories.create(name, CHANGE_STAMP)),
      );
      const recorded = await readLog(subject.storage, undefined);
      const folded = recorded.flatMap((change) =>
        'category' in change ? [change.category.name.toLowerCase()] : [],
      );
      expect(folded.toSorted()).toEqual(['birds', 'cats', 'dogs']);
      expect(recorded.map(({ id }) => id)).toEqual([1n, 2n, 3n]);
    });

    test('is empty at first', async () => {
      expect(await newest()).toBe(0n);
      expect(await list()).toEqual({ changes: [], resumeAfter: 0n });
      expect(await list({ after: 5n })).toEqual({ changes: [], resumeAfter: 5n });
      expect(await list({ types: ['pet.created'] })).toEqual({ changes: [], resumeAfter: 0n });
    });

    test('returns nothing after its end, however far', async () => {
      await addAnimals(3);
      for (const after of [3n, 4n, 2n ** 63n - 1n]) {
        expect(await list({ after })).toEqual({ changes: [], resumeAfter: after });
        const page = await list({ after, types: ['pet.created'] });
        expect(page).toEqual({ changes: [], resumeAfter: after });
      }
    });

    test('is read whole by any walk through its pages', async () => {
      for (const [, prepare, write] of WRITES) {
        await (async () => await prepare?.(subject.storage))().catch(() => undefined);
        await (async () => await write(subject.storage))().catch(() => undefined);
      }
      const all = await readLog(subject.storage, undefined);
      const types = fc.option(fc.uniqueArray(fc.constantFrom(...CHANGE_TYPES), { minLength: 1 }));
      const limits = fc.integer({ min: 1, max: 10 });
      await fc.assert(
        fc.asyncProperty(types, limits, fc.nat(all.length), async (chosen, limit, start) => {
          const found = [];
          let after = BigInt(start);
          for (let pages = 0; after < BigInt(all.length); pages++) {
            expect(pages).toBeLessThanOrEqual(all.length);
            const page = await list({ after, limit, types: chosen ?? undefined });
            expect(page.changes.length).toBeLessThanOrEqual(limit);
            found.push(...page.changes);
            after = page.resumeAfter;
          }
          const expected = all.slice(start).filter(({ type }) => chosen?.includes(type) ?? true);
          expect(found).toEqual(expected);
        }),
        { numRuns: 50 },
      );
    });

    test('bounds the search for a rare type, and continues where it stopped', async () => {
      await addDogs(subject.storage);
      await addAnimals(CHANGES_SCANNED_MAX);
      await subject.storage.categories.rename(1n, 'Hounds', CHANGE_STAMP, anyState);
      await numbered(subject.storage.changes);
      const types = ['category.updated'] as const;
      const first = await list({ types, after: 0n });
      expect(first).toEqual({ changes: [], resumeAfter: BigInt(CHANGES_SCANNED_MAX) });
      const second = await list({ types, after: first.resumeAfter });
      expect(second.changes).toMatchObject([{ category: { name: 'Hounds' } }]);
    });

    test('survives a restart', async () => {
      await addAnimals(2);
      const before = await readLog(subject.storage, undefined);
      await subject.reopen();
      expect(await readLog(subject.storage, undefined)).toEqual(before);
      await addRex(subject.storage);
      expect(await newest()).toBe(3n);
    });

    describe('removes old changes', () => {
      const remove = async (time: number, most: number) =>
        await subject.storage.changes.removeExpired(time, most);
      const ids = async () => (await readLog(subject.storage, undefined)).map(({ id }) => id);
      const addAt = async (at: number) => {
        await subject.storage.pets.create(animal(), { at, keyId: null });
        await numbered(subject.storage.changes);
      };

      test('up to a time, in steps, and never the newest', async () => {
        for (const at of [1, 2, 3, 4, 5]) await addAt(at);
        expect(await remove(0, 10)).toBe(0);
        expect(await remove(3, 2)).toBe(2);
        expect(await ids()).toEqual([3n, 4n, 5n]);
        expect(await remove(3, 2)).toBe(1);
        expect(await remove(3, 2)).toBe(0);
        expect(await remove(9, 1)).toBe(1);
        expect(await remove(9, 10)).toBe(0);
        expect(await ids()).toEqual([5n]);
        await addAt(6);
        expect(await ids()).toEqual([5n, 6n]);
      });

      test('from its start only, so that no gap appears when the clock was set back', async () => {
        for (const at of [5, 1, 2]) await addAt(at);
        expect(await remove(4, 10)).toBe(0);
        expect(await remove(5, 10)).toBe(2);
        expect(await ids()).toEqual([3n]);
      });

      test('and refuses readers that have not seen them', async () => {
        for (const at of [1, 2, 3, 4]) await addAt(at);
        await remove(2, 10);
        const expired = { code: 'events_expired' };
        for (const after of [0n, 1n, -1n, INT64_MIN]) {
          await expect(list({ after })).rejects.toMatchObject(expired);
          await expect(list({ after, types: ['pet.created'] })).rejects.toMatchObject(expired);
        }
        expect((await list({ after: 2n })).changes.map(({ id }) => id)).toEqual([3n, 4n]);
        expect((await list()).changes.map(({ id }) => id)).toEqual([3n, 4n]);
      });

      test('of an empty log without a complaint', async () => {
        expect(await remove(9, 10)).toBe(0);
      });
    });

    test('is read without a gap or a repetition while two processes write', async () => {
      await using other = await subject.another();
      const writing = [subject.storage, other.storage].map(async (storage) => {
        for (let n = 0; n < 60; n++) {
          await Promise.all([addRex(storage), addRex(storage)]);
        }
      });
      let isWriting = true;
      const done = Promise.all(writing).finally(() => {
        isWriting = false;
      });
      const seen: bigint[] = [];
      let after = 0n;
      while (isWriting || after < 240n) {
        const page = await list({ after, limit: 7 });
        seen.push(...page.changes.map(({ id }) => id));
        after = page.resumeAfter;
        await Bun.sleep(0);
      }
      await done;
      expect(seen).toEqual(Array.from({ length: 240 }, (_, n) => BigInt(n + 1)));
    });

    test('tells a listener when changes of this process can be read', async () => {
      const { changes } = subject.storage;
      const heard: bigint[] = [];
      const end = changes.listen(() => {
        void (async () => heard.push(await changes.newest()))();
      });
      await addRex(subject.storage);
      await eventuallyIs(() => heard.at(-1), 1n);
      end();
      const count = heard.length;
      await addRex(subject.storage);
      expect(await newest()).toBe(2n);
      expect(heard.length).toBe(count);
    });

    test('does not call a listener for a write that records no change', async () => {
      let calls = 0;
      subject.storage.changes.listen(() => calls++);
      await subject.storage.keys.recordUse(new Map([[1n, 1]]));
      await subject.storage.idempotency.removeExpired(0, 1);
      expect(calls).toBe(0);
    });
  });
});
