import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import type { BatchOptions, ImportedPet } from '../../../src/domain/pet.ts';
import type { ProfileChange } from '../../../src/domain/profile.ts';
import { arbitraryProfile } from '../../support/arbitrary-profile.ts';
import { CHANGE_STAMP, NEW_PROFILE } from '../../support/change-stamp.ts';
import { runHere } from '../../support/command-line.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { createTemporaryFolder } from '../../support/temporary.ts';
import { readLog } from '../change-recorder.ts';
import { anyState, imported, openSubject, type Subject } from '../subject.ts';
import { describeContract } from './contract.ts';

const REX = imported({ externalId: 'rex', profile: { species: 'dog', breed: 'Boxer' } });

describeContract((engine) => {
  describe('the profile of an imported animal', () => {
    const subject = forEachTest(() => openSubject(engine));

    /** Imports a batch, and returns the counts that are not 0. */
    const take = async (batch: readonly ImportedPet[], options?: BatchOptions) => {
      const { pets } = subject.storage;
      const {
        changes,
        held,
        ids: _ids,
        ...outcome
      } = await pets.importBatch(batch, CHANGE_STAMP, options);
      const counts = { ...outcome, changed: changes.length, held: held.length };
      return Object.fromEntries(Object.entries(counts).filter(([, n]) => Number(n) > 0));
    };
    const change = (profile: ProfileChange, id = 1n) =>
      subject.storage.profiles.update(id, profile, CHANGE_STAMP, anyState);
    const profileOf = (id = 1n) => subject.storage.profiles.find(id);

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
      expect(await profileOf(2n)).toEqual({
        ...NEW_PROFILE,
        species: 'cat',
        microchip: '123456789',
      });
      expect(await profileOf(3n)).toEqual({ ...NEW_PROFILE, species: 'dog', breed: 'Boxer' });
    });

    test('is not written by a rehearsal', async () => {
      await take([imported({ externalId: 'rex' })]);
      expect(await take([REX], { dryRun: true })).toEqual({ changed: 1 });
      expect(await profileOf()).toEqual(NEW_PROFILE);
    });

    test('changes with its row, and keeps what the row does not say', async () => {
      await take([REX]);
      await change({ sex: 'female', breed: null });
      const heavier: ImportedPet = { ...REX, profile: { species: 'dog', weightGrams: 30_000 } };
      expect(await take([heavier])).toEqual({ changed: 1 });
      expect(await profileOf()).toEqual({
        ...NEW_PROFILE,
        species: 'dog',
        sex: 'female',
        weightGrams: 30_000,
      });
    });

    test('stays as somebody changed it while its row is the same', async () => {
      await take([REX]);
      expect(await take([REX])).toEqual({ unchanged: 1 });
      await change({ breed: 'Poodle' });
      expect(await take([REX])).toEqual({ kept: 1 });
      expect(await take([REX], { overwrite: true })).toEqual({ changed: 1 });
      expect((await profileOf())?.breed).toBe('Boxer');
    });

    test('of a file that was imported without profiles comes alone', async () => {
      const plain = imported({ externalId: 'rex' });
      await take([plain]);
      await subject.storage.pets.update(1n, { name: 'Max' }, CHANGE_STAMP, anyState);
      expect(await take([plain])).toEqual({ kept: 1 });
      expect(await take([REX])).toEqual({ changed: 1 });
      expect((await profileOf())?.breed).toBe('Boxer');
      expect(await subject.storage.pets.find(1n)).toMatchObject({ name: 'Max' });
      // And once more without, as with.
      expect(await take([plain])).toEqual({ kept: 1 });
      await change({ breed: 'Poodle' });
      expect(await take([REX])).toEqual({ kept: 1 });
      expect((await profileOf())?.breed).toBe('Poodle');
    });

    test('does not bring back an animal that was removed', async () => {
      await take([imported({ externalId: 'rex' })]);
      await subject.storage.pets.remove(1n, CHANGE_STAMP, anyState);
      expect(await take([REX])).toEqual({ removed: 1 });
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

    test('lists the animal', async () => {
      await take([{ ...REX, profile: { species: 'dog', published: true } }]);
      const listed = () => subject.database.sql('SELECT pet_id, species FROM listings');
      expect(await listed()).toEqual([{ pet_id: 1n, species: 'dog' }]);
      await take([{ ...REX, status: 'sold', profile: { species: 'dog', published: true } }]);
      expect(await listed()).toEqual([]);
    });

    test('is the same after an export and an import, in either format', async () => {
      using folder = createTemporaryFolder();
      const profiles = fc.array(arbitraryProfile, { minLength: 1, maxLength: 20 });
      const formats = fc.constantFrom('csv', 'ndjson');
      await fc.assert(
        fc.asyncProperty(profiles, formats, async (list, format) => {
          const { storage, database } = subject;
          await storage.reset(CHANGE_STAMP);

          await take(
            list.map((profile) =>
              imported({
                profile: { ...profile, inCareSince: profile.inCareSince ?? '2020-02-29' },
              }),
            ),
          );
          const ids = await listIds(subject);
          const before = await Promise.all(ids.map(profileOf));
          const settings = { PETSTORE_DATABASE: database.address };
          const { stdout } = await runHere(['export', '--format', format], settings);
          writeFileSync(folder.file(`pets.${format}`), stdout);
          await storage.reset(CHANGE_STAMP);
          const file = folder.file(`pets.${format}`);
          const { exitCode, stdout: said } = await runHere(['import', file, '--publish'], settings);
          expect({ exitCode, said }).toMatchObject({ exitCode: 0 });
          expect(said).not.toContain('Not understood');
          expect(await Promise.all((await listIds(subject)).map(profileOf))).toEqual(before);
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

async function listIds({ storage }: Subject): Promise<bigint[]> {
  const { items } = await storage.pets.list({}, { afterId: undefined, limit: 100 });
  return items.map(({ id }) => id);
}
