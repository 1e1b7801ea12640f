import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import type { BatchOptions, ImportedPet, PetStatus } from '../../../src/domain/pet.ts';
import type { ProfileChange } from '../../../src/domain/profile.ts';
import { arbitraryProfile } from '../../support/arbitrary-profile.ts';
import { CHANGE_STAMP, NEW_PROFILE } from '../../support/change-stamp.ts';
import { runHere } from '../../support/command-line.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { createTemporaryFolder } from '../../support/temporary.ts';
import { readLog } from '../change-recorder.ts';
import { anyState, imported, listAll, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

const REX = imported({ externalId: 'rex', profile: { species: 'dog', breed: 'Boxer' } });

describeContract((engine) => {
  const subject = forEachTest(() => openSubject(engine));

  /** Imports a batch, and returns the counts that are not 0. */
  const take = async (batch: readonly ImportedPet[], options?: BatchOptions) => {
    const {
      changes,
      held,
      ids: _ids,
      categoriesCreated: _names,
      ...outcome
    } = await subject.storage.pets.importBatch(batch, CHANGE_STAMP, options);
    const counts = { ...outcome, changed: changes.length, held: held.length };
    return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
  };
  const animals = async () =>
    (await listAll(subject.storage)).map(({ name, status }) => `${name} ${status}`);
  const categories = () => subject.database.sql('SELECT name FROM categories ORDER BY id');
  const change = (profile: ProfileChange, id = 1n) =>
    subject.storage.profiles.update(id, profile, CHANGE_STAMP, anyState);
  const profileOf = (id = 1n) => subject.storage.profiles.find(id);
  const place = (petId: bigint) =>
    subject.storage.orders.place({ petId, adopter: undefined }, CHANGE_STAMP);
  const cancel = (id: bigint) =>
    subject.storage.orders.update(id, { status: 'cancelled' }, CHANGE_STAMP, anyState);

  describe('importBatch', () => {
    test('external ids are compared character by character', async () => {
      const ids = ['a', 'A', ' a', 'a ', '\u00e9', 'e\u0301', '1', '01', '1.0'];
      const batch = ids.map((externalId) => imported({ externalId }));
      expect(await take(batch)).toEqual({ created: ids.length });
      expect(await take(batch)).toEqual({ unchanged: ids.length });
    });

    test('leaves an animal with an open order unchanged, until that is closed', async () => {
      const batch = (...statuses: PetStatus[]) =>
        statuses.map((status, i) => imported({ name: 'New', externalId: `id ${i}`, status }));
      const all: PetStatus[] = ['available', 'available', 'available', 'available'];
      await take(batch(...all).map((pet) => ({ ...pet, name: 'Old' })));
      for (const petId of [2n, 3n, 4n]) await place(petId);
      await cancel(3n);
      // The second would be sold despite its order, the third keeps its status, the fourth is free.
      const next = batch('sold', 'sold', 'pending', 'sold');
      expect(await take(next, { dryRun: true })).toEqual({ changed: 3, held: 1 });
      expect(await take(next)).toEqual({ changed: 3, held: 1 });
      expect(await animals()).toEqual(['New sold', 'Old pending', 'New pending', 'New sold']);
      expect(await take(next)).toEqual({ unchanged: 3, held: 1 });
      await cancel(1n);
      expect(await take(next)).toEqual({ changed: 1, unchanged: 3 });
    });

    test('imports the whole batch or nothing, and remembers nothing of a failed one', async () => {
      await take([imported({ externalId: '1' })]);
      const sold = imported({ externalId: '1', status: 'sold' });
      const batch = [
        sold,
        imported({ category: { name: 'Cat' } }),
        // Violates a constraint after the earlier rows were written.
        imported({ name: '' }),
      ];
      const importing = async () => await take(batch);
      await expect(importing()).rejects.toThrow();
      expect(await animals()).toEqual(['Rex available']);
      expect(await categories()).toEqual([]);
      expect(await take([sold])).toEqual({ changed: 1 });
      await subject.storage.reset(CHANGE_STAMP);
      expect(await take([sold])).toEqual({ created: 1 });
    });

    test('creates no category that only unapplied rows name', async () => {
      const [dog, cat] = ['Dog', 'Cat'].map((name) =>
        imported({ category: { name }, externalId: name }),
      ) as [ImportedPet, ImportedPet]; // Of two names.
      await take([dog, cat]);
      await subject.storage.categories.rename(1n, 'Dogs', CHANGE_STAMP, anyState);
      await subject.storage.pets.remove(2n, CHANGE_STAMP, anyState);
      await subject.storage.categories.remove(2n, CHANGE_STAMP, anyState);
      expect(await take([dog, cat])).toEqual({ kept: 1, removed: 1 });
      await place(1n);
      expect(await take([{ ...dog, category: { name: 'Bird' } }])).toEqual({ held: 1 });
      expect(await categories()).toEqual([{ name: 'Dogs' }]);
    });

    test('remembers a row that agrees with an earlier change here', async () => {
      await take([REX]);
      const update = (status: PetStatus) =>
        subject.storage.pets.update(1n, { status }, CHANGE_STAMP, anyState);
      await update('sold');
      const sold = { ...REX, status: 'sold' as const };
      expect(await take([sold])).toEqual({ unchanged: 1 });
      await update('available');
      expect(await take([sold])).toEqual({ kept: 1 });
    });

    test('applies the file to animals imported before rows were remembered', async () => {
      await take([REX]);
      const rename = () => subject.storage.pets.update(1n, { name: 'Max' }, CHANGE_STAMP, anyState);
      await rename();
      await subject.database.sql('DELETE FROM imported_rows');
      expect(await take([REX])).toEqual({ changed: 1 });
      await rename();
      expect(await take([REX])).toEqual({ kept: 1 });
    });
  });

  describe('the profile of an imported animal', () => {
    test('is written with it, and noted after it', async () => {
      const other = imported({ name: 'Tom', profile: { species: 'cat', microchip: '123456789' } });
      const before = await subject.storage.changes.newest();
      expect(await take([imported(), other, REX])).toEqual({ created: 3 });
      const log = await readLog(subject.storage, before);
      expect(log.map((one) => ('part' in one ? one.part : one.type)) as unknown).toEqual([
        'pet.created',
        'pet.created',
        'pet.created',
        { petId: 2n, data: '{"species":"cat","inCareSince":"2027-01-15"}' },
        { petId: 3n, data: '{"species":"dog","breed":"Boxer","inCareSince":"2027-01-15"}' },
      ]);
      expect(await profileOf(1n)).toEqual(NEW_PROFILE);
    });

    test('changes with its row, and keeps what the row does not say or somebody changed', async () => {
      await take([REX]);
      await change({ sex: 'female', breed: null });
      expect(await take([REX])).toEqual({ kept: 1 });
      const heavier: ImportedPet = { ...REX, profile: { species: 'dog', weightGrams: 30_000 } };
      expect(await take([heavier])).toEqual({ changed: 1 });
      const expected = { species: 'dog', sex: 'female', weightGrams: 30_000 } as const;
      expect(await profileOf()).toEqual({ ...NEW_PROFILE, ...expected });
    });

    test('of a file that was imported without profiles comes alone', async () => {
      const plain = imported({ externalId: 'rex' });
      await take([plain]);
      await subject.storage.pets.update(1n, { name: 'Max' }, CHANGE_STAMP, anyState);
      expect(await take([plain])).toEqual({ kept: 1 });
      expect(await take([REX], { dryRun: true })).toEqual({ changed: 1 });
      expect(await profileOf()).toEqual(NEW_PROFILE);
      expect(await take([REX])).toEqual({ changed: 1 });
      expect((await profileOf())?.breed).toBe('Boxer');
      expect(await subject.storage.pets.find(1n)).toMatchObject({ name: 'Max' });
      // And once more without, as with.
      expect(await take([plain])).toEqual({ kept: 1 });
      await change({ breed: 'Poodle' });
      expect(await take([REX])).toEqual({ kept: 1 });
      expect((await profileOf())?.breed).toBe('Poodle');
      await subject.storage.pets.remove(1n, CHANGE_STAMP, anyState);
      expect(await take([plain])).toEqual({ removed: 1 });
    });

    test('of an animal that keeps its category creates none', async () => {
      const inCats: ImportedPet = { ...REX, category: { name: 'Cats' } };
      await take([inCats]);
      await subject.storage.pets.update(1n, { categoryId: 7n }, CHANGE_STAMP, anyState);
      await subject.storage.categories.remove(1n, CHANGE_STAMP, anyState);
      expect(await take([{ ...inCats, profile: { species: 'cat' } }])).toEqual({ changed: 1 });
      expect(await subject.storage.pets.find(1n)).toMatchObject({ categoryId: 7n });
      expect((await profileOf())?.species).toBe('cat');
    });

    test('takes another birth date as exact, and no age group beside a birth date', async () => {
      await take([REX]);
      await change({ birthDate: '2020-01-01', birthDatePrecision: 'year' });
      await take([{ ...REX, profile: { ageGroup: 'baby', breed: 'Boxer' } }]);
      expect(await profileOf()).toMatchObject({ birthDate: '2020-01-01', ageGroup: null });
      await take([{ ...REX, profile: { birthDate: '2020-01-01' } }]);
      expect(await profileOf()).toMatchObject({ birthDatePrecision: 'year' });
      await take([{ ...REX, profile: { birthDate: '2020-05-05' } }]);
      expect(await profileOf()).toMatchObject({ birthDatePrecision: 'day' });
    });

    test('is the same after an export and an import, in either format', async () => {
      using folder = createTemporaryFolder();
      const profiles = fc.array(arbitraryProfile, { minLength: 1, maxLength: 20 });
      const formats = fc.constantFrom('csv', 'ndjson');
      const all = async () =>
        await Promise.all((await listAll(subject.storage)).map(({ id }) => profileOf(id)));
      await fc.assert(
        fc.asyncProperty(profiles, formats, async (list, format) => {
          const { storage, database } = subject;
          await storage.reset(CHANGE_STAMP);
          const since = (known: string | null | undefined) => known ?? '2020-02-29';
          await take(
            list.map((one) =>
              imported({ profile: { ...one, inCareSince: since(one.inCareSince) } }),
            ),
          );
          const before = await all();
          const settings = { PETSTORE_DATABASE: database.address };
          const { stdout } = await runHere(['export', '--format', format], settings);
          const file = folder.file(`pets.${format}`);
          writeFileSync(file, stdout);
          await storage.reset(CHANGE_STAMP);
          const { exitCode, stdout: said } = await runHere(['import', file, '--publish'], settings);
          expect({ exitCode, said }).toMatchObject({ exitCode: 0 });
          expect(said).not.toContain('Not understood');
          expect(await all()).toEqual(before);
        }),
        {
          numRuns: 15,
          // Spreadsheets write these for no date.
          examples: [[[{ careUntil: '1900-01-01', inCareSince: '1899-12-31' }], 'csv']],
        },
      );
    }, 60_000);
  });
});
