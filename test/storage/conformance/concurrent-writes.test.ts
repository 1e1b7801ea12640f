import { describe, expect, test } from 'bun:test';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { animal, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

/** More than fit into one transaction or statement. */
const MANY = 600;
/** Names and integers that could break when many are written as one text. */
const NAMES = [
  'Rex',
  "'; DROP TABLE pets; --",
  '"',
  '\\u0041',
  '\u2028',
  '😺'.repeat(255),
  'null',
  '007',
];
const INT64S = [0n, -1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)];

describeContract((engine) => {
  describe('at once', () => {
    const subject = forAllTests(() => openSubject(engine));

    test('adds concurrent animals unchanged, with ids in their order', async () => {
      const requests = Array.from({ length: MANY }, (_, n) => ({
        pet: animal({
          name: NAMES[n % NAMES.length] ?? '',
          categoryId: INT64S[n % INT64S.length] ?? 0n,
        }),
        stamp: { at: CHANGE_STAMP.at + n, keyId: n % 3 === 0 ? null : BigInt(n) },
      }));
      const added = await Promise.all(
        requests.map(async ({ pet, stamp }) => subject.storage.pets.create(pet, stamp)),
      );
      expect(added).toEqual(requests.map(({ pet }, n) => ({ id: added[n]?.id ?? 0n, ...pet })));
      const ids = added.map(({ id }) => id);
      expect(ids).toEqual(ids.toSorted((a, b) => Number(a - b)));
      expect(new Set(ids).size).toBe(ids.length);
      for (const n of [0, 1, 2, 511, 512, MANY - 1]) {
        const id = ids[n] ?? 0n;
        expect(await subject.storage.pets.find(id)).toEqual(added[n]);
      }
    });

    test('an animal that cannot be added does not affect concurrent ones', async () => {
      const names = ['Rex', 'Max', '', 'Ada', ''];
      const outcomes = await Promise.allSettled(
        names.map(async (name) => subject.storage.pets.create(animal({ name }), CHANGE_STAMP)),
      );
      expect(
        outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value.name : '')),
      ).toEqual(names);
      const before = await subject.storage.pets.count();
      await subject.storage.pets.create(animal(), CHANGE_STAMP);
      expect(await subject.storage.pets.count()).toBe(before + 1);
      for (const outcome of outcomes) {
        if (outcome.status !== 'fulfilled') continue;
        expect(await subject.storage.pets.find(outcome.value.id)).toEqual(outcome.value);
      }
    });

    test('returns to each of several concurrent lookups its own animal', async () => {
      const { id } = await subject.storage.pets.create(animal({ name: 'One' }), CHANGE_STAMP);
      const { id: other } = await subject.storage.pets.create(
        animal({ name: 'Two' }),
        CHANGE_STAMP,
      );
      const found = await Promise.all(
        [other, -1n, id, other].map(async (each) => subject.storage.pets.find(each)),
      );
      expect(found.map((pet) => pet?.name)).toEqual(['Two', undefined, 'One', 'Two']);
    });
  });
});
