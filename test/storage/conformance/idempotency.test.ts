import { beforeEach, describe, expect, test } from 'bun:test';
import type { IdempotentRequest, StoredResult } from '../../../src/domain/idempotency.ts';
import type { Records } from '../../../src/domain/records.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { animal, newKey, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

const DAY_MS = 86_400_000;
const RESULT: StoredResult = {
  status: 201,
  body: '{"a":"😺"}',
  headers: { location: 'x', b: '"' },
};

describeContract((engine) => {
  describe('once', () => {
    const subject = forEachTest(() => openSubject(engine));
    beforeEach(async () => {
      for (const name of ['one', 'two']) await subject.storage.keys.create(newKey({ name }));
    });

    const request = (parts: Partial<IdempotentRequest> = {}): IdempotentRequest => ({
      keyId: 1n,
      operation: 'createPet',
      key: 'the key',
      fingerprint: 'f'.repeat(64),
      at: CHANGE_STAMP.at,
      ...parts,
    });
    const work = async ({ pets }: Records) => {
      await pets.create(animal(), CHANGE_STAMP);
      return RESULT;
    };
    const once = async (parts: Partial<IdempotentRequest> = {}, doing = work) =>
      await subject.storage.idempotency.once(request(parts), doing);
    const count = async () => await subject.storage.pets.count();
    const stored = async () =>
      (await subject.database.sql('SELECT * FROM idempotent_results')).length;

    test('does the work the first time, and then replays the result', async () => {
      expect(await once()).toEqual({ result: RESULT, replayed: false });
      const never = () => {
        throw new Error('the work ran again');
      };
      expect(await once({}, never)).toEqual({ result: RESULT, replayed: true });
      await subject.reopen();
      expect(await once({}, never)).toEqual({ result: RESULT, replayed: true });
      expect([await count(), await stored()]).toEqual([1, 1]);
    });

    test('rolls back work that throws', async () => {
      const failing = once({}, async (records) => {
        await work(records);

        throw new RangeError('half way');
      });
      await expect(failing).rejects.toThrow('half way');
      expect([await count(), await stored()]).toEqual([0, 0]);
      expect((await once()).replayed).toBe(false);
      // The id of the rolled back animal may be skipped, but there must be only one animal.
      expect([await count(), await stored()]).toEqual([1, 1]);
    });

    test('rolls back the effect if the result cannot be stored', async () => {
      await expect(once({ keyId: 99n })).rejects.toThrow();
      expect([await count(), await stored()]).toEqual([0, 0]);
    });

    test('commits the effect and the result in one transaction', async () => {
      const rows = () =>
        subject.database.sql(
          'SELECT (SELECT count(*) FROM pets) AS p, (SELECT count(*) FROM idempotent_results) AS r',
        );
      const seen: unknown[] = [];
      let working = true;
      const watching = (async () => {
        while (working) {
          seen.push(...(await rows()));
          await Bun.sleep(0);
        }
      })();
      for (let i = 0; i < 50 || seen.length < 10; i++) await once({ key: `${i}` });
      working = false;
      await watching;
      for (const row of seen) expect(row).toEqual({ p: Object(row).r, r: Object(row).r });
    });

    test('keeps a result for 24 hours, then does the work again and keeps the new one', async () => {
      await once();
      expect((await once({ at: CHANGE_STAMP.at + DAY_MS - 1 })).replayed).toBe(true);
      const later = { at: CHANGE_STAMP.at + DAY_MS, fingerprint: 'e'.repeat(64) };
      expect((await once(later)).replayed).toBe(false);
      expect((await once({ ...later, at: later.at + DAY_MS - 1 })).replayed).toBe(true);
      expect([await count(), await stored()]).toEqual([2, 1]);
    });

    test('sweep removes results up to a time, and returns their number', async () => {
      for (const at of [1, 2, 3, 4]) await once({ at: CHANGE_STAMP.at + at, key: `${at}` });
      expect(await subject.storage.idempotency.removeExpired(CHANGE_STAMP.at, 100)).toBe(0);
      expect(await subject.storage.idempotency.removeExpired(CHANGE_STAMP.at + 2, 100)).toBe(2);
      expect(await stored()).toBe(2);
      expect((await once({ at: CHANGE_STAMP.at + 4, key: '2' })).replayed).toBe(false);
      expect((await once({ at: CHANGE_STAMP.at + 4, key: '3' })).replayed).toBe(true);
      expect(await subject.storage.idempotency.removeExpired(CHANGE_STAMP.at + DAY_MS, 100)).toBe(
        3,
      );
      expect(await stored()).toBe(0);
      expect(await count()).toBe(5);
    });

    test('sweep removes the oldest first, up to its limit', async () => {
      for (const at of [3, 1, 5, 2, 4]) await once({ at: CHANGE_STAMP.at + at, key: `${at}` });
      const sweep = async () =>
        await subject.storage.idempotency.removeExpired(CHANGE_STAMP.at + 4, 3);
      const left = async () => {
        const rows = await subject.database.sql('SELECT idempotency_key FROM idempotent_results');
        return rows.map((row) => row['idempotency_key']).toSorted();
      };
      expect(await sweep()).toBe(3);
      expect(await left()).toEqual(['4', '5']);
      expect(await sweep()).toBe(1);
      expect(await sweep()).toBe(0);
      expect(await left()).toEqual(['5']);
    });

    test('a reset removes the results too: the animals that they report are gone', async () => {
      await once();
      await subject.storage.reset(CHANGE_STAMP);
      expect((await once()).replayed).toBe(false);
    });
  });
});
