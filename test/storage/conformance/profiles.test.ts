import { beforeEach, describe, expect, test } from 'bun:test';
import { DAY_MS } from '../../../src/domain/clock.ts';
import type { Profile, ProfileChange } from '../../../src/domain/profile.ts';
import { CHANGE_STAMP, NEW_PROFILE } from '../../support/change-stamp.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { animal, anyState, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

const REX: Partial<Profile> = {
  species: 'dog',
  breed: `Labrador "😺'; --`,
  mixed: false,
  birthDate: '2024-02-29',
  birthDatePrecision: 'month',
  weightGrams: 2_000_000,
  colours: ['Brown', 'White'],
  description: 'Two\nlines',
  fee: { amount: 0, currency: 'EUR' },
  neutered: false,
  published: true,
  microchip: '9851120012345AB',
  care: 'foster',
  medicalNotes: 'Needs\ttablets',
};

describeContract((engine) => {
  describe('profiles', () => {
    const subject = forEachTest(() => openSubject(engine));
    beforeEach(async () => {
      await subject.storage.pets.create(animal(), CHANGE_STAMP);
    });

    const find = async (id = 1n) => await subject.storage.profiles.find(id);
    const change = async (to: ProfileChange, at = CHANGE_STAMP.at, precondition = anyState) =>
      await subject.storage.profiles.update(1n, to, { at, keyId: 7n }, precondition);
    const events = async () => {
      // PostgreSQL gives ids a moment after the commit.
      await subject.storage.optimize();
      const { changes } = await subject.storage.changes.list({ after: undefined, limit: 100 });
      return changes.filter(({ type }) => type === 'profile.updated');
    };

    test('a change that is refused changes nothing', async () => {
      await change(REX);
      const refuse = () => {
        throw new Error('refused');
      };
      expect(change({ sex: 'male' }, CHANGE_STAMP.at, refuse)).rejects.toThrow('refused');
      expect(change({ birthDate: '2099-01-01' })).rejects.toThrow('must not be after today');
      expect(await find()).toEqual({ ...NEW_PROFILE, ...REX });
    });

    test('an age group gives way to a birth date, and follows from it', async () => {
      await change({ ageGroup: 'senior' });
      const { ageGroup, birthDatePrecision } = (await change({ birthDate: '2026-06-01' })) ?? {};
      expect([ageGroup, birthDatePrecision]).toEqual([null, 'day']);
      expect(change({ ageGroup: 'senior' })).rejects.toThrow('follows from birthDate');
      expect(await change({ ageGroup: 'baby' })).toMatchObject({ birthDate: '2026-06-01' });
      await change({ birthDate: null });
      expect(change({ birthDatePrecision: 'year' })).rejects.toThrow('needs a birthDate');
      expect(await find()).toEqual(NEW_PROFILE);
    });

    test('a change of private fields alone is in the audit and no event, unless it lists the animal or not', async () => {
      await change({ ...REX, published: true, care: 'shelter' });
      const [first, ...none] = await events();
      expect(none).toEqual([]);
      for (const to of [{ location: 'Kennel 3' }, { medicalNotes: 'Deaf.' }, { care: 'foster' }]) {
        await change(to as ProfileChange);
      }
      expect(await events()).toEqual([first as never]);
      const types = ['profile.updated'] as const;
      const typed = await subject.storage.changes.list({ after: undefined, types, limit: 100 });
      expect(typed.changes).toEqual([first as never]);
      const page = { afterId: undefined, limit: 100, isDescending: false };
      const lines = await subject.storage.audit.list({ type: 'profile.updated' }, page);
      expect(lines.items.map(({ changes }) => Object.keys(changes ?? {})).slice(1)).toEqual([
        ['location'],
        ['medicalNotes'],
        ['care'],
      ]);
      expect(lines.items.at(-1)).toMatchObject({ subject: { type: 'pet', id: 1n } });
      await change({ care: 'quarantine' });
      await change({ care: 'foster' });
      expect(await events()).toHaveLength(3);
      await change({ published: false });
      await change({ care: 'quarantine' });
      expect(await events()).toHaveLength(4);
    });

    test('each change is in the log once, with its author and without private fields', async () => {
      await change(REX);
      await change(REX);
      await change({ location: 'Kennel 3', headline: 'Calm' });
      const found = await events();
      expect(found).toHaveLength(2);
      for (const event of found) {
        expect(event).toMatchObject({ keyId: 7n, at: CHANGE_STAMP.at, part: { petId: 1n } });
        const data = JSON.parse('part' in event ? event.part.data : '');
        expect(data).toMatchObject({ species: 'dog', neutered: false, published: true });
        for (const secret of ['microchip', 'care', 'location', 'medicalNotes']) {
          expect(data).not.toHaveProperty(secret);
        }
      }
    });

    test('go with their animals, and with a reset', async () => {
      await change(REX);
      await subject.storage.pets.remove(1n, CHANGE_STAMP, anyState);
      expect(await find()).toBeUndefined();
      await subject.storage.pets.create(animal(), CHANGE_STAMP);
      await subject.storage.profiles.update(2n, REX, CHANGE_STAMP, anyState);
      await subject.storage.reset(CHANGE_STAMP);
      await subject.storage.pets.create(animal(), CHANGE_STAMP);
      expect(await find(3n)).toEqual(NEW_PROFILE);
      const page = { filter: {}, sort: 'fair', after: undefined, limit: 9, fairDay: 0 } as const;
      const { items } = await subject.storage.listings.list({ ...page, at: CHANGE_STAMP.at });
      expect(items).toEqual([]);
    });

    test('a date may be today anywhere on Earth', async () => {
      const tomorrow = new Date(CHANGE_STAMP.at + DAY_MS).toISOString().slice(0, 10);
      expect(await change({ inCareSince: tomorrow })).toMatchObject({ inCareSince: tomorrow });
      const dayBefore = CHANGE_STAMP.at - DAY_MS;
      expect(change({ birthDate: tomorrow }, dayBefore)).rejects.toThrow('must not be after today');
    });
  });
});
